// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_factory.h"

#include "decoder_network.h"
#include "encoder_decoder_network.h"
#include "encoder_network.h"
#include "model/parameter_table.h"
#include "residual_network.h"
#include "script_network.h"
#include "vision_transformer_network.h"

#include <stdexcept>
#include <type_traits>
#include <utility>

namespace batchpeak::network {

namespace {

/// Maps an architecture to the class that runs it, one line for each. The functions are used only for their
/// return type.
struct Classes
{
    static std::type_identity<DecoderNetwork> of(const model::DecoderSpec&);
    static std::type_identity<EncoderNetwork> of(const model::EncoderSpec&);
    static std::type_identity<EncoderDecoderNetwork> of(const model::EncoderDecoderSpec&);
    static std::type_identity<VisionTransformerNetwork> of(const model::VisionTransformerSpec&);
    static std::type_identity<ResidualNetwork> of(const model::ResNetSpec&);
    static std::type_identity<ScriptNetwork> of(const model::ScriptSpec&);
};

template<typename Spec>
using NetworkOf = typename decltype(Classes::of(std::declval<Spec>()))::type;

} // namespace

std::vector<model::Parameter> networkParameters(const model::ModelSpec& spec)
{
    if (const auto* script = std::get_if<model::ScriptSpec>(&spec.architecture))
        return scriptParameters(script->file);
    return model::parameterTable(spec);
}

std::unique_ptr<Network> makeNetwork(const model::ModelSpec& spec, const FlatParameters& parameters,
                                     const NetworkOptions& options)
{
    return std::visit(
        [&]<typename Spec>(const Spec& architecture) -> std::unique_ptr<Network> {
            if constexpr (std::is_same_v<Spec, model::TransformersSpec>)
                throw std::invalid_argument("Networks of transformers are run by Python alone.");
            else
                return std::make_unique<NetworkOf<Spec>>(architecture, parameters, options);
        },
        spec.architecture);
}

std::vector<std::int64_t> networkBufferBytes(const model::ModelSpec& spec, const NetworkOptions& options)
{
    return std::visit(
        [&]<typename Spec>(const Spec& architecture) -> std::vector<std::int64_t> {
            if constexpr (std::is_same_v<Spec, model::TransformersSpec>)
                return {};
            else
                return NetworkOf<Spec>::bufferBytes(architecture, options);
        },
        spec.architecture);
}

} // namespace batchpeak::network
