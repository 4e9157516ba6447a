// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training_options.h"
#include "training_snapshot.h"

#include <QLocale>
#include <QString>

#include <cstdint>

namespace batchpeak::training {

/// Sentences of a training run, for its log and its failures.

/// Returns a text such as "synthetic, 512 samples an epoch" or "shakespeare.txt as bytes, 1,140 samples an
/// epoch, 60 held out".
/// \param counted  numbers of samples of both kinds; 0 if they are not known yet
QString dataText(const trial::DataChoice& data, const trial::TrainingReady& counted,
                 const QLocale& locale = QLocale());

/// Returns a text such as "Step 12: memory ran out, so the micro-batch is halved from 32 to 16 and the batch
/// tried again."
/// \param result  result of the attempt that led to the change
QString changeText(const SizeChange& change, const trial::BatchResult& result,
                   const QLocale& locale = QLocale());

/// Returns a text such as "Epoch 3: the micro-batch grows by 4 to 20, and the batch to 40.", or one that says
/// which increment was ignored, and why. The text counts epochs from 1.
/// \param maximum  maximum that the increment was compared with
QString growthText(const ScheduleEntry& entry, std::int64_t maximum, const QLocale& locale = QLocale());

QString maximumText(const MaximumFound& maximum, const QLocale& locale = QLocale());

/// Returns the text that names the checkpoint from which a run resumes.
QString resumedText(const QString& path, std::int64_t step);

/// Reason that no attempt fits any more. For an automatic search for the size, its text begins with the
/// sentence of Composer (_adjust_device_train_microbatch_size, composer/trainer/trainer.py).
struct Misfit
{
    model::Phase phase = model::Phase::Train;
    std::int64_t microBatchSize = 1;
    /// Whether the batch may be split into smaller micro-batches.
    bool mayBeSmaller = true;
    std::int64_t neededBytes = 0;
    std::int64_t usableBytes = 0;
};
QString misfitText(const Misfit& misfit);
/// Returns the text for a network whose parameters alone do not fit.
QString parametersMisfitText(std::int64_t neededBytes, std::int64_t usableBytes);

/// Returns the text for a checkpoint that was not written.
/// \param why  reason given by the worker or by the system
QString notSavedText(std::int64_t step, const QString& why);

/// Returns the micro-batches of a batch as text: "16 samples", "1 and 2 samples". The requested size need not
/// occur among them: a request of 16 for 65 samples gives micro-batches of 13.
QString microBatchesText(const trial::BatchRequest& batch, const QLocale& locale = QLocale());

/// Returns the text for a batch that could not be done for reasons other than memory.
QString failedBatchText(std::int64_t step, const trial::BatchRequest& batch,
                        const trial::BatchResult& result);
QString memoryLostText();
QString tooLittleDataText(const trial::TrainingReady& ready, std::int64_t batchSize);
/// Returns the text for a worker that was asked to hold samples out and did not.
QString nothingHeldOutText();
/// Returns the text for a worker that holds out a different number of samples than requested.
QString otherHeldOutText(std::int64_t told, std::int64_t asked);
/// Returns the text for data that has changed since the checkpoint was written, so that other samples would
/// be held out; the run fails.
QString otherDataText(std::int64_t samplesThen, std::int64_t samplesNow);
/// Returns the text for data that has changed since then if no samples are held out; the run continues.
QString otherEpochText(std::int64_t samplesThen, std::int64_t samplesNow);
/// Returns the text for damaged tensors of the checkpoint from which the run was to resume.
/// \param tensors  file of the tensors
QString damagedTensorsText(const QString& tensors);
/// Returns the text for a checkpoint that was written, but to which the hash of its tensors could not be
/// added.
QString noTensorHashText(std::int64_t step, const QString& why);
/// Returns the text for a run that was to resume but has no steps left.
QString nothingLeftText(std::int64_t step);
QString divergedText(std::int64_t step);

/// Returns how to resume after a failure.
/// \param checkpoint  folder of the checkpoint
QString resumeText(const QString& checkpoint);
/// Returns how to resume if the checkpoint that the run resumed from cannot be read.
/// \param older  checkpoint before it; empty if there is none
QString resumeOlderText(const QString& older);
/// Returns how to resume if the checkpoint before a broken one cannot be determined.
/// \param whole  newest complete checkpoint; empty if there is none
QString resumeWholeText(const QString& whole);
/// Returns what to do if there is no checkpoint.
QString noCheckpointText(const TrainingOptions& options);

/// Returns a sentence that says how a training ended.
QString endText(TrainingEnd end, std::int64_t steps);

} // namespace batchpeak::training
