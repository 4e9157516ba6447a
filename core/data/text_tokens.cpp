// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "data_file.h"
#include "token_shape.h"
#include "token_source.h"

#include <algorithm>
#include <cstddef>

namespace batchpeak::data {

namespace {

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

} // namespace

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

} // namespace batchpeak::data
