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

/// Something that the user should know about the config and that does not stop the exploration.
struct Warning
{
    std::string sentence;
    TextPosition position;
    /// Where a trial does otherwise than the run in what decides its speed or memory: what that is, as a
    /// short noun phrase ("an optimizer that is not run here"). Empty of all else.
    std::string approximation = {};
    bool operator==(const Warning&) const = default;
};

/// Why the network in a config cannot be run here, as a full sentence that names the network.
struct UnsupportedModel
{
    std::string sentence;
    TextPosition position;
    /// The config holds no network, or names one that is not known here: another file may bring it.
    bool isElsewhere = false;
    /// The same for a table of many configs, as a short noun phrase: "preferences or rewards". See
    /// refusal_reasons.h.
    std::string reason = {};
};

/// What a config, or the trainer that it is written for, asks of a training run beside its size; absent where
/// neither says anything. It plays no part in an exploration.
struct TrainingSettings
{
    /// Start at the per-device batch and take less when memory runs out (Composer's
    /// device_train_microbatch_size: auto, transformers' auto_find_batch_size).
    bool halvesAutomatically = false;
    /// Find the largest size that fits first (torchtune's RFC, PR 2199: use_maximum_batch_size).
    bool usesMaximumBatchSize = false;
    /// An expression, or a Python file as the config names it (torchtune's RFC, PR 2199:
    /// batch_increase_function); empty for none.
    std::string batchIncreaseFunction;
    /// Micro-batches weigh by targets that the loss counts, not by samples (Composer's
    /// accumulate_train_batch_on_tokens).
    std::optional<bool> weighsTokens;
    /// Off: the whole batch at once, or not at all (Cerebras' use_cs_grad_accum).
    std::optional<bool> accumulates;
    /// Above 0. Where the rate follows a schedule it is what the schedule scales, if that is one number.
    std::optional<double> learningRate;

    bool operator==(const TrainingSettings&) const = default;
};

/// What is otherwise than the contents say where the devices of a run could share its network, and there is
/// one alone.
struct SingleDeviceOverrides
{
    std::optional<bool> activationCheckpointing;
    /// Of trials on one device, as Warning has it; empty where the run is what they measure.
    std::string approximation;
    /// Of trials on several that is none on one, as Warning has it; empty where there is no such.
    std::string droppedApproximation;

    bool operator==(const SingleDeviceOverrides&) const = default;
};

/// What is read of a network.
using Network = std::variant<model::ModelSpec, UnsupportedModel>;

/// What the trainer behind a format demands of batches, as far as others have to know it.
struct TrainerRules
{
    /// A batch need be no multiple of the micro-batch size: its samples are spread evenly.
    bool spreadsUnevenBatches = false;
    /// It need be none here either: what is left over runs as one smaller micro-batch.
    bool runsRestOfBatch = false;
    /// The batch of a network with batch normalization is not cut into micro-batches, whatever a config says.
    bool refusesBatchNormalization = false;
    /// A run of training and evaluation is refused where one of them asks for all sizes and the other does
    /// not.
    bool exploresBothPhasesOrNone = false;

    /// A size up to the batch can be written with that batch, whether it divides it or not.
    bool takesUnevenSizes() const { return spreadsUnevenBatches || runsRestOfBatch; }
};

/// What was read from a config: everything that a run needs and that the user may want to check.
///
/// The batch arithmetic of a config can be read, and a size written into it, also where its network
/// is unknown; only exploring needs the network.
struct ConfigContents
{
    /// "Cerebras params", "axolotl": what a person reads.
    std::string formatName;
    TrainerRules rules;
    Network model;
    /// What training changes of it.
    model::Tuning tuning;
    /// The same of any network that takes its place, since a config names modules as they are called there;
    /// it throws NotRun where trials cannot train that so, and ConfigError where the names fit nothing. Empty
    /// where the tuning is no matter of names.
    std::function<model::Tuning(const model::ModelSpec&, std::vector<Warning>&)> tuningFor;
    /// Neither is there where the file describes a network alone.
    std::optional<BatchPlan> train;
    std::optional<BatchPlan> eval;
    /// The config's own maximum: trials run at the worst case. 0 where it says nothing.
    std::int64_t sequenceLength = 0;
    /// Of the decoder, where it reads a sequence of its own.
    std::optional<std::int64_t> targetLength;
    model::Precision precision = model::Precision::Fp32;
    model::Optimizer optimizer = model::Optimizer::AdamW;
    model::StepOptions step;
    SingleDeviceOverrides alone;
    TrainingSettings training;
    SourceLocations places;
    std::vector<Warning> warnings;
    /// Path or id that the network is from where the config has none of its own, or that is not run; for
    /// people. Empty for one that the table of well-known networks holds.
    std::string modelSource;
    /// The adapter_config.json of PEFT that the config's network is named by, whose base is the network;
    /// empty for none.
    std::string adapterOfModel;
    /// The data decide how long samples are: sequenceLength is what trials would take.
    bool lengthIsOpen = false;
    /// The same of step.packedTextLength.
    bool textLengthIsOpen = false;
    /// What a person has put in the place of the config's own, as short noun phrases: "another network".
    std::vector<std::string> replaced;
    /// The trainer computes the network by modules of its own, and not by those of transformers.
    bool hasOwnModules = false;
    /// Why batchpeak-worker cannot run it, where the user's Python may: see ConfigDocument::readForPython().
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

/// The text of a config in the format that it was recognized to be of: text in, values out; text and a size
/// in, text out. It never touches the disk.
class ConfigDocument
{
public:
    /// \param text  fits \p format, which lives as long as the program
    ConfigDocument(const Format& format, std::shared_ptr<const ConfigText> text)
        : m_format(format), m_text(std::move(text))
    {}

    /// What a person calls the format: "Cerebras Trainer".
    std::string_view name() const;

    /// \throws ConfigError where a value is missing or illegal
    ConfigContents read() const;
    /// The same for trials in the user's Python, which may run networks that batchpeak-worker cannot.
    /// \throws ConfigError as read() does
    ConfigContents readForPython() const;

    /// The text with \p chosen in it: scalars replaced or entries inserted in the file's own indent and line
    /// ends; every other byte stays. It is read again before it is returned, and YAML by a second reader too.
    ///
    /// \throws BatchNotKept where its trainer cannot keep the batch of one optimizer step at that size, and
    /// none was chosen in its place
    /// \throws ConfigError where there is no place for it, the size is illegal in this config, or a program
    ///         that reads YAML otherwise than this one would find something else in the text
    SplicedText withMicroBatchSize(const ChosenSize& chosen) const;

private:
    const Format& m_format;
    std::shared_ptr<const ConfigText> m_text;
};

/// Recognizes by content, never by file name.
/// \param networks  where a network is looked up that the config only names
/// \throws ConfigError if the text is empty, too long, or fits no format; it says what was looked for, and
/// what was nearest
std::unique_ptr<const ConfigDocument> recognize(std::string text, NetworkSource networks = {});

/// Contents as batchpeak-worker runs them, of those that the user's Python runs.
ConfigContents asRunHere(ConfigContents contents);
/// The same for the user's Python: of what was warned of, it compiles networks.
ConfigContents asPythonRuns(ConfigContents contents);

/// \p contents with the network of another config in the place of their own. What belongs to the run stays:
/// batches, lengths, precision. Where the config says nothing of lengths, those of the other stand in.
///
/// Both are read for the same program.
///
/// It is also the way to a run that the config alone does not give, such as all parameters of a network of
/// which the config trains an adapter; a warning says so.
///
/// \throws ConfigError where \p source holds no network that can be run
ConfigContents withModelOf(ConfigContents contents, const ConfigContents& source);

/// Any config that was read, written as one of Batchpeak's own: network, batches and run, everything
/// explicit.
///
/// What its trainer does beside that is lost: it is a config for measuring, not for training.
/// A network without a batch is to be explored, with a batch of one sample.
/// \throws ConfigError where the config holds no network that can be run
std::string toOwnYaml(const ConfigContents& contents);

/// Reads a setting as the command line gives it: explore, auto, null, none or an integer.
/// \throws ConfigError on anything else
Setting settingFromText(std::string_view text);

} // namespace batchpeak::config
