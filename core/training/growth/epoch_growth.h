// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "growth_function.h"
#include "training_snapshot.h"

#include <QObject>

#include <cstdint>
#include <memory>

namespace batchpeak::training {

/// Grows the batch from epoch to epoch. The user's function is called once for each epoch, and its answer is
/// followed as far as the maximum allows. The number of accumulation steps stays the same, so the batch grows
/// with the micro-batch, as in torchtune. If the function fails, nothing changes.
class EpochGrowth : public QObject
{
    Q_OBJECT

public:
    /// \param maximum  largest micro-batch size that fits
    EpochGrowth(std::unique_ptr<GrowthFunction> function, std::int64_t maximum);

    bool isAsking() const { return m_isAsking; }
    /// Lowers the maximum, after a micro-batch of that size did not fit after all.
    void lowerMaximum(std::int64_t maximum);

    struct Present
    {
        std::int64_t epoch = 0;
        std::int64_t microBatchSize = 1;
        /// Samples of one optimizer step.
        std::int64_t batchSize = 1;
        /// Samples of one epoch, which must hold a batch.
        std::int64_t samples = 1;
    };
    void ask(const Present& present);
    /// Discards the answer to the question under way.
    void forget() { m_isAsking = false; }

signals:
    /// \param entry  entry of the schedule; its step is not set
    /// \param limit  limit that the answer was compared with
    void decided(const batchpeak::training::ScheduleEntry& entry, qint64 limit);
    /// Emitted if the function gave no answer; decided() follows.
    void failed(const QString& sentence);

private:
    void decide(std::int64_t increment);

    std::unique_ptr<GrowthFunction> m_function;
    std::int64_t m_maximum;
    Present m_present;
    bool m_isAsking = false;
};

} // namespace batchpeak::training
