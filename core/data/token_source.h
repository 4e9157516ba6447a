// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace batchpeak::data {

/// Data that cannot be trained on, as a full sentence that names the file and says what to do.
class DataError : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// A row's places without a token, behind its own: nothing is predicted there.
inline constexpr std::int64_t noToken = -1;

/// Samples of tokens, by number. The same source gives the same tokens for the same number, whatever was
/// asked before.
class TokenSource
{
public:
    TokenSource() = default;
    TokenSource(const TokenSource&) = delete;
    TokenSource& operator=(const TokenSource&) = delete;
    virtual ~TokenSource() = default;

    virtual std::int64_t samples() const = 0;
    /// As many tokens as the source was opened with, noToken behind a shorter sample.
    /// \throws DataError  where a file holds a token that is not in the vocabulary, or can be read no more
    virtual std::vector<std::int64_t> row(std::int64_t sample) const = 0;
};

struct TokenShape
{
    /// In a row.
    std::int64_t length = 0;
    /// Tokens are from 0 to below this.
    std::int64_t vocabularySize = 0;
};

/// Rows in which most tokens follow from the one before by a rule that depends on the seed, so that a
/// network can learn them; the rest are random. Of a large vocabulary it takes a part.
/// \throws DataError  where there is not one sample
std::unique_ptr<TokenSource> syntheticTokens(const TokenShape& shape, std::int64_t samples,
                                             std::uint64_t seed);

/// The bytes of a file, cut into rows one behind the other; the rest at the end is left out. The file is read
/// row by row, so it may be larger than the memory.
/// \throws DataError  where the network takes no bytes, or the file has not enough of them
std::unique_ptr<TokenSource> textTokens(const TokenShape& shape, const std::string& path);

/// The .npy files of a folder in the order of their names: one-dimensional ones are cut like a text, each on
/// its own; each row of a two-dimensional one is a sample, cut or filled with noToken. They are read row by
/// row too.
/// \throws DataError  where the network takes no tokens, a file is no array of integers, or all of them
///         together hold no sample
std::unique_ptr<TokenSource> arrayTokens(const TokenShape& shape, const std::string& folder);

} // namespace batchpeak::data
