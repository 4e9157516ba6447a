// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "config_text.h"

#include <array>
#include <string_view>

namespace batchpeak::config {

/// One format of config: what it is recognised by, how it is read, and what a size changes in its text. It is
/// defined in a file of its own, with the tables of its keys, and listed below.
struct Format
{
    /// What a person calls it: "Cerebras Trainer".
    std::string_view name;
    /// What makes a text one of this format, for a sentence: "trainer.init".
    std::string_view mark;
    /// Keys that its configs have, as paths from the root with blanks between: of two formats that a text is
    /// not, the one with more of them there is the nearer.
    std::string_view usualKeys;
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
extern const Format deepSpeedFormat;
extern const Format huggingFaceConfigFormat;
extern const Format huggingFaceTrainingFormat;
extern const Format llamaFactoryFormat;
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
                                    &huggingFaceTrainingFormat,
                                    &llamaFactoryFormat,
                                    &llmFoundryFormat,
                                    &megatronFormat,
                                    &nemoFormat,
                                    &torchtuneFormat};

} // namespace batchpeak::config
