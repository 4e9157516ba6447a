// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_text.h"

#include "config/batch_plan.h"
#include "config/cerebras/known_sizes.h"
#include "device/local_device.h"
#include "exploration_text.h"
#include "model/decoder_layer.h"
#include "model/parameter_table.h"
#include "options/tuning_choice.h"
#include "terminal_text.h"
#include "text/batch_text.h"
#include "text/errors.h"
#include "text/json_fields.h"
#include "text/memory_text.h"

#include <algorithm>
#include <tuple>
#include <variant>
#include <vector>

namespace batchpeak::cli {

namespace {

using Rows = std::vector<QStringList>;

QString headsText(const model::DecoderSpec& spec)
{
    QString heads = QStringLiteral("%1 heads").arg(spec.heads);
    if (spec.headSize != 0)
        heads += QStringLiteral(" of size %1").arg(groupedText(spec.headSize));
    if (spec.keyValueHeads != spec.heads)
        heads += QStringLiteral(" in %1 groups").arg(spec.keyValueHeads);
    return heads;
}

QString feedForwardText(const model::DecoderSpec& spec)
{
    const QString size = groupedText(spec.feedForwardSize);
    if (!model::hasExperts(spec))
        return QStringLiteral("feed-forward %1").arg(size);
    QString text = QStringLiteral("%1 of %2 experts of feed-forward %3")
                       .arg(groupedText(spec.expertsPerToken), groupedText(spec.experts), size);
    if (spec.sharedExpertSize > 0)
        text += QStringLiteral(" plus a shared expert of %1").arg(groupedText(spec.sharedExpertSize));
    if (spec.denseLayers > 0) {
        const std::int64_t dense = model::decoderLayer(spec, 0).feedForwardSize;
        text += QStringLiteral(" (first %1 layers: one dense feed-forward of %2)")
                    .arg(groupedText(spec.denseLayers), groupedText(dense));
    }
    return text;
}

QString normalizationText(const model::DecoderSpec& spec)
{
    QString text = engine::enumText(spec.normalization);
    if (spec.normalization == model::Normalization::LayerNorm && !spec.normalizationBias)
        text += QStringLiteral(" without biases");
    if (spec.branchOutputNormalization)
        text += QStringLiteral(" before and after branches");
    return text;
}

QString embeddingsText(bool tied)
{
    return tied ? QStringLiteral("tied embeddings") : QStringLiteral("separate embeddings");
}

QString partsText(const model::DecoderSpec& spec)
{
    QStringList parts{QStringLiteral("%1 positions").arg(engine::enumText(spec.positionEmbedding)),
                      normalizationText(spec), engine::enumText(spec.activation)};
    if (spec.branches != model::Branches::Sequential)
        parts << QStringLiteral("parallel branches");
    if (spec.queryKeyNormalization)
        parts << QStringLiteral("normalized queries and keys");
    parts << embeddingsText(spec.tiedEmbeddings);
    return parts.join(QStringLiteral(", "));
}

/// Returns the features that most decoders lack; empty if this one has none of them.
QString detailsText(const model::DecoderSpec& spec)
{
    QStringList parts;
    const auto inLayers = [&spec](const std::vector<std::int64_t>& layers) {
        return QStringLiteral(" in %1 of %2 layers")
            .arg(groupedText(static_cast<std::int64_t>(layers.size())), groupedText(spec.layers));
    };
    if (spec.attentionWindow > 0) {
        parts << QStringLiteral("window of %1 tokens%2")
                     .arg(groupedText(spec.attentionWindow),
                          spec.windowedLayers.empty() ? QString() : inLayers(spec.windowedLayers));
    }
    if (!spec.unrotatedLayers.empty())
        parts << QStringLiteral("no rotation") + inLayers(spec.unrotatedLayers);
    if (spec.attentionSoftCap > 0.0)
        parts << QStringLiteral("scores capped at %1").arg(spec.attentionSoftCap);
    if (spec.logitSoftCap > 0.0)
        parts << QStringLiteral("logits capped at %1").arg(spec.logitSoftCap);
    return parts.join(QStringLiteral(", "));
}

Rows rowsOf(const model::DecoderSpec& spec)
{
    Rows rows{
        {QStringLiteral("shape"),
         QStringLiteral("%1 layers, hidden size %2, %3, %4, vocabulary %5, positions %6")
             .arg(groupedText(spec.layers), groupedText(spec.hiddenSize), headsText(spec),
                  feedForwardText(spec), groupedText(spec.vocabularySize), groupedText(spec.maxPositions))},
        {QStringLiteral("parts"), partsText(spec)}};
    if (const QString details = detailsText(spec); !details.isEmpty())
        rows.push_back({QStringLiteral("details"), details});
    return rows;
}

QString headsText(const model::EncoderSpec& spec)
{
    QStringList heads;
    if (spec.pooler)
        heads << QStringLiteral("pooler");
    if (spec.maskedLanguageHead && spec.predictedTokens > 0)
        heads << QStringLiteral("masked-language head on %1 tokens a sample")
                     .arg(groupedText(spec.predictedTokens));
    else if (spec.maskedLanguageHead)
        heads << QStringLiteral("masked-language head");
    if (spec.nextSentenceHead)
        heads << (spec.sentenceClasses == 2
                      ? QStringLiteral("next-sentence head")
                      : QStringLiteral("head of %1 classes").arg(groupedText(spec.sentenceClasses)));
    return heads.join(QStringLiteral(", "));
}

Rows rowsOf(const model::EncoderSpec& spec)
{
    return {
        {QStringLiteral("shape"),
         QStringLiteral(
             "%1 layers, hidden size %2, %3 heads, feed-forward %4, vocabulary %5, positions %6, token "
             "types %7")
             .arg(groupedText(spec.layers), groupedText(spec.hiddenSize), groupedText(spec.heads),
                  groupedText(spec.feedForwardSize), groupedText(spec.vocabularySize),
                  groupedText(spec.maxPositions), groupedText(spec.tokenTypes))},
        {QStringLiteral("parts"),
         QStringLiteral("%1 positions, layernorm %2 branches, %3, %4, %5")
             .arg(engine::enumText(spec.positionEmbedding),
                  spec.normalizesFirst ? QStringLiteral("before") : QStringLiteral("after"),
                  engine::enumText(spec.activation), embeddingsText(spec.tiedEmbeddings), headsText(spec))}};
}

Rows rowsOf(const model::EncoderDecoderSpec& spec)
{
    return {{QStringLiteral("shape"),
             QStringLiteral("%1 encoder layers, %2 decoder layers, hidden size %3, %4 heads of size %5, "
                            "feed-forward %6, vocabulary %7")
                 .arg(groupedText(spec.encoderLayers), groupedText(spec.decoderLayers),
                      groupedText(spec.hiddenSize), groupedText(spec.heads), groupedText(spec.headSize),
                      groupedText(spec.feedForwardSize), groupedText(spec.vocabularySize))},
            {QStringLiteral("parts"),
             QStringLiteral("relative positions in %1 buckets, %2, %3, %4")
                 .arg(groupedText(spec.relativeBuckets), engine::enumText(spec.normalization),
                      engine::enumText(spec.activation), embeddingsText(spec.tiedEmbeddings))}};
}

QString imageText(std::int64_t size, std::int64_t channels)
{
    return QStringLiteral("images of %1 x %1 pixels in %2 channels")
        .arg(groupedText(size), groupedText(channels));
}

Rows rowsOf(const model::VisionTransformerSpec& spec)
{
    return {
        {QStringLiteral("shape"),
         QStringLiteral("%1 layers, hidden size %2, %3 heads, feed-forward %4, classes %5")
             .arg(groupedText(spec.layers), groupedText(spec.hiddenSize), groupedText(spec.heads),
                  groupedText(spec.feedForwardSize), groupedText(spec.classes))},
        {QStringLiteral("parts"), QStringLiteral("%1, patches of %2 x %2, %3")
                                      .arg(imageText(spec.imageSize, spec.channels),
                                           groupedText(spec.patchSize), engine::enumText(spec.activation))}};
}

Rows rowsOf(const model::ResNetSpec& spec)
{
    return {{QStringLiteral("shape"),
             QStringLiteral("depth %1, first stage of %2 channels, classes %3")
                 .arg(groupedText(spec.depth), groupedText(spec.width), groupedText(spec.classes))},
            {QStringLiteral("parts"),
             QStringLiteral("%1, batch normalization").arg(imageText(spec.imageSize, spec.channels))}};
}

QString inputText(const model::ScriptInput& input)
{
    QStringList sizes{QStringLiteral("samples")};
    for (std::int64_t size : input.shape)
        sizes += groupedText(size);
    return QStringLiteral("%1 {%2}").arg(engine::enumText(input.type), sizes.join(QStringLiteral(", ")));
}

Rows rowsOf(const model::ScriptSpec& spec)
{
    QStringList inputs;
    for (const model::ScriptInput& input : spec.inputs)
        inputs += inputText(input);
    const QString output = spec.output == model::ScriptOutput::Loss
                               ? QStringLiteral("its loss")
                               : QStringLiteral("logits of %1 classes").arg(groupedText(spec.classes));
    return {{QStringLiteral("file"), QString::fromStdString(spec.file)},
            {QStringLiteral("shape"),
             QStringLiteral("input %1; output %2").arg(inputs.join(QStringLiteral(", ")), output)}};
}

Rows rowsOf(const model::TransformersSpec& spec)
{
    return {{QStringLiteral("shape"), QStringLiteral("as transformers builds %1; counted when it is loaded")
                                          .arg(QString::fromStdString(spec.type))}};
}

/// Returns the sizes of a network, then its parts.
Rows modelRows(const model::ModelSpec& spec)
{
    return std::visit([](const auto& architecture) { return rowsOf(architecture); }, spec.architecture);
}

/// Returns the settings of a training run, limited to those that the config makes.
Rows trainingSettingsRows(const config::TrainingSettings& settings)
{
    Rows rows;
    const auto add = [&rows](const QString& name, const QString& text) { rows.push_back({name, text}); };
    if (settings.learningRate)
        add(QStringLiteral("learning rate"), QString::number(*settings.learningRate));
    if (settings.weighsTokens) {
        add(QStringLiteral("micro-batches weighted"), *settings.weighsTokens
                                                          ? QStringLiteral("by tokens that the loss counts")
                                                          : QStringLiteral("by samples"));
    }
    if (settings.accumulates == false)
        add(QStringLiteral("accumulation"), QStringLiteral("off: the whole batch at once"));
    if (settings.halvesAutomatically)
        add(QStringLiteral("size in training"), QStringLiteral("smaller whenever memory runs out"));
    if (settings.usesMaximumBatchSize)
        add(QStringLiteral("size in training"), QStringLiteral("the largest that fits, found first"));
    if (!settings.batchIncreaseFunction.empty())
        add(QStringLiteral("batch grows by"), QString::fromStdString(settings.batchIncreaseFunction));
    return rows;
}

/// "1.85 GiB before the first sample: weights 474 MiB, gradients 474 MiB, optimizer 949 MiB; activations
/// about 12 MiB a sample"
QString memoryText(const model::StepMemory& memory)
{
    const auto text = [](double bytes) { return bytesText(static_cast<std::int64_t>(bytes)); };
    QStringList parts;
    for (const engine::MemoryPart& part : engine::memoryParts(memory))
        parts << QStringLiteral("%1 %2").arg(part.name, text(part.bytes));
    return QStringLiteral("%1 before the first sample: %2; activations about %3 a sample")
        .arg(text(memory.constantBytes), parts.join(QStringLiteral(", ")), text(memory.bytesPerSample));
}

std::vector<model::Phase> phasesOf(const config::ConfigContents& contents)
{
    std::vector<model::Phase> phases;
    if (contents.train || contents.isNetworkAlone())
        phases.push_back(model::Phase::Train);
    if (contents.eval || contents.isNetworkAlone())
        phases.push_back(model::Phase::Eval);
    return phases;
}

/// Adds the memory that trials would need, and their fidelity to the run.
void addTrialRows(Rows& rows, const QString& path, const config::ConfigContents& contents,
                  engine::ExplorationOptions options)
{
    if (std::holds_alternative<config::UnsupportedModel>(contents.model))
        return;
    // A config is mainly for the first of several phases.
    QStringList measured;
    const auto say = [&measured](const QStringList& row) {
        if (measured.isEmpty())
            measured = row;
    };
    for (const model::Phase phase : phasesOf(contents)) {
        options.phase = phase;
        try {
            const engine::NetworkPlan plan = planHere(path, contents, options);
            say(fidelityRow(plan.run.fidelity));
            if (const auto memory = engine::stepMemoryOf(plan.load, options))
                rows.push_back(
                    {QStringLiteral("memory, %1").arg(engine::enumText(phase)), memoryText(*memory)});
        } catch (const config::ConfigError& error) {
            say({QStringLiteral("measured"),
                 QStringLiteral("impossible. %1").arg(QString::fromUtf8(error.what()))});
        }
    }
    if (!measured.isEmpty())
        rows.push_back(measured);
}

void addModelRows(Rows& rows, const config::ConfigContents& contents, const model::Tuning& tuning)
{
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (!spec) {
        rows.push_back({QStringLiteral("network"),
                        QString::fromStdString(std::get<config::UnsupportedModel>(contents.model).sentence)});
        return;
    }
    const model::ParameterCounts counts = model::parameterCounts(*spec, tuning);
    rows.push_back({QStringLiteral("network"), QString::fromStdString(model::nameOf(*spec))});
    if (!contents.modelSource.empty())
        rows.push_back({QStringLiteral("network from"), QString::fromStdString(contents.modelSource)});
    rows.push_back(
        {QStringLiteral("parameters"), counts.frozen > 0  ? parametersText(counts.all(), counts.frozen)
                                       : counts.all() > 0 ? groupedText(counts.all())
                                                          : QStringLiteral("counted when loaded")});
    for (const QStringList& row : tuningRows(tuning))
        rows.push_back(row);
    for (const QStringList& row : modelRows(*spec))
        rows.push_back(row);
    if (const auto known = model::isUntuned(tuning) ? config::knownSizeFor(*spec) : std::nullopt) {
        rows.push_back(
            {QStringLiteral("known good size"),
             QStringLiteral("%1 for %2 on Cerebras CS systems; the search considers this size too")
                 .arg(groupedText(known->microBatchSize), QString::fromStdString(known->network))});
    }
}

/// Returns the size that the config holds or implies, or nothing if it is to be found.
std::optional<std::int64_t> settledSize(const config::BatchPlan& plan)
{
    if (std::holds_alternative<config::Whole>(plan.setting))
        return plan.perDeviceBatch();
    return plan.writtenSize();
}

/// Returns whether the size divides the batch exactly, and the division.
QString ruleText(const config::BatchPlan& plan, std::int64_t size)
{
    return QStringLiteral("%1: %2").arg(plan.dividesExactly(size) ? QStringLiteral("satisfied")
                                                                  : QStringLiteral("not satisfied"),
                                        QString::fromStdString(config::divisionText(plan, size)));
}

/// Adds the row of the divisibility rule: for Cerebras, its older rule, which neither its newer releases nor
/// our own configs need; for other trainers their own rule. A batch that is written as a product of the size
/// always satisfies it.
void addRuleRow(Rows& rows, const QString& phase, const config::ConfigContents& contents,
                const config::BatchPlan& plan, std::int64_t size)
{
    if (contents.rules.spreadsUnevenBatches) {
        rows.push_back({QStringLiteral("%1 strict rule").arg(phase),
                        plan.dividesExactly(size)
                            ? ruleText(plan, size)
                            : ruleText(plan, size) + QStringLiteral(", so samples are spread unevenly")});
    } else if (plan.knowsDevices) {
        rows.push_back({QStringLiteral("%1 rule").arg(phase), ruleText(plan, size)});
    }
}

/// Whether the batch is that of all devices and the number of devices that share it is unknown.
bool hasUnknownShares(const config::BatchPlan& plan)
{
    return plan.isOverAllDevices && !plan.knowsDevices;
}

void addPlanRows(Rows& rows, const QString& phase, const config::ConfigContents& contents,
                 const config::BatchPlan& plan)
{
    if (!engine::hasMicroBatches(plan)) {
        rows.push_back({QStringLiteral("%1 batch").arg(phase), engine::settingText(plan)});
        return;
    }
    rows.push_back(
        {QStringLiteral("%1 batch").arg(phase),
         plan.knowsDevices
             ? QStringLiteral("%1, %2 on each").arg(batchText(plan), groupedText(plan.perDeviceBatch()))
             : batchText(plan) + QStringLiteral("; the launcher decides how many there are")});
    rows.push_back({QStringLiteral("%1 micro-batch").arg(phase), engine::settingText(plan)});
    const auto size = settledSize(plan);
    if (!size)
        return;
    rows.push_back({QStringLiteral("%1 accumulation").arg(phase),
                    QStringLiteral("%1, of at most %2%3")
                        .arg(countText(plan.accumulationSteps(*size), QStringLiteral("step")),
                             countText(plan.evenMicroBatch(*size), QStringLiteral("sample")),
                             hasUnknownShares(plan) ? QStringLiteral(", on one device") : QString())});
    addRuleRow(rows, phase, contents, plan, *size);
}

/// Returns a row such as "line 12, train_input.batch_size" for each value that the config itself holds, in
/// the config's order.
Rows placeRows(const config::ConfigContents& contents)
{
    std::vector<config::SourceLocation> places;
    config::visitPlaces(contents.places, [&places](const char*, const config::SourceLocation& place) {
        if (std::ranges::find(places, place) == places.end())
            places.push_back(place);
    });
    std::ranges::stable_sort(places, {}, [](const config::SourceLocation& place) {
        return std::tuple(place.isInModelSource, place.position.line, place.position.column);
    });
    Rows rows;
    for (const auto& [key, position, isInModelSource] : places) {
        QString text = QStringLiteral("line %1, %2").arg(position.line).arg(QString::fromStdString(key));
        if (isInModelSource)
            text += QStringLiteral(" of %1").arg(QString::fromStdString(contents.modelSource));
        rows.push_back({rows.empty() ? QStringLiteral("read from") : QString(), text});
    }
    return rows;
}

/// Returns the sequence length; if the config does not give it, the length that trials would use.
QString lengthText(const config::ConfigContents& contents)
{
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (contents.sequenceLength > 0 || !spec || !model::takesSequences(*spec))
        return sequenceLengthText(contents.sequenceLength);
    return sequenceLengthText(model::defaultSequenceLength(*spec)) + QStringLiteral(" (usual for it)");
}

} // namespace

engine::NetworkPlan planHere(const QString& path, const config::ConfigContents& contents,
                             const engine::ExplorationOptions& options)
{
    engine::NetworkPlan plan = engine::planNetwork(path, contents, options);
    if (engine::dependsOnDevices(plan.load))
        engine::fitToDevices(plan, options, device::localDevices());
    return plan;
}

QString optimizerText(const config::ConfigContents& contents)
{
    QString name = engine::enumText(contents.optimizer);
    if (contents.optimizer == model::Optimizer::AdamW && contents.step.adamWStep != model::AdamWStep::Fused) {
        const bool isDecoupled = contents.step.adamWStep == model::AdamWStep::Decoupled;
        return name + (isDecoupled ? QStringLiteral(" operation by operation, as Composer's DecoupledAdamW")
                                   : QStringLiteral(" operation by operation"));
    }
    if (contents.optimizer == model::Optimizer::Sgd && !contents.step.keepsMomentum)
        return name + QStringLiteral(" without momentum");
    if (contents.step.wideEmbeddingMoments)
        return name + QStringLiteral(" with moments of embeddings in fp32");
    return name;
}

QString lossText(const config::ConfigContents& contents)
{
    if (!contents.step.recomputesLossChunks || contents.step.lossChunkRows == 0)
        return {};
    return QStringLiteral(", loss in chunks of %1 tokens, each computed again in backward")
        .arg(groupedText(contents.step.lossChunkRows));
}

QStringList contentsLines(const QString& path, const config::ConfigContents& contents,
                          const engine::ExplorationOptions& options)
{
    Rows rows{{QStringLiteral("config"), path},
              {QStringLiteral("format"), QString::fromStdString(contents.formatName)}};
    addModelRows(rows, contents, engine::chooseTuning(contents, options));
    addTrialRows(rows, path, contents, options);
    const QString decoder = contents.targetLength
                                ? QStringLiteral(", decoder %1").arg(groupedText(*contents.targetLength))
                                : QString();
    rows.push_back(
        {QStringLiteral("run"), QStringLiteral("%1, %2%3%4")
                                    .arg(engine::enumText(contents.precision), optimizerText(contents),
                                         lengthText(contents) + lossText(contents), decoder)});
    if (contents.isNetworkAlone())
        rows.push_back(
            {QStringLiteral("batch"), QStringLiteral("none: the config describes only a network")});
    if (contents.train)
        addPlanRows(rows, QStringLiteral("train"), contents, *contents.train);
    if (contents.eval)
        addPlanRows(rows, QStringLiteral("eval"), contents, *contents.eval);
    for (const Rows& more : {trainingSettingsRows(contents.training), placeRows(contents)})
        rows.insert(rows.end(), more.begin(), more.end());
    return alignedLines(rows);
}

QStringList warningLines(const QString& path, const config::ConfigContents& contents)
{
    QStringList lines;
    for (const config::Warning& warning : contents.warnings) {
        lines << engine::located(path, warning.position,
                                 QStringLiteral("warning: ") + QString::fromStdString(warning.sentence));
    }
    return lines;
}

} // namespace batchpeak::cli
