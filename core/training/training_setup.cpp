// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_setup.h"

#include "accumulation/micro_batches.h"
#include "checkpoints/checkpoint_folder.h"
#include "files/trusted_code.h"
#include "growth/growth_function.h"
#include "plan/exploration_plan.h"
#include "store/program_lock.h"
#include "text/errors.h"
#include "text/readable_text.h"
#include "text/translated.h"
#include "training_text.h"
#include "trial/protocol.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QUuid>

#include <algorithm>
#include <utility>

namespace batchpeak::training {

using engine::Translated;

namespace {

using Entries = QMap<QString, QString>;

/// Adds the fields of a message, with those of nested objects as "model.layers". This includes every field of
/// a request.
void addFields(const QString& prefix, const QJsonObject& object, Entries& entries)
{
    for (auto field = object.begin(); field != object.end(); ++field) {
        const QString key = prefix + field.key();
        if (field->isObject())
            addFields(key + QLatin1Char('.'), field->toObject(), entries);
        else
            entries.insert(
                key,
                QString::fromUtf8(
                    QJsonDocument(QJsonObject{{QStringLiteral("v"), *field}}).toJson(QJsonDocument::Compact))
                    .mid(5)
                    .chopped(1));
    }
}

void addMessage(const trial::ParentMessage& message, Entries& entries)
{
    addFields({}, QJsonDocument::fromJson(QByteArray::fromStdString(trial::toLine(message))).object(),
              entries);
}

Entries entriesOf(const QString& fingerprint)
{
    Entries entries;
    for (const QString& line : fingerprint.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        entries.insert(line.section(QLatin1String(": "), 0, 0), line.section(QLatin1String(": "), 1));
    return entries;
}

/// Returns the devices of the run, of which the first one trains. Without an option these are every GPU, or
/// the CPU if there is none.
engine::RunDevices oneDevice(const TrainingPlan& plan, const TrainingOptions& options,
                             const engine::ExplorationParts& parts)
{
    engine::RunDevices devices(plan.load, options.run, parts);
    if (devices.setups().size() > 1 && !options.run.devices.isEmpty())
        throw engine::ExplorationError(
            Translated::tr("A training runs on one device, and %1 are named; name one "
                           "with --device, as %2.")
                .arg(devices.setups().size())
                .arg(devices.setups().front().id));
    return devices;
}

[[noreturn]] void refuse(const QString& path, const QString& sentence)
{
    throw config::ConfigError(engine::located(path, {}, sentence).toStdString());
}

void refuseUnlike(const CheckpointFolder::Found& found, const TrainingSetup& setup)
{
    const QStringList differences = fingerprintDifferences(found.state.fingerprint, setup.fingerprint);
    if (!differences.isEmpty())
        refuse(found.path,
               Translated::tr("This checkpoint is of another training (%1). Give what it was begun "
                              "with, or start afresh without --resume.")
                   .arg(differences.join(QLatin1String("; "))));
    const auto steps = setup.plan.length.steps;
    if (steps && found.state.step >= *steps)
        refuse(found.path,
               Translated::tr("This checkpoint is of step %1 already, and %2 are asked for in all; give "
                              "a higher --steps.")
                   .arg(found.state.step)
                   .arg(*steps));
}

/// Refuses a state that someone, or a disk, has changed, since it would train differently than reported. For
/// a state without its own checksum, only these changes are detected.
void refuseImpossible(const CheckpointFolder::Found& found, const TrainingSetup& setup)
{
    const CheckpointState& state = found.state;
    const auto refuseIt = [&](const QString& sentence) {
        refuse(found.path, sentence + QLatin1Char(' ') + resumeOlderText(olderCheckpoint(found.path)));
    };
    if (!setup.plan.grows() && state.batchSize != setup.batchSize)
        refuseIt(Translated::tr("The state of this checkpoint has a batch_size of %1, where the training has "
                                "batches of %2 samples; resume from another checkpoint.")
                     .arg(state.batchSize)
                     .arg(setup.batchSize));
    if (state.microBatchSize > state.batchSize)
        refuseIt(
            Translated::tr("The state of this checkpoint has a micro_batch_size of %1, which is more than "
                           "its batch_size of %2; resume from another checkpoint.")
                .arg(state.microBatchSize)
                .arg(state.batchSize));
}

/// Returns the size to continue with. A size that the user fixes may differ from the previous one, for
/// example because that one did not fit.
std::int64_t sizeToContinueWith(const CheckpointState& state, const TrainingPlan& plan)
{
    if (plan.sizes.halves || plan.description.maximum)
        return state.microBatchSize;
    return accumulation::evenSpread(state.batchSize, plan.sizes.training).largest();
}

QStringList differencesOf(const CheckpointState& state, const TrainingSetup& setup)
{
    QStringList differences;
    const auto told = [](std::int64_t number) { return engine::numberText(number); };
    if (state.batchSize != setup.batchSize)
        differences.append(Translated::tr("It goes on with batches of %1 samples, to which those of %2 had "
                                          "grown.")
                               .arg(told(state.batchSize), told(setup.batchSize)));
    if (const std::int64_t size = sizeToContinueWith(state, setup.plan); size != state.microBatchSize)
        differences.append(Translated::tr("It goes on with micro-batches of %1, where the checkpoint was "
                                          "written with those of %2.")
                               .arg(told(size), told(state.microBatchSize)));
    return differences;
}

void continueFrom(TrainingSetup& setup, const CheckpointFolder::Found& found)
{
    refuseUnlike(found, setup);
    refuseImpossible(found, setup);
    const CheckpointState& state = found.state;
    TrainingPlan& plan = setup.plan;
    setup.resumedFrom = found.path;
    setup.training = state.training;
    setup.resumedSamples = state.samples + state.heldOutSamples;
    setup.resumedEpochSamples = state.samples;
    setup.resumedHash = state.tensorHash;
    setup.resumedDifferences = differencesOf(state, setup);
    setup.position = {.step = state.step, .epoch = state.epoch, .samplesDone = state.samplesDone};
    setup.batchSize = state.batchSize;
    plan.request.checkpoint = found.tensors.toStdString();
    plan.sizes.training = sizeToContinueWith(state, plan);
    plan.sizes.thrashingInARow = state.thrashingInARow;
    plan.sizes.evaluation = std::min(state.evaluationMicroBatchSize, plan.evaluationBatchSize);
    plan.description.firstStep = state.step;
    plan.description.batchSize = state.batchSize;
    if (const std::int64_t samples = countedSamples(plan.request.data).samples; samples > 0)
        plan.description.steps =
            BatchSequence(samples, plan.length, setup.position).stepsInAll(state.batchSize);
    // The result of the search is known; a growing batch needs its bound again.
    if (!plan.grows() && plan.description.maximum) {
        plan.description.maximum.reset();
        plan.sizes.halves = true;
    }
}

void claim(const QString& folder, TrainingSetup& setup)
{
    setup.checkpointLock = CheckpointFolder(folder).claim(setup.training);
    if (!setup.checkpointLock->isTaken())
        setup.plan.notes.append(Translated::tr("The file system of %1 has no locks, so nothing keeps another "
                                               "training from writing its checkpoints there; see to it that "
                                               "none does.")
                                    .arg(folder));
}

} // namespace

QString fingerprintOf(const TrainingPlan& plan)
{
    Entries entries;
    trial::TrainingRequest request = plan.request;
    request.checkpoint.clear();
    addMessage(plan.load, entries);
    addMessage(request, entries);
    for (const char* key : {"type", "checkpoint", "memory_limit_bytes"})
        entries.remove(QLatin1String(key));
    entries.insert(QStringLiteral("batch_size"), QString::number(plan.description.batchSize));
    entries.insert(QStringLiteral("batch_increase_function"), plan.description.growth);
    QString fingerprint;
    for (auto entry = entries.begin(); entry != entries.end(); ++entry)
        fingerprint += entry.key() + QLatin1String(": ") + entry.value() + QLatin1Char('\n');
    return fingerprint;
}

QStringList fingerprintDifferences(const QString& there, const QString& here)
{
    const Entries before = entriesOf(there);
    const Entries now = entriesOf(here);
    const QString nothing = Translated::tr("nothing");
    QStringList differences;
    Entries all = before;
    all.insert(now);
    for (auto entry = all.begin(); entry != all.end(); ++entry) {
        const QString then = before.value(entry.key(), nothing);
        const QString present = now.value(entry.key(), nothing);
        if (then != present)
            differences.append(Translated::tr("%1: %2 there, %3 here").arg(entry.key(), then, present));
    }
    return differences;
}

TrainingSetup setUpTraining(const QString& filePath, const config::ConfigContents& contents,
                            const TrainingOptions& options, const engine::ExplorationParts& parts)
{
    TrainingSetup setup{.filePath = filePath,
                        .contents = contents,
                        .options = options,
                        .parts = parts,
                        .plan = planTraining(filePath, contents, options)};
    setup.devices = oneDevice(setup.plan, options, parts);
    setup.plan.notes += engine::judgePrecision(setup.plan.description.run.fidelity, setup.plan.load,
                                               {setup.devices.setups().front().id});
    setup.batchSize = setup.plan.description.batchSize;
    setup.fingerprint = fingerprintOf(setup.plan);
    const QString& growth = setup.plan.description.growth;
    // A function that cannot be read is reported before anything runs.
    if (setup.plan.grows())
        makeGrowthFunction(growth);
    // A file that the user gives as an option is trusted.
    if (options.growth.isEmpty() && isPythonFile(growth))
        setup.growthCode = engine::requireTrust(growth, options.run.trustsCode);
    setup.training = QUuid::createUuid().toString(QUuid::WithoutBraces);
    if (!options.resumeFolder.isEmpty())
        continueFrom(setup, CheckpointFolder(options.resumeFolder).newest());
    if (!options.checkpointFolder.isEmpty())
        claim(options.checkpointFolder, setup);
    return setup;
}

} // namespace batchpeak::training
