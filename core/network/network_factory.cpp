// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_factory.h"

#include "decoder_network.h"

#include <stdexcept>

namespace batchpeak::network {

namespace {

/// Which class runs an architecture: one line for each.
template<typename Spec>
struct NetworkOf
{};
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
            if constexpr (requires { typename NetworkOf<Spec>::Type; })
                return std::make_unique<typename NetworkOf<Spec>::Type>(architecture, parameters, options);
            else
                throw std::invalid_argument("This release cannot run " + spec.family + " networks.");
        },
        spec.architecture);
}

std::vector<std::int64_t> networkBufferBytes(const model::ModelSpec& spec, const NetworkOptions& options)
{
    return std::visit(
        [&]<typename Spec>(const Spec& architecture) -> std::vector<std::int64_t> {
            if constexpr (requires { typename NetworkOf<Spec>::Type; })
                return NetworkOf<Spec>::Type::bufferBytes(architecture, options);
            else
                return {};
        },
        spec.architecture);
}

} // namespace batchpeak::network
