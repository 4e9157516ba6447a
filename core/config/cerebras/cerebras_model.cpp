// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_model.h"

#include "cerebras_decoder_model.h"
#include "cerebras_encoder_decoder_model.h"
#include "cerebras_encoder_model.h"
#include "cerebras_network.h"
#include "cerebras_vision_transformer.h"

#include <string>
#include <utility>

namespace batchpeak::config {

namespace {

template<typename Spec>
std::variant<model::ModelSpec, UnsupportedModel> ofFamily(const std::string& family,
                                                          std::variant<Spec, UnsupportedModel> read)
{
    if (auto* unsupported = std::get_if<UnsupportedModel>(&read))
        return std::move(*unsupported);
    return model::ModelSpec{.family = family, .architecture = std::get<Spec>(std::move(read))};
}

} // namespace

std::variant<model::ModelSpec, UnsupportedModel> readCerebrasModel(const ConfigSection& model,
                                                                   std::vector<Warning>& warnings)
{
    const auto known = cerebrasFamily(model);
    if (const auto* unsupported = std::get_if<UnsupportedModel>(&known))
        return *unsupported;
    const auto& family = std::get<std::string>(known);
    if (family == "bert" || family == "esm2")
        return ofFamily(family, CerebrasEncoderModel(model, family).read());
    if (family == "t5")
        return ofFamily(family, CerebrasEncoderDecoderModel(model).read());
    if (family == "vit")
        return ofFamily(family, readVisionTransformer(model, warnings));
    return ofFamily(family, CerebrasDecoderModel(model).read(warnings));
}

} // namespace batchpeak::config
