// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_data.h"

#include "data/sample_random.h"
#include "failure.h"

#include <string>

namespace batchpeak::network {

namespace {

std::unique_ptr<data::TokenSource> openTokens(const trial::DataChoice& choice, const Network& network,
                                              std::uint64_t seed)
{
    const data::TokenShape shape{.length = network.tokensPerRow(),
                                 .vocabularySize = network.vocabularySize()};
    if (shape.length == 0) {
        if (choice.kind == trial::DataKind::Synthetic)
            return nullptr;
        throw data::DataError("This network reads no tokens, so it cannot be trained on " + choice.path +
                              ". Train it on synthetic data.");
    }
    switch (choice.kind) {
    case trial::DataKind::Text:
        return data::textTokens(shape, choice.path);
    case trial::DataKind::Arrays:
        return data::arrayTokens(shape, choice.path);
    case trial::DataKind::Synthetic:
        break;
    }
    return data::syntheticTokens(shape, choice.samples, seed);
}

} // namespace

TrainingData::TrainingData(const trial::DataChoice& choice, const Network& network, std::uint64_t seed)
    : m_tokens(openTokens(choice, network, seed)),
      m_samples(m_tokens ? m_tokens->samples() : choice.samples),
      m_seed(seed),
      m_order(m_samples, seed)
{}

std::vector<SampleRow> TrainingData::rows(const trial::BatchRequest& batch) const
{
    if (batch.first < 0 || batch.samples < 1 || batch.first > m_samples - batch.samples) {
        throw UnsupportedStep("A batch of " + std::to_string(batch.samples) + " samples from place " +
                              std::to_string(batch.first) + " goes beyond the epoch, which has " +
                              std::to_string(m_samples) + " of them. Ask for fewer.");
    }
    std::vector<SampleRow> rows;
    rows.reserve(static_cast<std::size_t>(batch.samples));
    for (std::int64_t i = 0; i < batch.samples; ++i)
        rows.push_back(row(m_order.at(batch.epoch, batch.first + i)));
    return rows;
}

SampleRow TrainingData::row(std::int64_t sample) const
{
    // Seeds that follow each other must not share keys, so the seed is mixed before the number is added.
    const std::uint64_t mixedSeed = data::SampleRandom(m_seed).next();
    return {.key = data::SampleRandom(mixedSeed + static_cast<std::uint64_t>(sample)).next(),
            .tokens = m_tokens ? m_tokens->row(sample) : std::vector<std::int64_t>()};
}

} // namespace batchpeak::network
