// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_factory.h"

#include "decoder_network.h"

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

} // namespace

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
