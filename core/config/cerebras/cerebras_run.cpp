// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_run.h"

#include "syntax/lower_case.h"

namespace batchpeak::config {

model::Precision readPrecision(const ConfigSection& section, std::string_view enabledKey, bool enabled,
                               std::vector<Warning>& warnings)
{
    if (!section.boolean(enabledKey).value_or(enabled))
        return model::Precision::Fp32;
    // bfloat16 where nothing is said: MixedPrecision in ModelZoo 2.10.0, trainer/callbacks/precision.py.
    const std::string type = section.text("fp16_type").value_or("bfloat16");
    if (type != "bfloat16" && type != "cbfloat16" && type != "float16")
        section.fail("fp16_type", "is \"" + type + "\"; write bfloat16, cbfloat16 or float16");
    if (type != "bfloat16") {
        warnings.push_back(
            {"Trials run in bfloat16, since " +
                 std::string(type == "cbfloat16" ? "cbfloat16 is a format of Cerebras systems alone."
                                                 : "float16 with loss scaling is not run here."),
             section.positionOf("fp16_type")});
    }
    return model::Precision::Bf16;
}

model::Optimizer readOptimizer(const std::string& name, TextPosition position, std::vector<Warning>& warnings)
{
    const std::string word = lowerCase(name);
    if (word == "adamw")
        return model::Optimizer::AdamW;
    if (word == "sgd")
        return model::Optimizer::Sgd;
    warnings.push_back(
        {"Trials run AdamW in place of the optimizer " + name +
             (word == "adam" ? ", which costs the same." : ", whose steps and memory may cost more or less."),
         position});
    return model::Optimizer::AdamW;
}

double readMaxGradientNorm(const ConfigSection& section)
{
    constexpr std::string_view key = "max_gradient_norm";
    const double norm = section.number(key).value_or(0.0);
    if (!(norm >= 0))
        section.fail(key, "must be at least 0, as in 1.0");
    return norm;
}

} // namespace batchpeak::config
