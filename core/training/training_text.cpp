// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_text.h"

#include "accumulation/micro_batches.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <QFileInfo>

namespace batchpeak::training {

using engine::Translated;

namespace {

using engine::bytesText;
using engine::numberText;

QString neededText(std::int64_t neededBytes, std::int64_t usableBytes)
{
    if (neededBytes <= 0 && usableBytes <= 0)
        return {};
    if (usableBytes <= 0)
        return QLatin1Char(' ') + Translated::tr("It needs at least %1.").arg(bytesText(neededBytes));
    if (neededBytes <= usableBytes)
        return QLatin1Char(' ') +
               Translated::tr("Memory ran out although %1 may be used, so the memory needed is unknown.")
                   .arg(bytesText(usableBytes));
    const auto [needed, usable] = engine::comparedBytesText(neededBytes, usableBytes);
    return QLatin1Char(' ') + Translated::tr("It needs at least %1, and %2 may be used.").arg(needed, usable);
}

QString outOfMemoryReason(const trial::BatchResult& result)
{
    return result.refusedHostBytes ? Translated::tr("the computer's main memory ran out")
                                   : Translated::tr("memory ran out");
}

} // namespace

QString dataText(const trial::DataChoice& data, const trial::TrainingReady& counted, const QLocale& locale)
{
    QString text = Translated::tr("synthetic");
    const QString path = QString::fromStdString(data.path);
    if (data.kind == trial::DataKind::Text)
        text = Translated::tr("%1 as bytes").arg(QFileInfo(path).fileName());
    else if (data.kind == trial::DataKind::Arrays)
        text = Translated::tr("arrays of tokens in %1").arg(path);
    if (counted.samples > 0)
        text = Translated::tr("%1, %2 samples an epoch").arg(text, numberText(counted.samples, locale));
    if (counted.heldOutSamples > 0)
        return Translated::tr("%1, %2 held out").arg(text, numberText(counted.heldOutSamples, locale));
    if (data.heldOut.samples > 0)
        return Translated::tr("%1, %2 held out").arg(text, numberText(data.heldOut.samples, locale));
    return data.heldOut.share > 0.0 ? Translated::tr("%1, %2 % held out")
                                          .arg(text, locale.toString(data.heldOut.share * 100.0, 'g', 3))
                                    : text;
}

QString changeText(const SizeChange& change, const trial::BatchResult& result, const QLocale& locale)
{
    const QString sizes =
        Translated::tr("from %1 to %2").arg(numberText(change.from, locale), numberText(change.to, locale));
    const bool isTraining = change.phase == model::Phase::Train;
    if (change.reason == SizeChange::Reason::Thrashing)
        return (isTraining
                    ? Translated::tr(
                          "From step %1 on the micro-batch is halved %2, since the allocator had to flush "
                          "its cache in two successive steps.")
                    : Translated::tr(
                          "After step %1 the micro-batch of evaluation is halved %2, since the allocator "
                          "had to flush its cache in two successive batches."))
            .arg(change.step)
            .arg(sizes);
    const QString reason = outOfMemoryReason(result);
    return (isTraining
                ? Translated::tr("Step %1: %2, so the micro-batch is halved %3 and the batch is tried again.")
                : Translated::tr(
                      "Evaluation after step %1: %2, so its micro-batch is halved %3; that of training "
                      "stays."))
        .arg(change.step)
        .arg(reason, sizes);
}

QString growthText(const ScheduleEntry& entry, std::int64_t maximum, const QLocale& locale)
{
    using Kind = accumulation::GrowthDecision::Kind;
    const QString micro = numberText(entry.microBatchSize, locale);
    const QString increment = numberText(entry.increment, locale);
    switch (entry.decision) {
    case Kind::Stays:
        return Translated::tr("Epoch %1: the batch stays as it is.").arg(entry.epoch + 1);
    case Kind::Changes:
        return Translated::tr("Epoch %1: the micro-batch changes by %2 to %3, and the batch of a step to %4.")
            .arg(entry.epoch + 1)
            .arg(increment, micro, numberText(entry.batchSize, locale));
    case Kind::PassesMaximum:
        return Translated::tr(
                   "Epoch %1: an increment of %2 is ignored, since %3 samples and those would pass the "
                   "maximum, %4.")
            .arg(entry.epoch + 1)
            .arg(increment, micro, numberText(maximum, locale));
    case Kind::LeavesNothing:
        break;
    }
    return Translated::tr(
               "Epoch %1: an increment of %2 is ignored, since it would leave nothing of %3 samples.")
        .arg(entry.epoch + 1)
        .arg(increment, micro);
}

QString maximumText(const MaximumFound& maximum, const QLocale& locale)
{
    return Translated::tr("The largest micro-batch that ran is %1 (%2, %3 trials, %4 of them out of memory).")
        .arg(numberText(maximum.measured, locale), toText(maximum.way))
        .arg(maximum.trials)
        .arg(maximum.outOfMemoryEvents);
}

QString resumedText(const QString& path, std::int64_t step)
{
    return Translated::tr("Resumes from %1, after step %2.").arg(path).arg(step);
}

QString misfitText(const Misfit& misfit)
{
    const QString needed = neededText(misfit.neededBytes, misfit.usableBytes);
    const QString moreMemory =
        Translated::tr("Raise the memory limit, use another device or shorten the sequence length.");
    if (misfit.phase == model::Phase::Eval)
        return Translated::tr("The eval loop failed with an internal microbatch of size 1.") + needed +
               QLatin1Char(' ') + moreMemory;
    if (misfit.microBatchSize == 1)
        return Translated::tr("The train loop failed with an internal microbatch of size 1.") + needed +
               QLatin1Char(' ') + moreMemory;
    const QString text = Translated::tr("Memory ran out with micro-batches of %1 samples.")
                             .arg(numberText(misfit.microBatchSize, QLocale())) +
                         needed + QLatin1Char(' ');
    if (!misfit.mayBeSmaller)
        return text +
               Translated::tr("The batch cannot be cut; lower it in the config, raise the memory limit or "
                              "use another device.");
    return text +
           Translated::tr("Give a smaller size with --setting, or --setting auto-halving, which halves it "
                          "until it fits.");
}

QString parametersMisfitText(std::int64_t neededBytes, std::int64_t usableBytes)
{
    const auto [needed, usable] = engine::comparedBytesText(neededBytes, usableBytes);
    return Translated::tr(
               "The network alone, without any sample, needs %1, and %2 may be used. Raise the memory "
               "limit or use another device.")
        .arg(needed, usable);
}

QString notSavedText(std::int64_t step, const QString& why)
{
    return Translated::tr("The checkpoint of step %1 could not be written. %2").arg(step).arg(why);
}

QString microBatchesText(const trial::BatchRequest& batch, const QLocale& locale)
{
    const auto spread = accumulation::evenSpread(batch.samples, batch.microBatchSize);
    const QString size = numberText(spread.size, locale);
    if (spread.ofOneMore > 0)
        return Translated::tr("%1 and %2 samples").arg(size, numberText(spread.size + 1, locale));
    return spread.size == 1 ? Translated::tr("1 sample") : Translated::tr("%1 samples").arg(size);
}

QString failedBatchText(std::int64_t step, const trial::BatchRequest& batch, const trial::BatchResult& result)
{
    const QString why = result.text.empty() ? Translated::tr("The worker did not say why.")
                                            : QString::fromStdString(result.text);
    const QString text =
        result.outcome == trial::Outcome::Unsupported
            ? Translated::tr("Step %1 cannot be run with micro-batches of %2, whatever the memory: %3 Give "
                             "another size with --setting.")
            : Translated::tr("Step %1 failed with micro-batches of %2: %3");
    return text.arg(step).arg(microBatchesText(batch), why);
}

QString memoryLostText()
{
    return Translated::tr(
        "Memory ran out, and the device did not get it back, so the worker had to end and what "
        "it had learned is lost. Start with a smaller micro-batch size.");
}

QString tooLittleDataText(const trial::TrainingReady& ready, std::int64_t batchSize)
{
    if (ready.heldOutSamples > 0)
        return Translated::tr(
                   "%1 samples are held out, and the %2 that are left are less than one batch of %3. "
                   "Hold out fewer with --eval-split, or give more data.")
            .arg(ready.heldOutSamples)
            .arg(ready.samples)
            .arg(batchSize);
    return Translated::tr(
               "The data has %1 samples, less than one batch of %2. Give more data with --data, or "
               "lower the batch in the config.")
        .arg(ready.samples)
        .arg(batchSize);
}

QString nothingHeldOutText()
{
    return Translated::tr(
        "The worker holds no samples out for evaluation. Leave out --eval-split, or train with "
        "batchpeak's own worker.");
}

QString otherHeldOutText(std::int64_t told, std::int64_t asked)
{
    return Translated::tr("The worker says that it holds %1 samples out for evaluation, where %2 were asked "
                          "for. Train with batchpeak's own worker.")
        .arg(numberText(told, QLocale()), numberText(asked, QLocale()));
}

QString otherDataText(std::int64_t samplesThen, std::int64_t samplesNow)
{
    return Translated::tr(
               "The data has %1 samples, and had %2 when the checkpoint was written, so that other "
               "ones would be held out. Go on with the data as it was, or start afresh without "
               "--resume.")
        .arg(samplesNow)
        .arg(samplesThen);
}

QString otherEpochText(std::int64_t samplesThen, std::int64_t samplesNow)
{
    return Translated::tr("The data has %1 samples an epoch, and had %2 when the checkpoint was written, so "
                          "that the training goes on otherwise than it would have; give the data as it was, "
                          "or start afresh without --resume.")
        .arg(numberText(samplesNow, QLocale()), numberText(samplesThen, QLocale()));
}

QString damagedTensorsText(const QString& tensors)
{
    return Translated::tr("The tensors in %1 are not those that were written: their checksum is another one "
                          "than the state of the checkpoint says.")
        .arg(tensors);
}

QString noTensorHashText(std::int64_t step, const QString& why)
{
    return Translated::tr("The checkpoint of step %1 is written, but without the checksum of its tensors, by "
                          "which damage would be noticed. %2")
        .arg(step)
        .arg(why);
}

QString nothingLeftText(std::int64_t step)
{
    return Translated::tr("The checkpoint is of the last step, %1; give more --epochs or --steps.").arg(step);
}

QString divergedText(std::int64_t step)
{
    return Translated::tr("Step %1: loss is NaN: training diverged. It goes on, since its speed does not "
                          "depend on the loss; try a lower learning rate.")
        .arg(step);
}

QString resumeText(const QString& checkpoint)
{
    return Translated::tr("Resume from its last checkpoint with --resume %1.").arg(checkpoint);
}

QString resumeOlderText(const QString& older)
{
    if (older.isEmpty())
        return Translated::tr("There is no older checkpoint beside it; start afresh without --resume.");
    return Translated::tr("Resume from the checkpoint before it with --resume %1.").arg(older);
}

QString resumeWholeText(const QString& whole)
{
    if (whole.isEmpty())
        return Translated::tr("There is no whole one beside it; start afresh without --resume.");
    return Translated::tr("The newest whole one there goes on with --resume %1.").arg(whole);
}

QString noCheckpointText(const TrainingOptions& options)
{
    if (options.checkpointFolder.isEmpty())
        return Translated::tr(
            "Nothing was saved. To be able to resume, train with --checkpoint DIR and --checkpoint-every N.");
    if (options.checkpointEvery == 0)
        return Translated::tr("There is no checkpoint to resume from; start afresh, with "
                              "--checkpoint-every N to save before the end, too.");
    return Translated::tr("There is no checkpoint to resume from; start afresh.");
}

QString endText(TrainingEnd end, std::int64_t steps)
{
    switch (end) {
    case TrainingEnd::Completed:
        return Translated::tr("Training done after step %1.").arg(steps);
    case TrainingEnd::Interrupted:
        return Translated::tr("Training stopped after step %1.").arg(steps);
    case TrainingEnd::NothingFits:
        return Translated::tr("Nothing fits the memory.");
    case TrainingEnd::Failed:
        break;
    }
    return Translated::tr("Training failed.");
}

} // namespace batchpeak::training
