// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "format.h"
#include "megatron_arguments.h"
#include "megatron_run.h"
#include "networks/network_readers.h"
#include "run_reader.h"
#include "syntax/shell_script.h"
#include "syntax/shell_variables.h"
#include "syntax/text_check.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

/// A script that launches one of Megatron-LM's programs, or a text with only their arguments.
///
/// The script is read, not run (ShellScript). Evaluation uses --eval-micro-batch-size, which the programs
/// know since Megatron Core 0.18; its default is the size of training.
namespace {

constexpr std::string_view newMicroOption = "--micro-batch-size";
/// The name in Megatron-LM 1.x, whose batch is always one micro-batch on each device.
constexpr std::string_view oldMicroOption = "--batch-size";
constexpr std::string_view globalOption = "--global-batch-size";
constexpr std::string_view evalMicroOption = "--eval-micro-batch-size";
constexpr std::string_view evalGlobalOption = "--eval-global-batch-size";
constexpr std::string_view rampOption = "--rampup-batch-size";
constexpr std::string_view scheduleOption = "--step-batch-size-schedule";

/// Keys are the names of NeMo's settings, as in MegatronArguments. Values that are not set for evaluation are
/// taken from training.
constexpr PlaceKeys placeKeys{.network = "num_layers",
                              .globalBatch = "global_batch_size step_batch_size_schedule",
                              .microBatch = "micro_batch_size",
                              .evalGlobalBatch =
                                  "eval_global_batch_size global_batch_size step_batch_size_schedule",
                              .evalMicroBatch = "eval_micro_batch_size micro_batch_size",
                              .devices = "nproc_per_node",
                              .sequenceLength = "encoder_seq_length",
                              .precisionSwitches = "fp16 bf16",
                              .optimizer = "optimizer",
                              .checkpointing = "activations_checkpoint_granularity",
                              .gradientNorm = "clip_grad",
                              .attention = "attention_backend"};

using enum UnmodeledFeature::When;

constexpr std::array<UnmodeledFeature, 2> differences{
    {{"rampup_batch_size",
      "The batch grows to --global-batch-size step by step (--rampup-batch-size), which Megatron Core "
      "ignores since 0.18; figures here are for its end.",
      There},
     {"decrease_batch_size_if_needed",
      "Where micro-batches do not divide --global-batch-size, the run silently takes fewer samples in a step "
      "(--decrease-batch-size-if-needed).",
      There}}};

std::optional<std::int64_t> numberOf(const ShellScript& script, std::string_view option)
{
    const auto value = script.value(option);
    return value ? shellNumber(*value) : std::nullopt;
}

bool hasValue(const ShellScript& script, std::string_view option)
{
    return std::ranges::any_of(script.arguments(option),
                               [](const ShellArgument* argument) { return !argument->values.empty(); });
}

/// Returns the option of the micro-batch size. Other programs have one of the older name too, so that it
/// counts only beside options of a network.
std::string_view microOptionOf(const ShellScript& script)
{
    const bool isOld = !script.has(newMicroOption) && hasValue(script, oldMicroOption) &&
                       script.has("--num-layers") && script.has("--hidden-size");
    return isOld ? oldMicroOption : newMicroOption;
}

/// Whether the script has options of other trainers with a micro-batch size: axolotl's, ms-swift's, and those
/// that count accumulation steps.
bool isOfAnotherTrainer(const ShellScript& script)
{
    if (script.has("--gradient-accumulation-steps") || script.has("--micro-train-batch-size"))
        return true;
    return std::ranges::any_of(script.words().words, [](const ShellWord& word) {
        const bool isText = !word.pieces.empty() && word.pieces.front().kind == ShellPiece::Kind::Literal;
        const std::string text = isText && !word.isProse ? word.pieces.front().text : std::string();
        return text == "axolotl" || text.starts_with("axolotl.") || text == "swift" || text == "megatron";
    });
}

/// Returns the program, wherever it is in the script: "pretrain_gpt.py".
std::optional<std::string> programOf(const ShellScript& script)
{
    const auto programIn = [](const ShellWord& word) -> std::optional<std::string> {
        for (const ShellPiece& piece : word.pieces) {
            const std::size_t begin = piece.text.rfind("pretrain_");
            if (piece.kind == ShellPiece::Kind::Literal && begin != std::string::npos &&
                piece.text.ends_with(".py"))
                return piece.text.substr(begin);
        }
        return std::nullopt;
    };
    for (const ShellWord& word : script.words().words) {
        auto program = word.isProse ? std::nullopt : programIn(word);
        if (program)
            return program;
    }
    for (const ShellAssignment& assignment : script.words().assignments) {
        if (auto program = programIn(assignment.value))
            return program;
    }
    return std::nullopt;
}

/// A script and the values read from it.
class LaunchScript
{
public:
    explicit LaunchScript(const std::string& text)
        : m_script(text), m_arguments(m_script), m_microOption(microOptionOf(m_script))
    {}

    ConfigContents read() const;
    SplicedText splice(const ChosenSize& chosen) const;

private:
    std::optional<std::int64_t> readWorld() const;
    /// Returns the place of the WORLD_SIZE that the script calculates.
    std::optional<SourceLocation> worldPlace() const;
    MegatronParallelism parallelism() const;
    /// Returns the last batch of --step-batch-size-schedule, which the run reaches.
    std::optional<std::int64_t> scheduledBatch() const;
    MegatronBatch readBatch() const;
    MegatronBatch readEvalBatch() const;
    BatchPlan readPlan(model::Phase phase) const;
    model::ModelSpec readNetwork(std::vector<Warning>& warnings) const;
    void readRunInto(ConfigContents& contents) const;
    void warnOfSchedules(std::vector<Warning>& warnings) const;
    void noteConstraints(const ChosenSize& chosen, std::vector<std::string>& notes) const;

    ShellScript m_script;
    MegatronArguments m_arguments;
    std::string_view m_microOption;
};

ConfigContents LaunchScript::read() const
{
    ConfigContents contents;
    contents.train = readPlan(model::Phase::Train);
    contents.eval = readPlan(model::Phase::Eval);
    warnOfMegatronBatch(*contents.train, parallelism(), readBatch().position, contents.warnings);
    warnOfSchedules(contents.warnings);
    contents.model = networkOrError([&] { return readNetwork(contents.warnings); });
    readRunInto(contents);
    notePlaces(m_arguments, placeKeys, contents);
    if (!contents.places.devices)
        contents.places.devices = worldPlace();
    return contents;
}

/// Returns the number of processes of torchrun, which runs one node unless it is given a number of nodes
/// (torch/distributed/run.py of torch 2.11), else the WORLD_SIZE that the script calculates.
std::optional<std::int64_t> LaunchScript::readWorld() const
{
    auto world = m_script.processes();
    if (!world)
        world = shellNumber(m_script.variable("WORLD_SIZE").value_or(""));
    return world ? worldOf(*world, 1) : std::nullopt;
}

std::optional<SourceLocation> LaunchScript::worldPlace() const
{
    const auto& assignments = m_script.words().assignments;
    const auto world = std::ranges::find(assignments, "WORLD_SIZE", &ShellAssignment::name);
    if (world == assignments.end())
        return std::nullopt;
    return SourceLocation{.key = world->name, .position = positionIn(m_script.text(), world->value.begin)};
}

MegatronParallelism LaunchScript::parallelism() const
{
    bool isKnown = true;
    for (const char* option :
         {"--tensor-model-parallel-size", "--pipeline-model-parallel-size", "--context-parallel-size"})
        isKnown = isKnown && (!m_script.has(option) || m_script.value(option));
    return readParallelism(m_arguments, isKnown ? readWorld() : std::nullopt,
                           m_script.positionOf(m_script.has("--tensor-model-parallel-size")
                                                   ? "--tensor-model-parallel-size"
                                                   : "--pipeline-model-parallel-size"));
}

std::optional<std::int64_t> LaunchScript::scheduledBatch() const
{
    const auto batches = scheduledBatches(m_script.value(scheduleOption).value_or(""));
    return batches.empty() ? std::nullopt : std::optional(batches.back());
}

MegatronBatch LaunchScript::readBatch() const
{
    for (std::string_view option : {m_microOption, globalOption}) {
        const ShellArgument* argument = hasValue(m_script, option) ? m_script.argument(option) : nullptr;
        const auto error = argument ? m_script.loopError(option, argument->values.front()) : std::nullopt;
        if (error)
            throw *error;
    }
    const auto global = numberOf(m_script, globalOption);
    if (hasValue(m_script, globalOption) && !global) {
        const ShellWord& written = m_script.argument(globalOption)->values.front();
        throw errorAt(
            m_script.positionOf(globalOption),
            "The value of --global-batch-size is {}, which only running the script tells; write the number.",
            m_script.text().substr(written.begin, written.end - written.begin));
    }
    return {.micro = numberOf(m_script, m_microOption),
            .global = global ? global : scheduledBatch(),
            .microKey = std::string(m_microOption),
            .globalKey = std::string(globalOption),
            .position = m_script.positionOf(m_script.has(m_microOption) ? m_microOption : globalOption)};
}

/// Returns the batch of evaluation; the default is that of training: validate_args in
/// megatron/training/arguments.py.
MegatronBatch LaunchScript::readEvalBatch() const
{
    MegatronBatch batch = readBatch();
    batch.global = readPlan(model::Phase::Train).globalBatchSize;
    if (hasValue(m_script, evalMicroOption)) {
        batch.micro = numberOf(m_script, evalMicroOption);
        batch.microKey = evalMicroOption;
        batch.position = m_script.positionOf(evalMicroOption);
    }
    if (hasValue(m_script, evalGlobalOption)) {
        batch.global = numberOf(m_script, evalGlobalOption);
        batch.globalKey = evalGlobalOption;
    }
    return batch;
}

BatchPlan LaunchScript::readPlan(model::Phase phase) const
{
    return megatronPlan(phase == model::Phase::Train ? readBatch() : readEvalBatch(), parallelism());
}

model::ModelSpec LaunchScript::readNetwork(std::vector<Warning>& warnings) const
{
    m_arguments.refuseUnresolved();
    refuseNetworkInParts(parallelism());
    const std::string program = programOf(m_script).value_or("pretrain_gpt.py");
    if (program == "pretrain_gpt.py")
        return readMegatronModel(m_arguments, MegatronKind::Decoder, warnings);
    if (program == "pretrain_bert.py")
        return readMegatronModel(m_arguments, MegatronKind::Encoder, warnings);
    throw networkElsewhere({.line = 1, .column = 1}, cannotBeRun, "the network of " + program);
}

void LaunchScript::readRunInto(ConfigContents& contents) const
{
    const bool isFp16 = m_script.has("--fp16");
    if (isFp16 || m_script.has("--bf16")) {
        // validate_args in megatron/training/arguments.py of Megatron Core 0.20.
        contents.precision =
            halfPrecision(isFp16, !m_script.has("--grad-reduce-in-bf16"),
                          m_script.positionOf(isFp16 ? "--fp16" : "--bf16"), contents.warnings);
    }
    readMegatronRun(m_arguments, contents);
    // The default is 1.0: _add_regularization_args in megatron/training/arguments.py of Megatron Core 0.20.
    contents.step.maxGradientNorm = readGradientNorm(m_arguments, "clip_grad", 1.0);
    // AttnBackend in megatron/core/transformer/enums.py of Megatron Core 0.20.
    if (const auto attention = m_arguments.text("attention_backend"))
        contents.step.attention = attentionNamed(*attention);
    contents.training.learningRate = m_arguments.learningRate(contents.warnings);
    // Without this option, all micro-batches have equal weight: forward_step_calc_loss in
    // megatron/core/pipeline_parallel/schedules.py of Megatron Core 0.20.
    if (m_script.has("--calculate-per-token-loss"))
        contents.training.weighsTokens = true;
    if (const auto optimizer = m_arguments.text("optimizer")) {
        // Adam decouples its weight decay unless told otherwise: OptimizerConfig of Megatron Core 0.20.
        contents.optimizer =
            readOptimizer(*optimizer, "adam", m_script.positionOf("--optimizer"), contents.warnings);
        // FusedSGD of TransformerEngine 2.9 and of Apex keep a buffer whatever the momentum is (get_momentums
        // in pytorch/optimizers/fused_sgd.py). On the host torch.optim.SGD is used, which keeps none without
        // momentum (HybridDeviceOptimizer of Megatron Core 0.20).
        contents.step.keepsMomentum = !contents.step.optimizerOnHost ||
                                      contents.optimizer != model::Optimizer::Sgd ||
                                      m_arguments.number("sgd_momentum").value_or(0.9) != 0.0;
    }
}

void LaunchScript::warnOfSchedules(std::vector<Warning>& warnings) const
{
    warnOf(m_arguments, differences, warnings);
    if (!m_script.has(scheduleOption))
        return;
    warn(warnings, m_script.positionOf(scheduleOption),
         "The batch changes step by step (--step-batch-size-schedule); figures here are for {}.",
         hasValue(m_script, globalOption)
             ? "--global-batch-size, beside which Megatron Core 0.18 refuses the schedule"
             : "its end");
}

SplicedText LaunchScript::splice(const ChosenSize& chosen) const
{
    const bool isTrain = chosen.phase == model::Phase::Train;
    const std::string_view micro = isTrain ? m_microOption : evalMicroOption;
    const std::string_view global = isTrain ? globalOption : evalGlobalOption;
    const BatchPlan plan = readPlan(chosen.phase);
    const WholeBatch batch = wholeBatch(plan, chosen, m_script.positionOf(plan.globalBatchKey));

    SplicedText spliced{.text = m_script.text()};
    if (plan.presentSize != chosen.microBatchSize) {
        const bool isInserted = !hasValue(m_script, micro);
        spliced = withArgument(m_script, micro, std::to_string(chosen.microBatchSize),
                               isTrain || !hasValue(m_script, m_microOption) ? globalOption : m_microOption);
        if (!isTrain && isInserted)
            spliced.notes.push_back("--eval-micro-batch-size is known to Megatron Core since 0.18; older "
                                    "programs refuse it, and evaluate with --micro-batch-size.");
    }
    const LaunchScript changed(spliced.text);
    if (changed.readPlan(chosen.phase).globalBatchSize != batch.globalBatchSize) {
        if (isTrain && scheduledBatch() && !hasValue(m_script, globalOption)) {
            throw errorAt(
                m_script.positionOf(scheduleOption),
                "The batch of a step is that of --step-batch-size-schedule; change the schedule by hand.");
        }
        const std::string_view beside = hasValue(changed.m_script, micro) ? micro : m_microOption;
        SplicedText both =
            withArgument(changed.m_script, global, std::to_string(batch.globalBatchSize), beside);
        spliced.text = std::move(both.text);
        spliced.notes.insert(spliced.notes.end(), both.notes.begin(), both.notes.end());
    }
    LaunchScript(spliced.text).noteConstraints(chosen, spliced.notes);
    return spliced;
}

/// Notes the constraints of the text besides the batch, as they are now.
void LaunchScript::noteConstraints(const ChosenSize& chosen, std::vector<std::string>& notes) const
{
    const BatchPlan plan = readPlan(chosen.phase);
    const BatchPlan eval = readPlan(model::Phase::Eval);
    const std::int64_t unit = chosen.microBatchSize * plan.devices;
    if (!plan.knowsDevices)
        notes.push_back(unknownDevicesNote("script", plan));
    if (chosen.phase == model::Phase::Eval)
        return;
    if (eval.microBatchKey == m_microOption)
        notes.push_back("Evaluation takes --micro-batch-size too.");
    if (eval.presentSize && !eval.dividesExactly(*eval.presentSize)) {
        notes.push_back(
            sentence("Of evaluation, the {}, which Megatron refuses; change --eval-global-batch-size.",
                     divisionText(eval, *eval.presentSize)));
    }
    const ShellArgument* ramp = m_script.argument(rampOption);
    if (ramp && ramp->values.size() >= 2) {
        const auto start = shellNumber(m_script.valueOf(ramp->values[0]).value_or(""));
        const auto increment = shellNumber(m_script.valueOf(ramp->values[1]).value_or(""));
        if (start && increment)
            notes.push_back(rampNote(std::string(rampOption), *start, *increment, unit));
    }
    if (const auto schedule = m_script.value(scheduleOption))
        notes.push_back(scheduleNote(std::string(scheduleOption), scheduledBatches(*schedule), unit));
}

bool fits(const ConfigText& text)
{
    // A script may parse as YAML by chance; a mapping or a list counts as a script only with a shebang.
    const bool isScript = text.text().starts_with("#!");
    const bool isConfig = text.document() && text.document()->root().kind != NodeKind::Scalar;
    if ((isConfig && !isScript) || !mayNameBatch(text.text()))
        return false;
    const ShellScript script(text.text());
    return (hasValue(script, microOptionOf(script)) || hasValue(script, globalOption)) &&
           !isOfAnotherTrainer(script);
}

ConfigContents read(const ConfigText& text)
{
    return LaunchScript(text.text()).read();
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    return LaunchScript(text.text()).splice(chosen);
}

} // namespace

constinit const Format megatronFormat{.name = "Megatron-LM launch script",
                                      .mark = "--micro-batch-size or --global-batch-size",
                                      .neededKeys = "--micro-batch-size|--global-batch-size",
                                      .defaultKeys = "",
                                      .fits = fits,
                                      .read = read,
                                      .splice = splice};

} // namespace batchpeak::config
