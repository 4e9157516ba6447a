// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_section.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// A config's new text, with notes for the user.
struct SplicedText
{
    std::string text;
    /// Notes as sentences: every other place that changes with it through an alias, the inserted key, ...
    std::vector<std::string> notes;
    /// The text as it was parsed for its check, so that a text of megabytes is not parsed twice; null if it
    /// is not YAML.
    std::shared_ptr<const YamlDocument> document;
};

/// Returns a parsed text with its notes.
SplicedText splicedText(std::shared_ptr<const YamlDocument> document, std::vector<std::string> notes);

/// A change of one entry of a config: its value is replaced if the entry exists, otherwise the entry is
/// inserted.
struct EntryChange
{
    /// Keys from the root to the mapping with the entry; empty for the root itself.
    std::vector<std::string> section;
    std::string key;
    /// New value as it is written in the text: 4, false.
    std::string value;
    /// Key below whose line an absent entry is inserted, if possible.
    std::string below;
};

/// Sets \p key of a section to \p value: replaces the existing value, or inserts a new line below that of
/// \p below. A value that is merged in from another mapping is not changed there, but overridden here; an
/// interpolation is itself replaced, not the value that it refers to.
///
/// \throws ConfigError if the text cannot be changed without changing other values
SplicedText spliceEntry(const ConfigSection& section, std::string_view key, const std::string& value,
                        std::string_view below);

/// Applies all changes in this order. Entries that already have the new value keep their text.
///
/// \throws ConfigError if a section does not exist, or the text cannot be changed without changing other
/// values
SplicedText withEntries(const YamlDocument& document, Dialect dialect,
                        const std::vector<EntryChange>& changes);

} // namespace batchpeak::config
