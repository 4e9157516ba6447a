// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "network_source.h"
#include "syntax/config_section.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace batchpeak::config {

/// The text of a config before it is known what it is: YAML, JSON, or a script. It is parsed once.
class ConfigText
{
public:
    /// \throws ConfigError if it is no text: empty, too long, not UTF-8
    explicit ConfigText(std::string text, NetworkSource networks = {});

    /// A text that was parsed already.
    explicit ConfigText(std::shared_ptr<const YamlDocument> document, NetworkSource networks = {});

    const std::string& text() const { return m_text; }
    /// Where networks are looked up that the text only names.
    const NetworkSource& networks() const { return m_networks; }
    /// Nothing where the text is neither YAML nor JSON.
    const std::shared_ptr<const YamlDocument>& document() const { return m_document; }
    /// The document's mapping; nothing where there is no document, or it is none.
    std::optional<ConfigSection> root(Dialect dialect = Dialect::PyYaml) const;
    /// Why there is no document.
    const std::optional<ConfigError>& problem() const { return m_problem; }

private:
    std::string m_text;
    std::shared_ptr<const YamlDocument> m_document;
    std::optional<ConfigError> m_problem;
    NetworkSource m_networks;
};

/// One format of config: what it is recognized by, how it is read, and what a size changes in its text. It is
/// defined in a file of its own, with the tables of its keys, and listed below.
struct Format
{
    /// What a person calls it: "Cerebras Trainer".
    std::string_view name;
    /// What makes a text one of this format, for a sentence: "trainer.init".
    std::string_view mark;
    /// Keys without which a text is none, as paths with blanks between; "a|b" where one of them is enough.
    std::string_view neededKeys;
    /// Keys that its configs have, as paths from the root with blanks between: of two formats that a text is
    /// not, the one with more of them there is the nearer.
    std::string_view defaultKeys;
    TrainerRules rules;
    /// Nothing is thrown because of what a value is.
    bool (*fits)(const ConfigText& text) = nullptr;
    /// Of a text that fits. Name and rules of the format are not its to write.
    /// \throws ConfigError where a value is missing or illegal
    ConfigContents (*read)(const ConfigText& text) = nullptr;
    /// Of a text that fits.
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

/// In the order in which they are asked whether a text is theirs.
inline constexpr std::array formats{&ownFormat,
                                    &cerebrasTrainerFormat,
                                    &cerebrasParamsFormat,
                                    &axolotlFormat,
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
