// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_plan.h"
#include "model/model_spec.h"
#include "model/run_kind.h"
#include "model/tuning.h"
#include "network_source.h"
#include "syntax/config_error.h"
#include "syntax/entry_change.h"
#include "syntax/source_locations.h"
#include "syntax/text_check.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace batchpeak::config {

/// A message about the config that the user should know and that does not stop the exploration.
struct Warning
{
    std::string sentence;
    TextPosition position;
    /// What a trial does differently from the run, if that affects speed or memory: a short noun phrase ("an
    /// optimizer that is not run here"). Empty for all other warnings.
    std::string approximation = {};
    bool operator==(const Warning&) const = default;
};

/// Why the network in a config cannot be run here, as a full sentence that names the network.
struct UnsupportedModel
{
    std::string sentence;
    TextPosition position;
    /// Whether another file may provide the network, because the config describes none, or names one that is
    /// not known here.
    bool isElsewhere = false;
    /// The reason as a short noun phrase, for a table of many configs: "preferences or rewards". See
    /// unmodeled_features.h.
    std::string reason = {};
    /// The network of a hub that is not on this computer, if that is why.
    std::optional<NetworkName> missing = {};
};

/// What a config, or the trainer that it is written for, requests of a training run besides the batch size.
/// Members are absent if neither says anything. An exploration ignores all of it.
struct TrainingSettings
{
    /// Whether the run starts at the per-device batch and takes a smaller size when memory runs out
    /// (Composer's device_train_microbatch_size: auto, transformers' auto_find_batch_size).
    bool halvesAutomatically = false;
    /// Whether the run first finds the largest size that fits (torchtune's RFC, PR 2199:
    /// use_maximum_batch_size).
    bool usesMaximumBatchSize = false;
    /// An expression, or a Python file as the config names it (torchtune's RFC, PR 2199:
    /// batch_increase_function); empty for none.
    std::string batchIncreaseFunction;
    /// Whether micro-batches are weighted by the targets that the loss counts, not by samples (Composer's
    /// accumulate_train_batch_on_tokens).
    std::optional<bool> weighsTokens;
    /// Whether gradients are accumulated. If not, the whole batch is run at once, or not at all (Cerebras'
    /// use_cs_grad_accum).
    std::optional<bool> accumulates;
    /// Learning rate, above 0. If it follows a schedule, this is the rate that the schedule scales, if that
    /// is one number.
    std::optional<double> learningRate;

    bool operator==(const TrainingSettings&) const = default;
};

/// How a run on a single device differs from the contents, if its devices could otherwise share the network.
struct SingleDeviceOverrides
{
    std::optional<bool> activationCheckpointing;
    /// Approximation of trials on one device, as in Warning; empty if trials measure the run exactly.
    std::string approximation;
    /// Approximation that holds on several devices but not on one, as in Warning; empty if there is none.
    std::string droppedApproximation;

    bool operator==(const SingleDeviceOverrides&) const = default;
};

/// A network as it was read, or why it cannot be run.
using Network = std::variant<model::ModelSpec, UnsupportedModel>;

/// Rules for batches of the trainer behind a format, as far as other code needs them.
struct TrainerRules
{
    /// Whether a batch need not be a multiple of the micro-batch size, because its samples are spread evenly.
    bool spreadsUnevenBatches = false;
    /// Whether a batch need not be a multiple of the micro-batch size, because the remaining samples run as
    /// one smaller micro-batch.
    bool runsRestOfBatch = false;
    /// Whether the batch of a network with batch normalization is not split into micro-batches, whatever a
    /// config says.
    bool refusesBatchNormalization = false;
    /// Whether the trainer refuses a run of training and evaluation if only one of the phases explores all
    /// sizes.
    bool exploresBothPhasesOrNone = false;

    /// Whether a size up to the batch can be written with that batch even if it does not divide the batch.
    bool takesUnevenSizes() const { return spreadsUnevenBatches || runsRestOfBatch; }
};

/// What was read from a config: everything that a run needs and that the user may want to check.
///
/// Even if the network is unknown, the batches of a config can be read and a size can be written into it;
/// only an exploration needs the network.
struct ConfigContents
{
    /// Name of the format for messages: "Cerebras params", "axolotl".
    std::string formatName;
    TrainerRules rules;
    Network model;
    /// What training changes of the network.
    model::Tuning tuning;
    /// Returns the tuning of another network that replaces the config's own, since a config names modules as
    /// that network calls them. It throws NotRun if trials cannot train the network so, and ConfigError if
    /// the names match nothing. Empty if the tuning does not depend on names.
    std::function<model::Tuning(const model::ModelSpec&, std::vector<Warning>&)> tuningFor;
    /// The plans of the phases. Both are absent if the file describes only a network.
    std::optional<BatchPlan> train;
    std::optional<BatchPlan> eval;
    /// The config's own maximum: trials run at the worst case. 0 if the config does not set it.
    std::int64_t sequenceLength = 0;
    /// Sequence length of the decoder, if it reads a sequence of its own.
    std::optional<std::int64_t> targetLength;
    model::Precision precision = model::Precision::Fp32;
    model::Optimizer optimizer = model::Optimizer::AdamW;
    model::StepOptions step;
    SingleDeviceOverrides alone;
    TrainingSettings training;
    SourceLocations places;
    std::vector<Warning> warnings;
    /// Path or id that the network was read from, if the config describes none or its own is not run; for
    /// messages. Empty for a network from the table of well-known networks.
    std::string modelSource;
    /// Text of PEFT's adapter_config.json, if the config names its network by an adapter, whose base is the
    /// network. Empty otherwise.
    std::string adapterOfModel;
    /// Type of the weights in their file ("bfloat16"), if the config.json of the network says it.
    std::string typeOfWeights;
    /// Whether the data decide how long samples are. If so, sequenceLength is the length that trials would
    /// take.
    bool lengthIsOpen = false;
    /// Whether the data decide step.packedTextLength, in the same way.
    bool textLengthIsOpen = false;
    /// What a person has replaced in the config, as short noun phrases: "another network".
    std::vector<std::string> replaced;
    /// Whether the trainer computes the network with its own modules instead of those of transformers.
    bool hasOwnModules = false;
    /// Why batchpeak-worker cannot run the network although the user's Python may: see
    /// ConfigDocument::readForPython().
    std::optional<UnsupportedModel> notRunHere;

    const std::optional<BatchPlan>& plan(model::Phase phase) const
    {
        return phase == model::Phase::Train ? train : eval;
    }

    const BatchPlaces& batchPlaces(model::Phase phase) const
    {
        return phase == model::Phase::Train ? places.train : places.eval;
    }

    bool isNetworkAlone() const { return !train && !eval; }
};

struct Format;
class ConfigText;

/// A config's text in its recognized format. It turns text into values, and text and a size into text. It
/// never accesses the disk.
class ConfigDocument
{
public:
    /// \param text  text that fits \p format, which lives as long as the program
    ConfigDocument(const Format& format, std::shared_ptr<const ConfigText> text)
        : m_format(format), m_text(std::move(text))
    {}

    /// The display name of the format: "Cerebras Trainer".
    std::string_view name() const;

    /// \throws ConfigError if a value is missing or illegal
    ConfigContents read() const;
    /// Reads the config for trials in the user's Python, which may run networks that batchpeak-worker cannot.
    /// \throws ConfigError as read() does
    ConfigContents readForPython() const;

    /// Returns the text with \p chosen in it. Scalars are replaced or entries inserted with the file's own
    /// indentation and line endings; every other byte stays. The result is parsed again before it is
    /// returned, and YAML by a second reader too.
    ///
    /// \throws BatchNotKept if the trainer cannot keep the batch of one optimizer step at that size, and no
    ///         other batch was chosen
    /// \throws ConfigError if there is no place for the size, the size is illegal in this config, or a
    ///         program that reads YAML differently from this one would find something else in the text
    SplicedText withMicroBatchSize(const ChosenSize& chosen) const;

private:
    const Format& m_format;
    std::shared_ptr<const ConfigText> m_text;
};

/// Recognizes the format by content, never by file name.
/// \param networks  looks up a network that the config only names
/// \throws ConfigError if the text is empty, too long, or fits no format; the message says which keys were
///         expected and which format is the closest
std::unique_ptr<const ConfigDocument> recognize(std::string text, NetworkSource networks = {});

/// Converts contents that were read for the user's Python into what batchpeak-worker runs.
ConfigContents asRunHere(ConfigContents contents);
/// Converts contents into what the user's Python runs: it compiles a network that the config compiles, and
/// warnings that apply to batchpeak-worker only are removed.
ConfigContents asPythonRuns(ConfigContents contents);

/// Returns \p contents with the network of another config in place of their own. What belongs to the run
/// stays: batches, lengths, precision. If the config does not set lengths, those of the other config are
/// used.
///
/// Both must have been read for the same program.
///
/// The function also makes runs that the config alone does not describe, such as full training of a network
/// of which the config trains an adapter; a warning says so.
///
/// \throws ConfigError if \p source holds no network that can be run
ConfigContents withModelOf(ConfigContents contents, const ConfigContents& source);

/// Writes any config as one of Batchpeak's own: network, batches and run, everything explicit.
///
/// Everything else that its trainer does is lost: the result is a config for measuring, not for training. A
/// network without a batch gets a batch of one sample and the setting "explore".
/// \throws ConfigError if the config holds no network that can be run
std::string toOwnYaml(const ConfigContents& contents);

/// Reads a setting in the syntax of the command line: explore, auto, null, none or an integer.
Setting settingFromText(std::string_view text);

} // namespace batchpeak::config
