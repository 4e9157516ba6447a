// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "settings.h"
#include "yaml_document.h"
#include "yaml_scalar.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace batchpeak::config {

/// A value that is there, but of which its tag lets no reader make anything.
class UnreadableTag : public ConfigError
{
public:
    using ConfigError::ConfigError;
};

/// One entry of a mapping, as it stands in the text.
struct ConfigEntry
{
    const YamlNode* key = nullptr;
    /// As it is written: an alias, or the text of an interpolation.
    const YamlNode* value = nullptr;
    /// What that stands for; an interpolation that the text alone does not resolve stands for its own text.
    const YamlNode* target = nullptr;
    /// It comes from another mapping through a merge key (<<).
    bool merged = false;
};

/// A mapping of a config, read by key: aliases and interpolations followed, merge keys applied, null taken
/// for absent.
///
/// Errors name the value by its path ("train_input.batch_size") and say what may stand there.
class ConfigSection : public Settings
{
public:
    /// \param path  of the mapping, for people; empty for the root
    ConfigSection(const YamlDocument& document, const YamlNode& mapping, std::string path,
                  Dialect dialect = Dialect::PyYaml);

    /// The root of a document, if it is a mapping.
    static std::optional<ConfigSection> root(const YamlDocument& document, Dialect dialect = Dialect::PyYaml);

    const YamlDocument& document() const { return *m_document; }
    Dialect dialect() const { return m_dialect; }
    const YamlNode& mapping() const { return *m_mapping; }
    const std::string& path() const { return m_path; }
    /// "train_input.batch_size"
    std::string pathOf(std::string_view key) const override;
    TextPosition positionOf(std::string_view key) const override;
    std::optional<SourceLocation> placeOf(std::string_view path) const override;
    /// Also where it is null.
    std::optional<SourceLocation> writtenPlaceOf(std::string_view path) const;

    /// The entry, null or not. An entry of this mapping comes before one that is merged in.
    /// \throws UnreadableTag where PyYAML does not read the value's tag
    /// \throws ConfigError where the key stands twice in one mapping
    std::optional<ConfigEntry> find(std::string_view key) const;
    /// What stands under the key, aliases and interpolations followed; null where that is nothing or null.
    const YamlNode* value(std::string_view key) const;
    bool has(std::string_view key) const override { return value(key) != nullptr; }
    bool isOn(std::string_view key) const override;
    /// The key is written, and its value is null.
    bool isWrittenNull(std::string_view key) const { return find(key) && !has(key); }
    /// There is a value, and it is a mapping: what a format is recognized by, so nothing is thrown.
    bool hasSection(std::string_view key) const;
    /// Keys of this mapping alone, in the order of the text. One that is a list or a mapping, as YAML allows,
    /// has no name, and no trainer reads it.
    std::vector<std::string_view> keys() const;

    std::optional<std::int64_t> integer(std::string_view key) const override;
    std::optional<double> number(std::string_view key) const override;
    std::optional<bool> boolean(std::string_view key) const override;
    std::optional<std::string> text(std::string_view key) const override;
    /// These too: nothing where the key is absent or null.
    /// \throws ConfigError where the value is of another kind
    std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
    std::optional<std::vector<std::string>> words(std::string_view key) const;
    std::optional<ConfigSection> section(std::string_view key) const;
    /// The mappings of a list; none where the key is absent or null.
    std::vector<ConfigSection> sections(std::string_view key) const;

    /// The section, and one without keys where anything else stands there, which is not thrown for.
    ConfigSection sectionIfAny(std::string_view key) const;
    /// The section behind keys with dots between them, and one without keys where it is not there; the
    /// section itself where there are no keys.
    /// \throws ConfigError where a value on the way is no mapping
    ConfigSection sectionAt(std::string_view path) const;

private:
    /// The section that holds the value at the end of a path, and its key there; nothing where it is not
    /// written.
    std::optional<std::pair<ConfigSection, std::string_view>> holderOf(std::string_view path) const;
    /// What a value of \p container stands for; an interpolation that the text alone does not resolve stands
    /// for itself.
    const YamlNode& targetOf(const YamlNode& value, const YamlNode& container) const;
    ConfigSection emptySection(std::string_view key) const;

    const YamlDocument* m_document;
    const YamlNode* m_mapping;
    std::string m_path;
    Dialect m_dialect;
};

/// A value for an error message: "its word", cut where it is long; the text "8" where it is quoted; a list.
std::string described(const YamlNode& node);

/// A key that is not known is most often a misspelled one, whose value would be passed over in silence.
///
/// \throws ConfigError that names the first other key of \p section and lists the known ones
void refuseOtherKeys(const ConfigSection& section, const std::vector<std::string>& known);

} // namespace batchpeak::config
