// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "reading_text.h"

#include "model/architecture_fields.h"
#include "model/parameter_table.h"

#include <array>
#include <charconv>

namespace batchpeak::config {

namespace {

std::string text(std::int64_t value)
{
    return std::to_string(value);
}

std::string text(bool value)
{
    return value ? "true" : "false";
}

/// Returns the shortest text that is parsed as the same number.
std::string text(double value)
{
    std::array<char, 32> buffer{};
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

/// Returns the text in one line, with its line feeds escaped.
std::string text(std::string value)
{
    for (std::size_t at = value.find('\n'); at != std::string::npos; at = value.find('\n', at))
        value.replace(at, 1, "\\n");
    return value;
}

std::string joined(const Lines& parts, const std::string& separator)
{
    std::string all;
    for (const std::string& part : parts)
        all += (all.empty() ? "" : separator) + part;
    return all;
}

/// Collects the fields of a network as lines; see model/architecture_fields.h.
class FieldLines
{
public:
    template<typename Value>
    void value(const std::string& name, const Value& value)
    {
        lines.push_back(name + ": " + text(value));
    }
    template<typename Word>
    void word(const std::string& name, Word value)
    {
        lines.push_back(name + ": " + std::string(toText(value)));
    }
    void sizes(const std::string& name, const std::vector<std::int64_t>& values)
    {
        Lines numbers;
        for (std::int64_t value : values)
            numbers.push_back(text(value));
        lines.push_back(name + ": [" + joined(numbers, ", ") + "]");
    }
    void texts(const std::string& name, const std::vector<std::string>& values)
    {
        lines.push_back(name + ": [" + joined(values, ", ") + "]");
    }
    template<typename Item>
    void list(const std::string& name, std::vector<Item>& items)
    {
        Lines texts;
        for (Item& item : items) {
            FieldLines fields;
            visitFields(item, fields);
            texts.push_back("{" + joined(fields.lines, ", ") + "}");
        }
        lines.push_back(name + ": " + joined(texts, " "));
    }

    Lines lines;
};

template<typename Architecture>
Lines fieldLines(Architecture architecture)
{
    FieldLines fields;
    visitFields(architecture, fields);
    for (std::string& line : fields.lines)
        line.insert(0, "network.");
    return fields.lines;
}

/// Adds no line if the run trains the whole network without rounding.
void addTuning(Lines& lines, const ConfigContents& contents)
{
    model::Tuning tuning = contents.tuning;
    if (isUntuned(tuning))
        return;
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    std::string counts;
    if (spec) {
        const auto [trained, frozen] = model::parameterCounts(*spec, tuning);
        counts = ", " + text(trained) + " of " + text(trained + frozen) + " parameters";
    }
    FieldLines fields;
    visitFields(tuning, fields);
    // Nearly all runs round nothing, so six fields that say so would be noise.
    FieldLines rounding;
    visitFields(tuning.fakeQuantization, rounding);
    if (!roundsAnything(tuning.fakeQuantization))
        fields.lines.resize(fields.lines.size() - rounding.lines.size());
    lines.push_back("tuning: " + joined(fields.lines, ", ") + counts);
}

void addPlan(Lines& lines, const std::string& phase, const std::optional<BatchPlan>& plan)
{
    if (!plan) {
        lines.push_back(phase + ": none");
        return;
    }
    std::string devices = "devices " + text(plan->devices);
    if (!plan->knowsDevices)
        devices = (plan->devices == 1 ? "devices unknown" : devices + " by guess") +
                  (plan->isOverAllDevices ? ", batch of all" : "");
    lines.push_back(phase + ": batch " + text(plan->globalBatchSize) + ", size " +
                    (plan->presentSize ? text(*plan->presentSize) : "none") + ", setting " +
                    toText(plan->setting) + ", " + devices);
    lines.push_back(phase + ".keys: " + plan->microBatchKey + ", " + plan->globalBatchKey);
}

std::string rulesText(const TrainerRules& rules)
{
    Lines parts;
    if (rules.spreadsUnevenBatches)
        parts.emplace_back("spreads uneven batches");
    if (rules.runsRestOfBatch)
        parts.emplace_back("runs the rest of a batch");
    if (rules.refusesBatchNormalization)
        parts.emplace_back("refuses batch normalization");
    if (rules.exploresBothPhasesOrNone)
        parts.emplace_back("explores both phases or none");
    return parts.empty() ? "none" : joined(parts, ", ");
}

std::string runText(const ConfigContents& contents)
{
    std::string run = std::string(toText(contents.precision)) + ", " +
                      std::string(toText(contents.optimizer)) + ", gradient norm " +
                      text(contents.step.maxGradientNorm);
    if (contents.step.activationCheckpointing)
        run += ", activation checkpointing";
    if (contents.step.lossChunkRows != 0)
        run += ", loss in chunks of " + text(contents.step.lossChunkRows);
    if (contents.step.recomputesLossChunks)
        run += ", computed again";
    if (contents.step.lossParts > 1)
        run += ", loss in " + text(contents.step.lossParts) + " parts";
    if (contents.step.attention != model::Attention::Automatic)
        run += ", attention by " + std::string(toText(contents.step.attention));
    if (!contents.step.convolvesInTf32)
        run += ", convolutions without TF32";
    if (contents.step.channelsLast)
        run += ", channels last";
    if (contents.step.timesConvolutions)
        run += ", timed convolutions";
    if (contents.step.adamWStep == model::AdamWStep::Operations)
        run += ", operation by operation";
    if (contents.step.adamWStep == model::AdamWStep::Decoupled)
        run += ", decoupled operations";
    if (!contents.step.keepsMomentum)
        run += ", no momentum";
    if (contents.step.wideEmbeddingMoments)
        run += ", moments of embeddings in fp32";
    if (contents.step.optimizerOnHost)
        run += ", optimizer on the host";
    if (contents.step.updatesInBackward)
        run += ", updates in backward";
    if (contents.step.sharding != model::Sharding::None)
        run += ", sharded " + std::string(toText(contents.step.sharding));
    if (contents.step.shards > 1)
        run += " among " + text(contents.step.shards);
    if (contents.step.packedTextLength != 0)
        run += ", texts of " + text(contents.step.packedTextLength);
    if (contents.alone.activationCheckpointing == false)
        run += ", on one device no activation checkpointing";
    if (!contents.alone.approximation.empty())
        run += ", on one device ~ " + contents.alone.approximation;
    if (!contents.alone.droppedApproximation.empty())
        run += ", on one device not ~ " + contents.alone.droppedApproximation;
    return run;
}

std::string trainingText(const TrainingSettings& training)
{
    Lines parts;
    if (training.halvesAutomatically)
        parts.emplace_back("halves automatically");
    if (training.usesMaximumBatchSize)
        parts.emplace_back("uses the maximum");
    if (!training.batchIncreaseFunction.empty())
        parts.push_back("grows by \"" + text(training.batchIncreaseFunction) + "\"");
    if (training.weighsTokens)
        parts.emplace_back(*training.weighsTokens ? "weighs tokens" : "weighs samples");
    if (training.accumulates)
        parts.emplace_back(*training.accumulates ? "accumulates" : "does not accumulate");
    if (training.learningRate)
        parts.push_back("learning rate " + text(*training.learningRate));
    return parts.empty() ? "none" : joined(parts, ", ");
}

} // namespace

std::string placeText(TextPosition position)
{
    return position.line == 0
               ? ""
               : text(std::int64_t{position.line}) + ":" + text(std::int64_t{position.column}) + " ";
}

Lines readingLines(const ConfigContents& contents, const std::function<std::string(std::string)>& shortened,
                   bool hasPlaces)
{
    const auto at = [hasPlaces](TextPosition position) { return hasPlaces ? placeText(position) : ""; };
    Lines lines{"format: " + contents.formatName};
    if (const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model)) {
        lines.push_back(std::string("network: none, ") +
                        (unsupported->isElsewhere ? "may be elsewhere" : "not run") + ": " +
                        at(unsupported->position) + shortened(unsupported->sentence));
    } else {
        const auto& spec = std::get<model::ModelSpec>(contents.model);
        lines.push_back("network: " + spec.family + ", " + text(model::parameterCount(spec)) + " parameters");
        const Lines fields = std::visit([](const auto& kind) { return fieldLines(kind); }, spec.architecture);
        lines.insert(lines.end(), fields.begin(), fields.end());
    }
    addTuning(lines, contents);
    lines.push_back("rules: " + rulesText(contents.rules));
    addPlan(lines, "train", contents.train);
    addPlan(lines, "eval", contents.eval);
    lines.push_back("length: " + text(contents.sequenceLength) +
                    (contents.targetLength ? ", targets " + text(*contents.targetLength) : ""));
    lines.push_back("run: " + runText(contents));
    lines.push_back("training: " + trainingText(contents.training));
    for (const Warning& warning : contents.warnings)
        lines.push_back("warning: " + at(warning.position) + shortened(warning.sentence) +
                        (warning.approximation.empty() ? "" : " ~ " + warning.approximation));
    if (contents.warnings.empty())
        lines.emplace_back("warning: none");
    return lines;
}

Lines defaultLines(const ConfigContents& contents)
{
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (!spec)
        return {};
    return std::visit([](auto kind) { return fieldLines(decltype(kind)()); }, spec->architecture);
}

} // namespace batchpeak::config
