// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace batchpeak::model {

/// Conditions that networks of every kind have in common. Each gives the first that fails as a full
/// sentence, nothing if all hold.

struct NamedSize
{
    std::int64_t size = 0;
    /// As it stands after "the": "hidden size".
    const char* name = "";
    /// Beyond what any network has, so that a slip, or malice, does not fill memory with tables.
    std::int64_t most = std::int64_t{1} << 24;
};

/// Of a network; each has rows of its own in the parameter table.
constexpr std::int64_t mostLayers = 10'000;
/// Each may have a matrix of all pairs of tokens.
constexpr std::int64_t mostHeads = 1024;

/// All sizes are at least 1, and none is beyond all reason.
std::optional<std::string> problemWithSizes(std::initializer_list<NamedSize> sizes);

/// The heads share the hidden size evenly.
std::optional<std::string> problemWithHeads(std::int64_t hiddenSize, std::int64_t heads);

/// An even part of a head is rotated; 0 stands for the whole head.
std::optional<std::string> problemWithRotation(std::int64_t rotaryDimensions, std::int64_t headSize);

/// All are probabilities below 1.
std::optional<std::string> problemWithDropout(std::initializer_list<double> probabilities);

} // namespace batchpeak::model
