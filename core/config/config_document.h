// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_plan.h"
#include "config_error.h"
#include "model_spec.h"
#include "run_kind.h"
#include "step_options.h"
#include "text_check.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace batchpeak::config {

/// Something that the user should know about the config and that does not stop the exploration.
struct Warning
{
    std::string sentence;
    TextPosition position;
    bool operator==(const Warning&) const = default;
};

/// Why the network in a config cannot be run here, as a full sentence that names the network.
struct UnsupportedModel
{
    std::string sentence;
    TextPosition position;
};

/// What was read from a config: everything that a run needs and that the user may want to check.
///
/// The batch arithmetic of a config can be read, and a size written into it, also where its network
/// is unknown; only exploring needs the network.
struct ConfigContents
{
    /// "Cerebras params", "Cerebras Trainer": what a person reads.
    std::string formatName;
    std::variant<model::ModelSpec, UnsupportedModel> model;
    /// At least one of the two is there.
    std::optional<BatchPlan> train;
    std::optional<BatchPlan> eval;
    /// The config's own maximum: trials run at the worst case.
    std::int64_t sequenceLength = 0;
    /// Of the decoder, where it reads a sequence of its own.
    std::optional<std::int64_t> targetLength;
    model::Precision precision = model::Precision::Fp32;
    model::Optimizer optimizer = model::Optimizer::AdamW;
    model::StepOptions step;
    std::vector<Warning> warnings;

    const std::optional<BatchPlan>& plan(model::Phase phase) const
    {
        return phase == model::Phase::Train ? train : eval;
    }
};

/// A config's new text, and what has to be said about it.
struct SplicedText
{
    std::string text;
    /// Sentences: every other place that changes with it through an alias, the key inserted, ...
    std::vector<std::string> notes;
};

/// One format of config: text in, values out; text and a size in, text out. It never touches the disk.
class ConfigFormat
{
public:
    virtual ~ConfigFormat() = default;

    /// What a person calls it: "Cerebras Trainer".
    virtual std::string_view name() const = 0;

    /// \throws ConfigError where a value is missing or illegal
    virtual ConfigContents read() const = 0;

    /// The text with \p microBatchSize as the micro-batch size of \p phase: one scalar replaced or one
    /// entry inserted in the file's own indent and line ends; every other byte stays.
    /// \throws ConfigError where there is no place for it, or the size is illegal in this config
    virtual SplicedText withMicroBatchSize(model::Phase phase, std::int64_t microBatchSize) const = 0;
};

/// Recognises by content, never by file name.
/// \throws ConfigError if the text is empty, too long, not YAML, or fits no format; it says what was
///         looked for
std::unique_ptr<ConfigFormat> recognise(std::string text);

/// Reads a setting as the command line gives it: explore, auto, null, none or an integer.
/// \throws ConfigError on anything else
Setting settingFromText(std::string_view text);

} // namespace batchpeak::config
