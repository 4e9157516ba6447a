// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_section.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// A config's new text, and what has to be said about it.
struct SplicedText
{
    std::string text;
    /// Sentences: every other place that changes with it through an alias, the key inserted, ...
    std::vector<std::string> notes;
    /// The text as it was parsed to be checked; nothing where it is no YAML. A text of megabytes is not
    /// parsed twice.
    std::shared_ptr<const YamlDocument> document;
};

/// A parsed text with what has to be said about it.
SplicedText splicedText(std::shared_ptr<const YamlDocument> document, std::vector<std::string> notes);

/// One entry of a config as it is to be: set where it stands, or inserted where it does not.
struct EntryChange
{
    /// Keys that lead from the root to the mapping with the entry; none for the root itself.
    std::vector<std::string> section;
    std::string key;
    /// As it is to stand in the text: 4, false.
    std::string value;
    /// Key below whose line an absent entry is inserted, where that is possible.
    std::string below;
};

/// The text with \p value under \p key of a section: in the place of what stands there, or in a new line
/// below that of \p below. A value that is merged in from another mapping is not changed there but overridden
/// here; one that stands for another by an interpolation is replaced itself.
///
/// \throws ConfigError where the text cannot be changed without touching other values
SplicedText spliceEntry(const ConfigSection& section, std::string_view key, const std::string& value,
                        std::string_view below);

/// The text with every entry as it is to be, in this order; those that are so already stay as they are
/// written.
///
/// \throws ConfigError where a section is not there, or the text cannot be changed without touching other
/// values
SplicedText withEntries(const YamlDocument& document, Dialect dialect,
                        const std::vector<EntryChange>& changes);

} // namespace batchpeak::config
