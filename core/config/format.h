// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "network_source.h"
#include "syntax/config_section.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// How a script starts the program that reads a config.
struct Launch
{
    /// The command with its options: "accelerate launch train.py --lr 1e-4". Empty for a config in a file.
    std::string words;
    /// Number of processes, each with a device of its own; nothing if only a run determines it.
    std::optional<std::int64_t> processes;
    std::optional<SourceLocation> place;
    /// Whether the script calculates with that number, so that the batch of a step is that of all devices.
    bool dividesBatch = false;
    std::vector<Warning> warnings = {};
    /// Why the size is none of the command's options, if one stands behind its end.
    std::optional<ConfigError> cutSize = {};
    /// ScriptArguments::open.
    std::vector<std::pair<TextPosition, ConfigError>> open = {};
};

/// The text of a config before its format is known: YAML, JSON, TOML, a script, or a part of one. It is
/// parsed once.
class ConfigText
{
public:
    /// \throws ConfigError if the text is invalid: empty, too long, not UTF-8
    explicit ConfigText(std::string text, NetworkSource networks = {});
    ConfigText(const ConfigText&) = delete;
    ConfigText& operator=(const ConfigText&) = delete;

    /// Takes a text that was parsed already.
    explicit ConfigText(std::shared_ptr<const YamlDocument> document, NetworkSource networks = {},
                        Launch launch = {});

    const std::string& text() const { return m_text; }
    /// Looks up networks that the text only names.
    const NetworkSource& networks() const { return m_networks; }
    const Launch& launch() const { return m_launch; }
    /// Whether the text stands in another one, or in a syntax that is neither YAML nor JSON.
    bool isPart() const { return m_document && m_document->origin(); }
    /// The parsed document; null if the text is neither YAML nor JSON.
    const std::shared_ptr<const YamlDocument>& document() const { return m_document; }
    /// The document's top-level mapping; nothing if there is no document, or it is no mapping.
    std::optional<ConfigSection> root(Dialect dialect = Dialect::PyYaml) const;
    /// The error that explains why there is no document.
    const std::optional<ConfigError>& problem() const { return m_problem; }

private:
    const YamlDocument* otherFile(const std::string& path, TextPosition named) const;

    std::string m_text;
    std::shared_ptr<const YamlDocument> m_document;
    std::optional<ConfigError> m_problem;
    NetworkSource m_networks;
    Launch m_launch;
    OtherFile m_others = [this](const std::string& path, TextPosition named) {
        return otherFile(path, named);
    };
    /// Files that were read already; null for those that are no config.
    mutable std::map<std::string, std::shared_ptr<const YamlDocument>> m_otherFiles;
};

/// Returns the configs that a text of no format of its own holds, in the order in which they are tried: one
/// in TOML, the options of a command, a config that a script writes, the part of a manifest that a launcher
/// hands on. \throws ConfigError if a script has options that contradict each other
std::vector<std::shared_ptr<const ConfigText>> partsOf(const ConfigText& text);

/// Returns why a text of no known format is not read: what it is, or which format is the closest.
ConfigError unreadable(const ConfigText& text);

/// One format of config: how it is recognized, how it is read, and how a size changes its text. Each format
/// is defined in a file of its own, with the tables of its keys, and listed below.
struct Format
{
    /// Display name: "Cerebras Trainer".
    std::string_view name;
    /// What identifies a text of this format, for a sentence: "trainer.init".
    std::string_view mark;
    /// Keys that a text of this format must have, as paths separated by blanks; "a|b" if one of them is
    /// enough.
    std::string_view neededKeys;
    /// Keys that configs of this format have, as paths from the root separated by blanks. If a text fits no
    /// format, the format with the most of these keys present is the closest.
    std::string_view defaultKeys;
    TrainerRules rules;
    /// Returns whether a text is of this format. It does not throw because of a value.
    bool (*fits)(const ConfigText& text) = nullptr;
    /// Reads a text that fits. It does not set the name and the rules of the format.
    /// \throws ConfigError if a value is missing or illegal
    ConfigContents (*read)(const ConfigText& text) = nullptr;
    /// Writes a size into a text that fits.
    /// \throws ConfigError, BatchNotKept as ConfigDocument::withMicroBatchSize() does
    SplicedText (*splice)(const ConfigText& text, const ChosenSize& chosen) = nullptr;
};

extern const Format ownFormat;
extern const Format cerebrasTrainerFormat;
extern const Format cerebrasParamsFormat;
extern const Format axolotlFormat;
extern const Format checkpointParamsFormat;
extern const Format deepSpeedFormat;
extern const Format huggingFaceConfigFormat;
extern const Format huggingFaceTrainingFormat;
extern const Format llamaFactoryFormat;
extern const Format llamaFactoryV1Format;
extern const Format llmFoundryFormat;
extern const Format megatronFormat;
extern const Format nemoFormat;
extern const Format torchtuneFormat;
extern const Format torchtitanFormat;
extern const Format nanotronFormat;
extern const Format litgptFormat;
extern const Format gptNeoxFormat;
extern const Format olmoFormat;
extern const Format verlSftFormat;
extern const Format verlEngineFormat;
extern const Format openRlhfSftFormat;
extern const Format swiftFormat;
extern const Format swiftMegatronFormat;
extern const Format llamaBoardFormat;
extern const Format accelerateFormat;

/// All formats, in the order in which they are tried on a text.
inline constexpr std::array formats{&ownFormat,
                                    &cerebrasTrainerFormat,
                                    &cerebrasParamsFormat,
                                    &axolotlFormat,
                                    &gptNeoxFormat,
                                    &swiftMegatronFormat,
                                    &swiftFormat,
                                    &openRlhfSftFormat,
                                    &verlSftFormat,
                                    &verlEngineFormat,
                                    &torchtitanFormat,
                                    &nanotronFormat,
                                    &litgptFormat,
                                    &olmoFormat,
                                    &llamaBoardFormat,
                                    &accelerateFormat,
                                    &deepSpeedFormat,
                                    &huggingFaceConfigFormat,
                                    &checkpointParamsFormat,
                                    &llamaFactoryV1Format,
                                    &huggingFaceTrainingFormat,
                                    &llamaFactoryFormat,
                                    &llmFoundryFormat,
                                    &megatronFormat,
                                    &nemoFormat,
                                    &torchtuneFormat};

} // namespace batchpeak::config
