// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_kind.h"

#include "word_table.h"

namespace batchpeak::model {

namespace {

constexpr WordTable<Phase, 2> phases{{{Phase::Train, "train"}, {Phase::Eval, "eval"}}};
constexpr WordTable<Precision, 4> precisions{{{Precision::Fp32, "fp32"},
                                              {Precision::Tf32, "tf32"},
                                              {Precision::Bf16, "bf16"},
                                              {Precision::PureBf16, "pure-bf16"}}};
constexpr WordTable<Optimizer, 2> optimizers{{{Optimizer::AdamW, "adamw"}, {Optimizer::Sgd, "sgd"}}};

} // namespace

int optimizerStateCopies(Optimizer optimizer)
{
    return optimizer == Optimizer::AdamW ? 2 : 1;
}

std::string_view toText(Phase value)
{
    return wordFor(phases, value);
}

std::optional<Phase> phaseFromText(std::string_view text)
{
    return valueFor(phases, text);
}

std::string_view toText(Precision value)
{
    return wordFor(precisions, value);
}

std::optional<Precision> precisionFromText(std::string_view text)
{
    return valueFor(precisions, text);
}

std::string_view toText(Optimizer value)
{
    return wordFor(optimizers, value);
}

std::optional<Optimizer> optimizerFromText(std::string_view text)
{
    return valueFor(optimizers, text);
}

} // namespace batchpeak::model
