// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "token_source.h"

#include "data_file.h"
#include "sample_random.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace batchpeak::data {

namespace {

/// \throws DataError  if rows have no tokens, as for a network of images, which cannot use files of tokens
void throwWithoutTokens(const TokenShape& shape)
{
    if (shape.length < 1) {
        throw DataError("The samples of this network are not made of tokens, so it cannot be trained on a "
                        "file of them. Choose synthetic data.");
    }
}

// Few enough that a network sees each of them within some tens of steps; enough that a mixture of experts
// still distributes them.
constexpr std::int64_t maxDifferentTokens = 1024;
// One of this many tokens is random.
constexpr std::int64_t randomEvery = 8;

class SyntheticTokens : public TokenSource
{
public:
    SyntheticTokens(const TokenShape& shape, std::int64_t samples, std::uint64_t seed)
        : m_length(shape.length),
          m_samples(samples),
          m_different(std::min(shape.vocabularySize, maxDifferentTokens)),
          // The tokens are spread over the vocabulary like those of a text.
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
    // Any function of the number would do. Since many numbers share a successor, some tokens are frequent,
    // which a network learns before it learns the function.
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

constexpr std::int64_t byteValues = 256;

class TextTokens : public TokenSource
{
public:
    TextTokens(const TokenShape& shape, const std::string& path)
        : m_file(path), m_length(shape.length), m_samples(m_file.bytes() / m_length)
    {
        if (m_samples == 0) {
            throw DataError("The text " + path + " has " + std::to_string(m_file.bytes()) +
                            " bytes, but one sample takes " + std::to_string(m_length) +
                            ". Take a longer text, or a shorter sequence length.");
        }
    }

    std::int64_t samples() const override { return m_samples; }

    std::vector<std::int64_t> row(std::int64_t sample) const override
    {
        std::vector<std::byte> bytes(static_cast<std::size_t>(m_length));
        m_file.read(sample * m_length, bytes);
        std::vector<std::int64_t> tokens(bytes.size());
        std::ranges::transform(bytes, tokens.begin(),
                               [](std::byte byte) { return std::to_integer<std::int64_t>(byte); });
        return tokens;
    }

private:
    DataFile m_file;
    std::int64_t m_length;
    std::int64_t m_samples;
};

std::vector<std::string> arrayFiles(const std::string& folder)
{
    std::error_code error;
    std::filesystem::directory_iterator entries(folder, error);
    if (error) {
        throw DataError("The folder " + folder + " cannot be read: " + error.message() +
                        ". Name a folder that holds .npy files.");
    }
    std::vector<std::string> files;
    for (const auto& entry : entries) {
        if (entry.path().extension() == ".npy")
            files.push_back(entry.path().string());
    }
    if (files.empty()) {
        throw DataError(
            "The folder " + folder +
            " holds no .npy file. Name the folder in which they lie themselves; folders in it are "
            "not looked into.");
    }
    std::ranges::sort(files);
    return files;
}

class ArrayTokens : public TokenSource
{
public:
    ArrayTokens(const TokenShape& shape, const std::string& folder) : m_shape(shape)
    {
        for (const std::string& file : arrayFiles(folder)) {
            m_arrays.emplace_back(file);
            m_samples += samplesOf(m_arrays.back());
            m_ends.push_back(m_samples);
        }
        if (m_samples == 0) {
            throw DataError("The .npy files of the folder " + folder + " hold no sample: one takes " +
                            std::to_string(m_shape.length) +
                            " tokens of one array. Take longer arrays, or a shorter sequence length.");
        }
    }

    std::int64_t samples() const override { return m_samples; }

    std::vector<std::int64_t> row(std::int64_t sample) const override
    {
        const auto end = std::ranges::upper_bound(m_ends, sample);
        const NpyArray& array = m_arrays[static_cast<std::size_t>(end - m_ends.begin())];
        const std::int64_t before = end == m_ends.begin() ? 0 : *std::prev(end);
        const std::int64_t width = widthOf(array);
        const std::int64_t first = (sample - before) * width;
        std::vector<std::int64_t> tokens = array.read(first, std::min(width, m_shape.length));
        throwOutsideVocabulary(array, first, tokens);
        tokens.resize(static_cast<std::size_t>(m_shape.length), noToken);
        return tokens;
    }

private:
    /// Returns the number of elements from one sample to the next.
    std::int64_t widthOf(const NpyArray& array) const
    {
        return array.shape().size() == 1 ? m_shape.length : array.shape().back();
    }

    std::int64_t samplesOf(const NpyArray& array) const
    {
        if (array.shape().size() == 1)
            return array.elements() / m_shape.length;
        // With a single token there is nothing to predict.
        if (array.shape().back() < 2) {
            throw DataError("The file " + array.path() +
                            " has rows of fewer than 2 tokens. Save an array with "
                            "a sample in each row, or one of one dimension.");
        }
        return array.shape().front();
    }

    void throwOutsideVocabulary(const NpyArray& array, std::int64_t first,
                                const std::vector<std::int64_t>& tokens) const
    {
        const auto outside = std::ranges::find_if(
            tokens, [this](std::int64_t token) { return token < 0 || token >= m_shape.vocabularySize; });
        if (outside == tokens.end())
            return;
        const std::int64_t index = first + (outside - tokens.begin());
        const bool hasRows = array.shape().size() == 2;
        const std::string place = hasRows ? '[' + std::to_string(index / array.shape().back()) + ", " +
                                                std::to_string(index % array.shape().back()) + ']'
                                          : '[' + std::to_string(index) + ']';
        throw DataError("The file " + array.path() + " holds " + std::to_string(*outside) + " at " + place +
                        ", but the tokens of this network are from 0 to " +
                        std::to_string(m_shape.vocabularySize - 1) +
                        ". Take data of this vocabulary, or the network that they were made for.");
    }

    TokenShape m_shape;
    std::vector<NpyArray> m_arrays;
    /// For each array, the number of the first sample after it.
    std::vector<std::int64_t> m_ends;
    std::int64_t m_samples = 0;
};

} // namespace

std::unique_ptr<TokenSource> syntheticTokens(const TokenShape& shape, std::int64_t samples,
                                             std::uint64_t seed)
{
    if (samples < 1)
        throw DataError("Synthetic data of no samples cannot be trained on. Ask for at least 1 sample.");
    return std::make_unique<SyntheticTokens>(shape, samples, seed);
}

std::unique_ptr<TokenSource> textTokens(const TokenShape& shape, const std::string& path)
{
    throwWithoutTokens(shape);
    if (shape.vocabularySize < byteValues) {
        throw DataError("The bytes of a text are " + std::to_string(byteValues) +
                        " tokens, but the vocabulary of this network has " +
                        std::to_string(shape.vocabularySize) +
                        ". Take a network with a larger vocabulary, or train on synthetic data or on arrays "
                        "of its own tokens.");
    }
    return std::make_unique<TextTokens>(shape, path);
}

std::unique_ptr<TokenSource> arrayTokens(const TokenShape& shape, const std::string& folder)
{
    throwWithoutTokens(shape);
    return std::make_unique<ArrayTokens>(shape, folder);
}

} // namespace batchpeak::data
