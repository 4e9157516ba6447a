// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu_requests.h"

#include "support/rows.h"
#include "tiny_networks.h"

#include <cstdlib>
#include <variant>

namespace batchpeak::test {

namespace {

constexpr std::int64_t positions = 256;

model::Architecture widened(model::DecoderSpec spec)
{
    if (isSimulated())
        return spec;
    spec.vocabularySize = 8192;
    spec.hiddenSize = 512;
    spec.keyValueHeads = spec.keyValueHeads < spec.heads ? 2 : 8;
    spec.heads = 8;
    spec.feedForwardSize = 1536;
    spec.layers = 4;
    spec.maxPositions = positions;
    return spec;
}

// The other networks stay tiny, because their sizes depend on each other.
template<typename Spec>
model::Architecture widened(const Spec& spec)
{
    return spec;
}

std::string nameOf(const char* network, const trial::LoadRequest& load)
{
    return network + std::string(", ") + std::string(model::toText(load.phase)) + ", " +
           std::string(model::toText(load.precision));
}

} // namespace

void addRows(const std::vector<NamedRequest>& requests)
{
    const auto add = rows<trial::LoadRequest>();
    for (const NamedRequest& request : requests)
        add(request.name, request.load);
}

bool isSimulated()
{
    return std::getenv("BATCHPEAK_SIMULATED_GPU") != nullptr;
}

std::int64_t largeSize()
{
    return isSimulated() ? 1 << 16 : 1 << 10;
}

trial::LoadRequest gpuRequest(const model::Architecture& architecture, model::Phase phase,
                              model::Precision precision)
{
    trial::LoadRequest load = network::tinyRequest(
        std::visit([](const auto& spec) { return widened(spec); }, architecture), phase, precision);
    if (std::holds_alternative<model::DecoderSpec>(architecture) && !isSimulated())
        load.sequenceLength = positions;
    return load;
}

std::vector<NamedRequest> everyTraining(model::Precision precision)
{
    std::vector<NamedRequest> requests;
    for (const network::NamedNetwork& network : network::tinyNetworks()) {
        const auto load = gpuRequest(network.architecture, model::Phase::Train, precision);
        requests.push_back({.name = nameOf(network.name, load), .load = load});
    }
    return requests;
}

std::vector<NamedRequest> everyGpuRequest()
{
    std::vector<NamedRequest> requests;
    for (const network::NamedNetwork& network : network::tinyNetworks()) {
        for (const auto precision : {model::Precision::Fp32, model::Precision::Tf32, model::Precision::Bf16,
                                     model::Precision::PureBf16}) {
            for (const auto phase : {model::Phase::Train, model::Phase::Eval}) {
                const auto load = gpuRequest(network.architecture, phase, precision);
                requests.push_back({.name = nameOf(network.name, load), .load = load});
            }
            auto careful = gpuRequest(network.architecture, model::Phase::Train, precision);
            careful.step = {.activationCheckpointing = true, .lossChunkRows = 128, .maxGradientNorm = 1.0};
            requests.push_back(
                {.name = nameOf(network.name, careful) + ", checkpoints and chunks", .load = careful});
        }
    }
    return requests;
}

} // namespace batchpeak::test
