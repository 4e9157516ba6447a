// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace batchpeak::config {

/// What a person is told of a format before there is a config of it; docs/configs.md tells the rest. A test
/// compares the two, and both with what is read and written.
struct FormatGuide
{
    /// "axolotl"
    std::string_view name;
    /// By which keys a text is taken for one.
    std::string_view mark;
    /// Where the network is described or named: keys of the config, or the option that brings it.
    std::string_view network;
    /// The entries that a size is written to, and those that are kept consistent with it, with blanks
    /// between; empty where there is no place for a size.
    std::string_view writes;
    /// A command line to begin with.
    std::string_view example;
};

/// Every format, in the order in which they are asked whether a text is theirs.
std::span<const FormatGuide> formatGuides();

} // namespace batchpeak::config
