// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "encoder_samples.h"

#include "data/sample_random.h"
#include "host_integers.h"
#include "token_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace batchpeak::network {

namespace {

enum Part : std::size_t { Tokens, Targets, Types, Places, Follows };

// Each at most once, in random order: first those of tokens, then those of padding.
std::vector<std::int64_t> randomPlaces(std::int64_t tokens, std::int64_t length, std::int64_t count,
                                       data::SampleRandom& random)
{
    std::vector<std::int64_t> places(static_cast<std::size_t>(length));
    std::iota(places.begin(), places.end(), std::int64_t{0});
    for (std::int64_t i = 0; i < std::min(tokens, count); ++i) {
        const std::int64_t other = i + random.below(tokens - i);
        std::swap(places[static_cast<std::size_t>(i)], places[static_cast<std::size_t>(other)]);
    }
    places.resize(static_cast<std::size_t>(count));
    return places;
}

/// One sample's stretches of the micro-batch's integers.
struct Sample
{
    std::span<std::int64_t> tokens;
    std::span<std::int64_t> targets;
    std::span<std::int64_t> places;
    std::span<std::int64_t> follows;
};

void write(const SampleRow& row, const model::EncoderSpec& spec, const Sample& sample)
{
    const auto length = static_cast<std::int64_t>(sample.tokens.size());
    const std::int64_t predicted = predictedTokens(tokensIn(row), spec);
    data::SampleRandom random(row.key);
    const std::vector<std::int64_t> places =
        randomPlaces(tokensIn(row), length, predictedTokens(length, spec), random);
    writeInputs(row.tokens, sample.tokens);
    std::ranges::fill(sample.targets, ignoredTarget);
    for (std::size_t i = 0; i < static_cast<std::size_t>(predicted); ++i) {
        const auto place = static_cast<std::size_t>(places[i]);
        sample.targets[spec.predictedTokens > 0 ? i : place] = row.tokens[place];
        if (static_cast<std::int64_t>(i) < maskedTokens(predicted))
            sample.tokens[place] = spec.maskToken;
    }
    if (spec.predictedTokens > 0)
        std::ranges::copy(places, sample.places.begin());
    if (spec.nextSentenceHead)
        sample.follows.front() = random.below(2);
}

} // namespace

std::int64_t predictedTokens(std::int64_t length, const model::EncoderSpec& spec)
{
    if (spec.predictedTokens > 0)
        return std::min(spec.predictedTokens, length);
    const auto share = std::llround(predictedShare * static_cast<double>(length));
    return std::min(length, std::max<std::int64_t>(1, share));
}

std::int64_t predictedTokens(std::span<const SampleRow> rows, const model::EncoderSpec& spec)
{
    std::int64_t predicted = 0;
    for (const SampleRow& row : rows)
        predicted += predictedTokens(tokensIn(row), spec);
    return predicted;
}

std::int64_t maskedTokens(std::int64_t predicted)
{
    return static_cast<std::int64_t>(maskedShareOfPredicted * static_cast<double>(predicted));
}

Batch encoderSamples(std::span<const SampleRow> rows, const model::EncoderSpec& spec, std::int64_t length,
                     at::Device device)
{
    const auto samples = static_cast<std::int64_t>(rows.size());
    const bool choosesPlaces = spec.predictedTokens > 0;
    const std::int64_t places = choosesPlaces ? predictedTokens(length, spec) : 0;
    HostIntegers integers(device, samples,
                          {length, choosesPlaces ? places : length, spec.tokenTypes > 0 ? length : 0, places,
                           spec.nextSentenceHead ? 1 : 0});
    for (std::int64_t i = 0; i < samples; ++i) {
        write(rows[static_cast<std::size_t>(i)], spec,
              {.tokens = integers.row(Tokens, i),
               .targets = integers.row(Targets, i),
               .places = integers.row(Places, i),
               .follows = integers.row(Follows, i)});
    }
    const std::vector<at::Tensor> tensors = integers.onDevice();
    Batch batch{.inputs = {tensors[Tokens]},
                .targets = tensors[Targets],
                .countedTargets = predictedTokens(rows, spec)};
    if (spec.tokenTypes > 0)
        batch.inputs.push_back(tensors[Types]);
    if (choosesPlaces)
        batch.inputs.push_back(tensors[Places]);
    if (spec.nextSentenceHead)
        batch.inputs.push_back(tensors[Follows].flatten());
    return batch;
}

} // namespace batchpeak::network
