// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_random.h"
#include "token_source.h"

#include <algorithm>

namespace batchpeak::data {

namespace {

// Few enough that a network meets each of them in some tens of steps; enough that a mixture of experts still
// shares them out.
constexpr std::int64_t mostDifferentTokens = 1024;
// One token in so many is random.
constexpr std::int64_t randomEvery = 8;

class SyntheticTokens : public TokenSource
{
public:
    SyntheticTokens(const TokenShape& shape, std::int64_t samples, std::uint64_t seed)
        : m_length(shape.length),
          m_samples(samples),
          m_different(std::min(shape.vocabularySize, mostDifferentTokens)),
          // Spread over the vocabulary, as the tokens of a text are.
          m_distance(shape.vocabularySize / m_different)
    {
        SampleRandom random(seed);
        m_rule = random.next();
        m_rows = random.next();
    }

    std::int64_t samples() const override { return m_samples; }

    std::vector<std::int64_t> row(std::int64_t sample) const override
    {
        SampleRandom random(m_rows + static_cast<std::uint64_t>(sample));
        std::vector<std::int64_t> tokens;
        std::int64_t number = random.below(m_different);
        for (std::int64_t i = 0; i < m_length; ++i) {
            tokens.push_back(number * m_distance);
            number = random.below(randomEvery) == 0 ? random.below(m_different) : successorOf(number);
        }
        return tokens;
    }

private:
    // Any function of the number. As many share a successor, some tokens are frequent, which a network learns
    // before it learns the function.
    std::int64_t successorOf(std::int64_t number) const
    {
        return SampleRandom(m_rule + static_cast<std::uint64_t>(number)).below(m_different);
    }

    std::int64_t m_length;
    std::int64_t m_samples;
    std::int64_t m_different;
    std::int64_t m_distance;
    std::uint64_t m_rule = 0;
    std::uint64_t m_rows = 0;
};

} // namespace

std::unique_ptr<TokenSource> syntheticTokens(const TokenShape& shape, std::int64_t samples,
                                             std::uint64_t seed)
{
    if (samples < 1)
        throw DataError("Synthetic data of no samples cannot be trained on. Ask for at least 1 sample.");
    return std::make_unique<SyntheticTokens>(shape, samples, seed);
}

} // namespace batchpeak::data
