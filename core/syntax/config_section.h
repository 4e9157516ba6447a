// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "settings.h"
#include "yaml_document.h"
#include "yaml_scalar.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace batchpeak::config {

/// Error for a value that exists, but that no reader can use because of its tag.
class UnreadableTag : public ConfigError
{
public:
    using ConfigError::ConfigError;
};

/// One entry of a mapping as it is written.
struct ConfigEntry
{
    const YamlNode* key = nullptr;
    /// The value as it is written, which may be an alias or an interpolation.
    const YamlNode* value = nullptr;
    /// The node that the value resolves to; the value itself if it is an interpolation that the text alone
    /// does not resolve.
    const YamlNode* target = nullptr;
    /// Whether the entry comes from another mapping through a merge key (<<).
    bool merged = false;
};

/// Returns another config that a config names; null if there is none. The result lives as long as the source.
using OtherFile = std::function<const YamlDocument*(const std::string& path, TextPosition named)>;

/// A mapping of a config that is read by key. It follows aliases and interpolations, applies merge keys, and
/// treats null as absent.
///
/// Errors name the value by its path ("train_input.batch_size") and say which values are allowed.
class ConfigSection : public Settings
{
public:
    /// \param path  path of the mapping for messages; empty for the root
    /// \param others  source of other files, which lives as long as the section; null if there is none
    ConfigSection(const YamlDocument& document, const YamlNode& mapping, std::string path,
                  Dialect dialect = Dialect::PyYaml, const OtherFile* others = nullptr);

    /// Returns the root of a document if it is a mapping, or nothing.
    static std::optional<ConfigSection> root(const YamlDocument& document, Dialect dialect = Dialect::PyYaml,
                                             const OtherFile* others = nullptr);

    const YamlDocument& document() const { return *m_document; }
    Dialect dialect() const { return m_dialect; }
    const YamlNode& mapping() const { return *m_mapping; }
    const std::string& path() const { return m_path; }
    /// Returns the path of a key: "train_input.batch_size".
    std::string pathOf(std::string_view key) const override;
    TextPosition positionOf(std::string_view key) const override;
    std::optional<SourceLocation> placeOf(std::string_view path) const override;
    /// Returns the place of a value, also of null.
    std::optional<SourceLocation> writtenPlaceOf(std::string_view path) const;

    /// Returns the entry, whether its value is null or not. An entry of this mapping takes precedence over
    /// one that is merged in.
    /// \throws UnreadableTag if PyYAML cannot read the value's tag
    /// \throws ConfigError if the key occurs twice in one mapping
    std::optional<ConfigEntry> find(std::string_view key) const;
    /// Returns the value of the key after following aliases and interpolations; nullptr if it is absent or
    /// null.
    const YamlNode* value(std::string_view key) const;
    bool has(std::string_view key) const override { return value(key) != nullptr; }
    bool isOn(std::string_view key) const override;
    /// Whether the key is written, and its value is null.
    bool isWrittenNull(std::string_view key) const { return find(key) && !has(key); }
    /// Whether there is a value, and it is a mapping. Formats are recognized by this, so it does not throw.
    bool hasSection(std::string_view key) const;
    /// Returns the keys of this mapping without merged ones, in the order of the text. A key that is a list
    /// or a mapping, which YAML allows, has no name and is left out; no trainer reads it.
    std::vector<std::string_view> keys() const;

    std::optional<std::int64_t> integer(std::string_view key) const override;
    std::optional<double> number(std::string_view key) const override;
    std::optional<bool> boolean(std::string_view key) const override;
    std::optional<std::string> text(std::string_view key) const override;
    /// Each of these returns nothing if the key is absent or null.
    /// \throws ConfigError if the value is of another kind
    std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
    std::optional<std::vector<std::string>> words(std::string_view key) const;
    std::optional<ConfigSection> section(std::string_view key) const;
    /// Returns the section, or the mapping in the file whose path is the value; nothing if there is neither.
    /// Positions in that file are that of its name here.
    std::optional<ConfigSection> sectionOrFile(std::string_view key) const;
    /// Returns the mappings of a list; empty if the key is absent or null.
    std::vector<ConfigSection> sections(std::string_view key) const;

    /// Returns the section, or one without keys if the value is anything else; does not throw for that.
    ConfigSection sectionIfAny(std::string_view key) const;
    /// Returns the section at a path of keys separated by dots, or one without keys if it is absent; this
    /// section itself if the path is empty.
    /// \throws ConfigError if a value on the path is not a mapping
    ConfigSection sectionAt(std::string_view path) const;

private:
    /// Returns the section that contains the value at the end of a path, and its key there, or nothing if it
    /// is not written.
    std::optional<std::pair<ConfigSection, std::string_view>> holderOf(std::string_view path) const;
    /// Returns the node that a value of \p container resolves to; the value itself if it is an interpolation
    /// that the text alone does not resolve.
    const YamlNode& targetOf(const YamlNode& value, const YamlNode& container) const;
    ConfigSection emptySection(std::string_view key) const;

    const YamlDocument* m_document;
    const YamlNode* m_mapping;
    std::string m_path;
    Dialect m_dialect;
    const OtherFile* m_others;
};

/// Describes a value for an error message: "its word", shortened if it is long; the text "8" if it is quoted;
/// a list.
std::string described(const YamlNode& node);

/// Rejects unknown keys. An unknown key is usually a misspelled one, whose value would be ignored silently.
///
/// \throws ConfigError that names the first other key of \p section and lists the known ones
void refuseOtherKeys(const ConfigSection& section, const std::vector<std::string>& known);

} // namespace batchpeak::config
