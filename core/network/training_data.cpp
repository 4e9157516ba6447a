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

data::SampleSplit splitOf(const trial::HeldOut& asked, std::int64_t samples, std::uint64_t seed)
{
    const std::int64_t heldOut = asked.of(samples);
    if (heldOut >= samples) {
        throw data::DataError("The data has " + std::to_string(samples) + " samples, and " +
                              std::to_string(heldOut) +
                              " are to be held out for evaluation, which leaves none to train on. Hold out "
                              "fewer with --eval-split.");
    }
    return {samples, heldOut, seed};
}

} // namespace

TrainingData::TrainingData(const trial::DataChoice& choice, const Network& network, std::uint64_t seed)
    : m_tokens(openTokens(choice, network, seed)),
      m_seed(seed),
      m_split(splitOf(choice.heldOut, m_tokens ? m_tokens->samples() : choice.samples, seed)),
      m_order(m_split.trainingSamples(), seed)
{}

std::vector<SampleRow> TrainingData::rows(const trial::BatchRequest& batch) const
{
    const bool isHeldOut = batch.phase == model::Phase::Eval && heldOutSamples() > 0;
    const std::int64_t all = isHeldOut ? heldOutSamples() : samples();
    if (batch.first < 0 || batch.samples < 1 || batch.first > all - batch.samples) {
        throw UnsupportedStep("A batch of " + std::to_string(batch.samples) + " samples from place " +
                              std::to_string(batch.first) + " goes beyond " +
                              (isHeldOut ? "what is held out" : "the epoch") + ", which has " +
                              std::to_string(all) + " of them. Ask for fewer.");
    }
    std::vector<SampleRow> rows;
    rows.reserve(static_cast<std::size_t>(batch.samples));
    for (std::int64_t place = batch.first; place < batch.first + batch.samples; ++place)
        rows.push_back(
            row(isHeldOut ? m_split.heldOut(place) : m_split.training(m_order.at(batch.epoch, place))));
    return rows;
}

SampleRow TrainingData::row(std::int64_t sample) const
{
    // Consecutive seeds must not share keys, so the seed is mixed before the number is added.
    const std::uint64_t mixedSeed = data::SampleRandom(m_seed).next();
    return {.key = data::SampleRandom(mixedSeed + static_cast<std::uint64_t>(sample)).next(),
            .tokens = m_tokens ? m_tokens->row(sample) : std::vector<std::int64_t>()};
}

} // namespace batchpeak::network
