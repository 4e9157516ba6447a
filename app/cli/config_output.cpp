// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_output.h"

#include "command.h"
#include "console.h"
#include "engine/event_log.h"
#include "files/output_place.h"
#include "files/written_config.h"
#include "options/option_table.h"
#include "options/option_values.h"
#include "plan/exploration_plan.h"
#include "plan/plan_offers.h"
#include "store/exploration_store.h"
#include "text/batch_text.h"
#include "text/json_fields.h"
#include "text/shell_quoting.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QStringList>

#include <algorithm>
#include <cerrno>

namespace batchpeak::cli {

namespace {

using Kind = GlobalBatchOption::Kind;

GlobalBatchOption globalBatchFromText(const std::string& text)
{
    if (text == "below")
        return {.kind = Kind::Below};
    if (text == "above")
        return {.kind = Kind::Above};
    try {
        return {.kind = Kind::Given, .batch = engine::countFromText(text, 1, engine::largestBatch)};
    } catch (const UsageError&) {
        throw engine::ValueError(text, "must be below, above or a whole number between %1 and %2",
                                 {1, static_cast<double>(engine::largestBatch)});
    }
}

void refuseWhereTheSizeIsTheBatch(const engine::ConfigFile& file, model::Phase phase)
{
    const auto& plan = file.contents().plan(phase);
    if (plan && !engine::hasMicroBatches(*plan)) {
        throw UsageError("the size of this phase is its batch (" + plan->microBatchKey +
                         "), so there is no other batch to write; remove --global-batch.");
    }
}

std::int64_t nearest(const config::BatchNotKept& notKept, Kind kind)
{
    if (kind == Kind::Above)
        return notKept.above();
    if (!notKept.below()) {
        throw UsageError(std::string(notKept.what()) +
                         " There is no smaller batch; use the larger one with --global-batch above.");
    }
    return *notKept.below();
}

/// Returns the batches that are possible, each once: "24 or 36,", "3".
std::string batchesText(const config::BatchNotKept& notKept)
{
    std::vector<std::int64_t> batches{notKept.single(), notKept.below().value_or(notKept.above()),
                                      notKept.above()};
    batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
    std::string text = std::to_string(batches.front());
    for (std::size_t place = 1; place < batches.size(); ++place)
        text += (place + 1 < batches.size() ? ", " : " or ") + std::to_string(batches[place]);
    return batches.size() > 1 ? text + "," : text;
}

config::ChosenSize& sizeOf(model::Phase phase, std::vector<config::ChosenSize>& chosen)
{
    return *std::ranges::find(chosen, phase, &config::ChosenSize::phase);
}

/// Returns the config's text with the sizes and the requested batch in it; a number is the batch of the first
/// size.
/// \throws config::BatchNotKept if a batch cannot be kept, and none was requested in its place
config::SplicedText withSizes(const engine::ConfigFile& file, std::vector<config::ChosenSize> chosen,
                              const GlobalBatchOption& option)
{
    if (option.kind != Kind::Kept)
        refuseWhereTheSizeIsTheBatch(file, chosen.front().phase);
    if (option.kind == Kind::Given)
        chosen.front().globalBatchSize = option.batch;
    if (option.kind != Kind::Below && option.kind != Kind::Above)
        return file.withMicroBatchSizes(chosen);
    // Each size has its own batch.
    for (std::size_t asked = 0; asked < chosen.size(); ++asked) {
        try {
            return file.withMicroBatchSizes(chosen);
        } catch (const config::BatchNotKept& notKept) {
            sizeOf(notKept.phase(), chosen).globalBatchSize = nearest(notKept, option.kind);
        }
    }
    return file.withMicroBatchSizes(chosen);
}

/// Returns the value of --global-batch for an export command; empty if no batch was requested.
QString globalBatchWord(const config::ChosenSize& chosen, const GlobalBatchOption& option)
{
    if (chosen.globalBatchSize)
        return QString::number(*chosen.globalBatchSize);
    switch (option.kind) {
    case Kind::Below:
        return QStringLiteral("below");
    case Kind::Above:
        return QStringLiteral("above");
    case Kind::Given:
        return QString::number(option.batch);
    case Kind::Kept:
        break;
    }
    return {};
}

config::SplicedText chosenText(const engine::ConfigFile& file, std::vector<config::ChosenSize> chosen,
                               const OutputOptions& options)
{
    try {
        return withSizes(file, chosen, options.globalBatch);
    } catch (const config::BatchNotKept& notKept) {
        sizeOf(notKept.phase(), chosen).globalBatchSize = notKept.above();
        const QString command = exportCommand(file, chosen, options);
        throw UsageError(std::string(notKept.what()) + " Use --global-batch " + batchesText(notKept) +
                         " or another size. Nothing was written; this writes " +
                         std::to_string(notKept.above()) + ": " + command.toStdString());
    }
}

/// \throws UsageError if \p target exists already, unless it is the config that is to be written in place
void refuseToReplace(const engine::ConfigFile& file, const QString& target, const OutputOptions& options)
{
    if (options.inPlace)
        return;
    if (engine::isSameFile(target, file.path())) {
        throw UsageError(
            QStringLiteral("%1 is the config itself, and was not overwritten; write into it with "
                           "--in-place, or name another file.")
                .arg(target)
                .toStdString());
    }
    if (writesToStdout(options))
        return;
    const auto obstacle = engine::obstacleTo(target, engine::filesNeededBy(file) + options.alsoNeeded);
    if (obstacle == engine::OutputObstacle::Needed) {
        throw UsageError(QStringLiteral("%1 is a file that this command needs, and was not overwritten; name "
                                        "another file.")
                             .arg(target)
                             .toStdString());
    }
    if (obstacle == engine::OutputObstacle::None || options.force)
        return;
    throw UsageError(
        QStringLiteral("%1 already exists, and was not overwritten; name another file, or add --force.")
            .arg(target)
            .toStdString());
}

/// Returns the result of engine::wayToWrite(), and handles pipes and devices too.
engine::WayToWrite wayTo(const QString& target)
{
    if (!engine::isStream(target))
        return engine::wayToWrite(target);
    // The check does not open a pipe: closing it would signal the end of the data to its reader.
    return {.problem = QFileInfo(target).isWritable() ? QString() : qt_error_string(EACCES)};
}

const QString holdsItAlready = QStringLiteral("The config already has this content, so nothing was written.");

/// \param target  path of outputPath(); if empty, the change is that of the config itself
void showChange(const engine::ConfigFile& file, const config::SplicedText& spliced, const QString& target,
                Console& console)
{
    const QString change = file.changeIn(spliced, target.isEmpty() ? file.path() : target);
    if (change.isEmpty())
        console.remark(QStringLiteral("The config already has this content, so nothing would change."));
    else
        console.quote(change.toUtf8());
}

} // namespace

void addOutputOptions(Options& options, OutputOptions& output)
{
    options.addText("--output", "FILE", "Write the config with the size to this file; - is stdout",
                    output.output);
    options.addFlag("--in-place", "Write the size into FILE itself", output.inPlace);
    options.addFlag("--force", "Overwrite an existing file that --output or --events names", output.force);
    options.addText("--global-batch", "N|below|above",
                    "Samples of one optimizer step to write with the size: N, or the nearest where the "
                    "present number cannot be kept",
                    [&output](const std::string& text) { output.globalBatch = globalBatchFromText(text); });
    options.addFlag("--diff", "Show what would change in the config, as a unified diff, and write nothing",
                    output.diff);
}

void checkOutputOptions(const OutputOptions& options)
{
    if (!options.output.empty() && options.inPlace)
        throw UsageError("--output and --in-place exclude each other; keep the one that you mean.");
}

QString outputPath(const engine::ConfigFile& file, const OutputOptions& options)
{
    return options.inPlace ? file.path() : QString::fromStdString(options.output);
}

bool writesToStdout(const OutputOptions& options)
{
    return !options.inPlace && leadsToStdout(QString::fromStdString(options.output));
}

void checkTarget(const engine::ConfigFile& file, const OutputOptions& options, Console& console)
{
    const QString target = outputPath(file, options);
    if (target.isEmpty() || options.diff)
        return;
    refuseToReplace(file, target, options);
    if (writesToStdout(options))
        return;
    const engine::WayToWrite way = wayTo(target);
    if (!way.problem.isEmpty()) {
        throw UsageError(
            QStringLiteral("%1 cannot be written: %2. Name another file, or make this one writable.")
                .arg(target, way.problem)
                .toStdString());
    }
    if (way.inPlace.isEmpty())
        return;
    if (const QString why = engine::keepError(store::ExplorationStore::defaultPath()); !why.isEmpty()) {
        throw UsageError(QStringLiteral("%1 can only be written in place, because %2, and its present "
                                        "content cannot be saved first; name another file with --output. %3")
                             .arg(target, way.inPlace, why)
                             .toStdString());
    }
    console.remark(engine::inPlaceText(target, way.inPlace));
}

engine::ExplorationOptions optionsForWriting(const engine::ConfigFile& file,
                                             const engine::ExplorationOptions& options,
                                             const OutputOptions& output, Console& console)
{
    const auto& plan = file.contents().plan(options.phase);
    if (!plan || !engine::hasMicroBatches(*plan))
        return options;
    if (const auto offer = engine::offerOfBothPhases(file.contents(), options);
        offer && output.asksForAConfig())
        console.remark(QStringLiteral("%1 To explore both, add %2.").arg(offer->reason, offer->words));
    engine::ExplorationOptions chosen = options;
    const bool isKept = !options.setting && engine::settingAsked(*plan, options) != plan->setting;
    // A batch other than the config's has other divisors.
    if (isKept && output.globalBatch.kind != Kind::Kept)
        chosen.setting = config::Explore{};
    else if (isKept)
        console.remark(
            QStringLiteral("Only the sizes that divide the batch of %1 are explored, since writing one "
                           "keeps that batch. To explore all, add %2.")
                .arg(plan->perDeviceBatch())
                .arg(output.asksForAConfig() ? QStringLiteral("--global-batch below or above, which changes "
                                                              "the batch with the size")
                                             : QStringLiteral("--setting explore")));
    const bool isNearest = output.globalBatch.kind == Kind::Below || output.globalBatch.kind == Kind::Above;
    if (!output.asksForAConfig() || isNearest ||
        !std::holds_alternative<config::Explore>(engine::settingAsked(*plan, chosen)))
        return chosen;
    const bool isGiven = output.globalBatch.kind == Kind::Given;
    console.remark(QStringLiteral("A size that %1 the batch of %2 will not be written. To have the batch "
                                  "follow the size, use --global-batch below or above%3.")
                       .arg(file.contents().rules.takesUnevenSizes() ? QStringLiteral("is above")
                                                                     : QStringLiteral("does not divide"))
                       .arg(isGiven ? output.globalBatch.batch : plan->perDeviceBatch())
                       .arg(isGiven ? QString() : QStringLiteral("; to keep the batch, --setting auto")));
    return chosen;
}

QStringList wordsFor(const OutputOptions& options)
{
    QStringList words;
    if (!options.output.empty())
        words << QStringLiteral("--output")
              << QFileInfo(QString::fromStdString(options.output)).absoluteFilePath();
    if (options.inPlace)
        words << QStringLiteral("--in-place");
    if (options.force)
        words << QStringLiteral("--force");
    if (const QString batch = globalBatchWord({}, options.globalBatch); !batch.isEmpty())
        words << QStringLiteral("--global-batch") << batch;
    return words;
}

QString exportCommand(const engine::ConfigFile& file, const std::vector<config::ChosenSize>& chosen,
                      const OutputOptions& options)
{
    QStringList commands;
    // The first command's output is the input of the others.
    QString input = file.path();
    OutputOptions place = options;
    GlobalBatchOption batchOption = options.globalBatch;
    for (const config::ChosenSize& size : chosen) {
        QStringList words{QStringLiteral("batchpeak export"), engine::quotedForShell(input),
                          QStringLiteral("--size"), QString::number(size.microBatchSize)};
        if (size.phase != model::Phase::Train)
            words << QStringLiteral("--phase eval");
        if (const QString batch = globalBatchWord(size, batchOption); !batch.isEmpty())
            words << QStringLiteral("--global-batch") << batch;
        if (place.output.empty()) {
            words << QStringLiteral("--in-place");
        } else {
            words << QStringLiteral("--output")
                  << engine::quotedForShell(QString::fromStdString(place.output));
            if (place.force)
                words << QStringLiteral("--force");
            input = QString::fromStdString(place.output);
            place = {.inPlace = true};
        }
        commands << words.join(QLatin1Char(' '));
        if (batchOption.kind == Kind::Given)
            batchOption = {};
    }
    return commands.join(QStringLiteral(" && "));
}

void writeSizes(const engine::ConfigFile& file, const std::vector<config::ChosenSize>& chosen,
                const OutputOptions& options, Console& console)
{
    const auto spliced = chosenText(file, chosen, options);
    for (const std::string& note : spliced.notes)
        console.remark(QString::fromStdString(note));
    const QString target = outputPath(file, options);
    if (options.diff)
        return showChange(file, spliced, target, console);
    if (target.isEmpty())
        return printBytes(spliced.text);
    refuseToReplace(file, target, options);
    if (writesToStdout(options))
        return printBytes(spliced.text);
    if (engine::holdsAlready(file, spliced, target))
        return console.remark(holdsItAlready);
    const auto saved = engine::saveKept(file, spliced, target, store::ExplorationStore::defaultPath());
    console.answer(QStringLiteral("Wrote %1").arg(target));
    for (const QString& sentence : saved.sentences())
        console.remark(QStringLiteral("warning: ") + sentence);
}

QJsonObject writtenObject(const engine::ConfigFile& file, const config::ChosenSize& chosen,
                          const OutputOptions& options)
{
    const auto spliced = chosenText(file, {chosen}, options);
    const QString target = outputPath(file, options);
    const QString diff = file.changeIn(spliced, target.isEmpty() ? file.path() : target);
    QJsonArray notes;
    for (const std::string& note : spliced.notes)
        notes.append(QString::fromStdString(note));
    const bool writes = !target.isEmpty() && !options.diff && !engine::holdsAlready(file, spliced, target);
    if (writes) {
        refuseToReplace(file, target, options);
        for (const QString& sentence :
             engine::saveKept(file, spliced, target, store::ExplorationStore::defaultPath()).sentences())
            notes.append(sentence);
    }
    const auto plan = config::recognize(spliced.text)->read().plan(chosen.phase);
    const std::int64_t steps = plan ? plan->accumulationSteps(chosen.microBatchSize) : 0;
    return {{QStringLiteral("file"), file.path()},
            {QStringLiteral("output"), engine::textOrNull(target)},
            {QStringLiteral("written"), writes},
            {QStringLiteral("phase"), engine::enumText(chosen.phase)},
            {QStringLiteral("micro_batch_size"), engine::eventNumber(chosen.microBatchSize)},
            {QStringLiteral("batch_size"), plan ? engine::eventNumber(plan->globalBatchSize) : QJsonValue()},
            {QStringLiteral("accumulation_steps"), plan ? engine::eventNumber(steps) : QJsonValue()},
            {QStringLiteral("changed"), !diff.isEmpty()},
            {QStringLiteral("diff"), diff},
            {QStringLiteral("text"), QString::fromStdString(spliced.text)},
            {QStringLiteral("notes"), notes}};
}

namespace {

/// \throws UsageError if nothing can be taken back, or a later change would be lost
engine::LastWriting writingToTakeBack(const QString& path, const OutputOptions& options)
{
    const auto last = engine::lastWriting(path, store::ExplorationStore::defaultPath());
    if (!last) {
        throw UsageError(QStringLiteral("there is no export to undo for %1.").arg(path).toStdString());
    }
    if (last->isChangedSince() && !options.diff && !options.force) {
        throw UsageError(
            QStringLiteral(
                "%1 Nothing was restored; --diff shows what would be lost, and --force restores anyway.")
                .arg(last->changeText())
                .toStdString());
    }
    return *last;
}

} // namespace

void takeSizeBack(const QString& path, const OutputOptions& options, Console& console)
{
    const engine::LastWriting last = writingToTakeBack(path, options);
    if (options.diff) {
        const QString change = engine::changeByTakingBack(last);
        if (change.isEmpty())
            console.remark(QStringLiteral("The file already has this content, so nothing would change."));
        else
            console.quote(change.toUtf8());
        return;
    }
    engine::takeBack(last, store::ExplorationStore::defaultPath());
    console.answer(last.written.before
                       ? QStringLiteral("Restored the previous content of %1").arg(path)
                       : QStringLiteral("Removed %1, which did not exist before the export").arg(path));
}

QJsonObject takenBackObject(const QString& path, const OutputOptions& options)
{
    const engine::LastWriting last = writingToTakeBack(path, options);
    const QString diff = engine::changeByTakingBack(last);
    if (!options.diff)
        engine::takeBack(last, store::ExplorationStore::defaultPath());
    return {{QStringLiteral("file"), path},
            {QStringLiteral("output"), path},
            {QStringLiteral("written"), !options.diff},
            {QStringLiteral("changed"), !diff.isEmpty()},
            {QStringLiteral("diff"), diff},
            {QStringLiteral("text"),
             last.written.before ? QJsonValue(QString::fromUtf8(*last.written.before)) : QJsonValue()}};
}

void printBytes(const std::string& text)
{
    Console().quote(QByteArray::fromStdString(text));
}

} // namespace batchpeak::cli
