// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "growth_function.h"
#include "training_snapshot.h"

#include <QObject>

#include <cstdint>
#include <memory>

namespace batchpeak::training {

/// How the batch grows from epoch to epoch: the user's function is asked once at each, and its answer is
/// followed as far as the maximum allows. The accumulation steps stay, so that the batch grows with the
/// micro-batch, as in torchtune. A function that fails changes nothing.
class EpochGrowth : public QObject
{
    Q_OBJECT

public:
    /// \param maximum  largest micro-batch size that fits
    EpochGrowth(std::unique_ptr<GrowthFunction> function, std::int64_t maximum);

    bool isAsking() const { return m_isAsking; }
    /// Tells that a micro-batch of the maximum did not fit after all.
    void lowerMaximum(std::int64_t maximum);

    struct Present
    {
        std::int64_t epoch = 0;
        std::int64_t microBatchSize = 1;
        /// Samples of one optimizer step.
        std::int64_t batchSize = 1;
        /// Those of one epoch, which is to hold a batch.
        std::int64_t samples = 1;
    };
    void ask(const Present& present);
    /// Tells that no answer is wanted any more.
    void forget() { m_isAsking = false; }

signals:
    /// \param entry  without its step
    /// \param limit  that the answer was measured against
    void decided(const batchpeak::training::ScheduleEntry& entry, qint64 limit);
    /// The function gave no answer; decided() follows.
    void failed(const QString& sentence);

private:
    void decide(std::int64_t increment);

    std::unique_ptr<GrowthFunction> m_function;
    std::int64_t m_maximum;
    Present m_present;
    bool m_isAsking = false;
};

} // namespace batchpeak::training
