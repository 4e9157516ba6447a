// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace batchpeak::config {

/// Summary of a format for users who have no config of it yet; docs/configs.md has the details. A test
/// compares the two, and both with what the code reads and writes.
struct FormatGuide
{
    /// Name of the format: "axolotl".
    std::string_view name;
    /// The keys that identify a text of the format.
    std::string_view mark;
    /// Where the network is described or named: keys of the config, or the option that provides it.
    std::string_view network;
    /// The entries that a size is written to, and those that are kept consistent with it, separated by
    /// blanks; empty if the format has no place for a size.
    std::string_view writes;
    /// A command line to start with.
    std::string_view example;
};

/// Returns the guides of all formats, in the order in which the formats are tried on a text.
std::span<const FormatGuide> formatGuides();

} // namespace batchpeak::config
