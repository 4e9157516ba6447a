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

namespace batchpeak::network {

namespace {

/// Which class runs an architecture: one line for each.
template<typename Spec>
struct NetworkOf;
template<>
struct NetworkOf<model::DecoderSpec>
{
    using Type = DecoderNetwork;
};
template<>
struct NetworkOf<model::VisionTransformerSpec>
{
    using Type = VisionTransformerNetwork;
};
template<>
struct NetworkOf<model::ResNetSpec>
{
    using Type = ResidualNetwork;
};
template<>
struct NetworkOf<model::ScriptSpec>
{
    using Type = ScriptNetwork;
};
template<>
struct NetworkOf<model::EncoderSpec>
{
    using Type = EncoderNetwork;
};
template<>
struct NetworkOf<model::EncoderDecoderSpec>
{
    using Type = EncoderDecoderNetwork;
};

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
            return std::make_unique<typename NetworkOf<Spec>::Type>(architecture, parameters, options);
        },
        spec.architecture);
}

std::vector<std::int64_t> networkBufferBytes(const model::ModelSpec& spec, const NetworkOptions& options)
{
    return std::visit(
        [&]<typename Spec>(const Spec& architecture) {
            return NetworkOf<Spec>::Type::bufferBytes(architecture, options);
        },
        spec.architecture);
}

} // namespace batchpeak::network
