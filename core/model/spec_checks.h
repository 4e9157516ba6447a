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

/// Conditions that all kinds of networks have in common. Each function returns the first condition that fails
/// as a full sentence, or nothing if all hold.

struct NamedSize
{
    std::int64_t size = 0;
    /// Name as it follows "the": "hidden size".
    const char* name = "";
    /// Upper limit beyond any real network, so that a typo or a malicious config does not fill memory with
    /// tables. Products of two sizes fit into 64 bits; those of all sizes of a matrix are computed in
    /// doubles.
    std::int64_t max = std::int64_t{1} << 24;
    std::int64_t min = 1;
};

/// Largest number of layers in a network; each has rows of its own in the parameter table.
constexpr std::int64_t maxLayers = 10'000;
/// Largest number of heads; each may have a matrix of all pairs of tokens.
constexpr std::int64_t maxHeads = 1024;

/// Upper limits of the side of an image [pixels] and of its channels, so low that the element count of an
/// image does not overflow.
constexpr std::int64_t maxPixels = std::int64_t{1} << 16;
constexpr std::int64_t maxChannels = std::int64_t{1} << 16;

/// A number in the arithmetic that is not a size.
struct NamedNumber
{
    double number = 0.0;
    /// Name as it follows "the": "base of rotary positions".
    const char* name = "";
};

/// Checks that each size is at least its min, 1 by default, and at most its max.
std::optional<std::string> problemWithSizes(std::initializer_list<NamedSize> sizes);

/// Checks that all numbers are finite and above 0.
std::optional<std::string> problemWithNumbers(std::initializer_list<NamedNumber> numbers);

/// Checks that the hidden size is a multiple of the number of heads.
std::optional<std::string> problemWithHeads(std::int64_t hiddenSize, std::int64_t heads);

/// Checks that an even number of a head's elements is rotated; 0 stands for the whole head.
std::optional<std::string> problemWithRotation(std::int64_t rotaryDimensions, std::int64_t headSize);

/// Checks that all are probabilities below 1.
std::optional<std::string> problemWithDropout(std::initializer_list<double> probabilities);

/// Checks that there are at most 100 trillion elements: far beyond any network, and so few that no count of
/// bytes overflows.
std::optional<std::string> problemWithParameters(const std::vector<Parameter>& table);

} // namespace batchpeak::model
