// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::model {

struct Parameter;

/// Conditions that networks of every kind have in common. Each gives the first that fails as a full
/// sentence, nothing if all hold.

struct NamedSize
{
    std::int64_t size = 0;
    /// As it stands after "the": "hidden size".
    const char* name = "";
    /// Beyond what any network has, so that a slip, or malice, does not fill memory with tables. Products of
    /// two have room in 64 bits, those of all sizes of a matrix are taken in doubles.
    std::int64_t max = std::int64_t{1} << 24;
    std::int64_t min = 1;
};

/// Of a network; each has rows of its own in the parameter table.
constexpr std::int64_t maxLayers = 10'000;
/// Each may have a matrix of all pairs of tokens.
constexpr std::int64_t maxHeads = 1024;

/// Pixels of a side of an image, and its channels: so few that the elements of an image can be counted.
constexpr std::int64_t maxPixels = std::int64_t{1} << 16;
constexpr std::int64_t maxChannels = std::int64_t{1} << 16;

/// A number of the arithmetic, not of a size.
struct NamedNumber
{
    double number = 0.0;
    /// As it stands after "the": "base of rotary positions".
    const char* name = "";
};

/// All sizes are at least 1, or what is the least of them, and none is beyond all reason.
std::optional<std::string> problemWithSizes(std::initializer_list<NamedSize> sizes);

/// All are finite and above 0.
std::optional<std::string> problemWithNumbers(std::initializer_list<NamedNumber> numbers);

/// The heads share the hidden size evenly.
std::optional<std::string> problemWithHeads(std::int64_t hiddenSize, std::int64_t heads);

/// An even part of a head is rotated; 0 stands for the whole head.
std::optional<std::string> problemWithRotation(std::int64_t rotaryDimensions, std::int64_t headSize);

/// All are probabilities below 1.
std::optional<std::string> problemWithDropout(std::initializer_list<double> probabilities);

/// There are at most 100 trillion: far beyond any network, and so few that no count of bytes overflows.
std::optional<std::string> problemWithParameters(const std::vector<Parameter>& table);

} // namespace batchpeak::model
