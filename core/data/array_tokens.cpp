// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "npy_array.h"
#include "token_shape.h"
#include "token_source.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace batchpeak::data {

namespace {

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
    /// Elements from one sample to the next.
    std::int64_t widthOf(const NpyArray& array) const
    {
        return array.shape().size() == 1 ? m_shape.length : array.shape().back();
    }

    std::int64_t samplesOf(const NpyArray& array) const
    {
        if (array.shape().size() == 1)
            return array.elements() / m_shape.length;
        // Of one token there is nothing to be predicted from anything.
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
    /// Of each array, the first sample that lies behind it.
    std::vector<std::int64_t> m_ends;
    std::int64_t m_samples = 0;
};

} // namespace

std::unique_ptr<TokenSource> arrayTokens(const TokenShape& shape, const std::string& folder)
{
    throwWithoutTokens(shape);
    return std::make_unique<ArrayTokens>(shape, folder);
}

} // namespace batchpeak::data
