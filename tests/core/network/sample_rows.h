// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/token_source.h"
#include "network/networks/network_factory.h"
#include "network/optimizers/flat_parameters.h"
#include "tiny_networks.h"
#include "tiny_scripts.h"

#include <QString>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace batchpeak::network {

/// Returns every network of tinyNetworks(), two more decoders, and TorchScript modules that return logits and
/// a loss.
///
/// \param folder  receives the files of the modules
inline std::vector<NamedNetwork> everyTinyNetwork(const QTemporaryDir& folder)
{
    std::vector<NamedNetwork> networks = tinyNetworks();
    model::DecoderSpec gpt2 = tinyGpt();
    gpt2.activation = model::Activation::GeluTanh;
    networks.push_back({.name = "GPT-2", .architecture = gpt2});
    model::DecoderSpec untied = tinyGpt();
    untied.tiedEmbeddings = false;
    networks.push_back({.name = "GPT, learned positions, untied", .architecture = untied});
    constexpr std::int64_t classes = 5;
    const std::string logits = folder.filePath(QStringLiteral("logits.pt")).toStdString();
    const std::string loss = folder.filePath(QStringLiteral("loss.pt")).toStdString();
    saveScript(logits, logitsForward, classes);
    saveScript(loss, lossForward, classes);
    networks.push_back({.name = "TorchScript, logits", .architecture = scriptSpec(logits, classes)});
    networks.push_back({.name = "TorchScript, loss", .architecture = scriptSpec(loss)});
    return networks;
}

/// A tiny network that trains, with weights large enough that its loss depends on all of them.
struct TinyTraining
{
    explicit TinyTraining(const model::Architecture& architecture)
        : spec{.architecture = architecture},
          table(networkParameters(spec)),
          parameters((at::manual_seed(7), table), model::Phase::Train, at::kCPU),
          network(makeNetwork(spec, parameters, {.sequenceLength = 16, .targetLength = 9, .trains = true}))
    {
        for (const auto& segment : parameters.segments())
            at::Tensor(segment.values).normal_(0.0, 0.1);
    }

    model::ModelSpec spec;
    std::vector<model::Parameter> table;
    FlatParameters parameters;
    std::unique_ptr<Network> network;
};

/// Returns samples of random tokens with the sequence length of the network, or, if \p padded, each with a
/// different length.
inline std::vector<SampleRow> sampleRows(const Network& network, std::int64_t samples, bool padded = false)
{
    const std::int64_t length = network.tokensPerRow();
    std::vector<SampleRow> rows;
    for (std::int64_t i = 0; i < samples; ++i) {
        SampleRow row{.key = static_cast<std::uint64_t>(1000 + i)};
        for (std::int64_t place = 0; place < length; ++place)
            row.tokens.push_back((i * 31 + place * (7 + i)) % network.vocabularySize());
        if (padded && length > 0)
            std::fill(row.tokens.begin() + 2 + 5 * i % (length - 2), row.tokens.end(), data::noToken);
        rows.push_back(row);
    }
    return rows;
}

} // namespace batchpeak::network
