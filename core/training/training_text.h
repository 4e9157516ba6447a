// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training_options.h"
#include "training_snapshot.h"

#include <QLocale>
#include <QString>

#include <cstdint>

namespace batchpeak::training {

/// The sentences of a training run: its log, and why it could not go on.

/// "synthetic, 512 samples an epoch", "shakespeare.txt as bytes, 1,140 samples an epoch, 60 held out"
/// \param counted  the samples of both kinds; 0 where they are not known yet
QString dataText(const trial::DataChoice& data, const trial::TrainingReady& counted,
                 const QLocale& locale = QLocale());

/// "Step 12: memory ran out, so the micro-batch is halved from 32 to 16 and the batch tried again."
/// \param result  of the attempt that led to it
QString changeText(const SizeChange& change, const trial::BatchResult& result,
                   const QLocale& locale = QLocale());

/// "Epoch 3: the micro-batch grows by 4 to 20, and the batch to 40."; what was ignored, and why. Epochs are
/// counted from 1 for people.
/// \param maximum  the increment was measured against
QString growthText(const ScheduleEntry& entry, std::int64_t maximum, const QLocale& locale = QLocale());

QString maximumText(const MaximumFound& maximum, const QLocale& locale = QLocale());

/// The checkpoint that a run goes on from.
QString resumedText(const QString& path, std::int64_t step);

/// Why not even one attempt fits any more. Of an automatic search for the size it begins with the sentence
/// of Composer (_adjust_device_train_microbatch_size, composer/trainer/trainer.py).
struct Misfit
{
    model::Phase phase = model::Phase::Train;
    std::int64_t microBatchSize = 1;
    /// The batch may be cut into smaller ones.
    bool mayBeSmaller = true;
    std::int64_t neededBytes = 0;
    std::int64_t usableBytes = 0;
};
QString misfitText(const Misfit& misfit);
/// The network alone is too much.
QString parametersMisfitText(std::int64_t neededBytes, std::int64_t usableBytes);

/// Why a checkpoint is not there, as the worker or the disk says it.
QString notSavedText(std::int64_t step, const QString& why);

/// "16 samples", "1 and 2 samples": the micro-batches that a batch goes through in. A size that is none of
/// them may still be what asks for them, as 16 does of 65 samples, which go in micro-batches of 13.
QString microBatchesText(const trial::BatchRequest& batch, const QLocale& locale = QLocale());

/// Why a batch could not be done, whatever its memory.
QString failedBatchText(std::int64_t step, const trial::BatchRequest& batch,
                        const trial::BatchResult& result);
QString memoryLostText();
QString tooLittleDataText(const trial::TrainingReady& ready, std::int64_t batchSize);
/// The worker was asked to hold samples out, and does not.
QString nothingHeldOutText();
/// It holds other than so many out.
QString otherHeldOutText(std::int64_t told, std::int64_t asked);
/// The data is not what it was when the checkpoint was written, so that others would be held out.
QString otherDataText(std::int64_t samplesThen, std::int64_t samplesNow);
/// The same where none are held out: it goes on.
QString otherEpochText(std::int64_t samplesThen, std::int64_t samplesNow);
/// Those of the checkpoint that was to be gone on from. \param tensors  their file
QString damagedTensorsText(const QString& tensors);
/// A checkpoint was written, and what its tensors are could not be added.
QString noTensorHashText(std::int64_t step, const QString& why);
/// What is told of a run that was to go on and is at its end.
QString nothingLeftText(std::int64_t step);
QString divergedText(std::int64_t step);

/// How to go on after a failure. \param checkpoint  its folder
QString resumeText(const QString& checkpoint);
/// The same where the checkpoint that was gone on from cannot be read.
/// \param older  the one before it; empty where there is none
QString resumeOlderText(const QString& older);
/// The same where it cannot be told what was before it. \param whole  the newest whole one; empty where there
/// is none
QString resumeWholeText(const QString& whole);
/// The same where there is no checkpoint.
QString noCheckpointText(const TrainingOptions& options);

/// How a training ended, as a sentence.
QString endText(TrainingEnd end, std::int64_t steps);

} // namespace batchpeak::training
