// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace batchpeak::data {

/// Error for data that cannot be trained on: a full sentence that names the file and says what to do.
class DataError : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// Padding after the tokens of a row; nothing is predicted there.
inline constexpr std::int64_t noToken = -1;

/// Samples of tokens, accessed by number. A source always returns the same tokens for the same number,
/// independent of earlier calls.
class TokenSource
{
public:
    TokenSource() = default;
    TokenSource(const TokenSource&) = delete;
    TokenSource& operator=(const TokenSource&) = delete;
    virtual ~TokenSource() = default;

    virtual std::int64_t samples() const = 0;
    /// Returns TokenShape::length tokens; a shorter sample is padded with noToken.
    /// \throws DataError  if a file has a token outside of the vocabulary, or cannot be read any more
    virtual std::vector<std::int64_t> row(std::int64_t sample) const = 0;
};

struct TokenShape
{
    /// Number of tokens in a row.
    std::int64_t length = 0;
    /// Tokens are from 0 to below this.
    std::int64_t vocabularySize = 0;
};

/// Creates rows in which most tokens follow from the previous one by a rule that depends on the seed, so that
/// a network can learn them; the others are random. Only part of a large vocabulary is used.
/// \throws DataError  if \p samples is less than 1
std::unique_ptr<TokenSource> syntheticTokens(const TokenShape& shape, std::int64_t samples,
                                             std::uint64_t seed);

/// Splits the bytes of a file into successive rows; an incomplete last row is left out. The file is read row
/// by row, so it may be larger than the memory.
/// \throws DataError  if the network cannot take bytes as tokens, or the file has too few of them
std::unique_ptr<TokenSource> textTokens(const TokenShape& shape, const std::string& path);

/// Reads the .npy files of a folder in the order of their names. Each one-dimensional file is split like a
/// text; each row of a two-dimensional one is a sample, truncated or padded with noToken. The files are read
/// row by row too.
/// \throws DataError  if the network takes no tokens, a file is not an array of integers, or all of them
///         together hold no sample
std::unique_ptr<TokenSource> arrayTokens(const TokenShape& shape, const std::string& folder);

} // namespace batchpeak::data
