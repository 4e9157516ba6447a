// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace batchpeak::training {

/// Progress of a training.
struct DataPosition
{
    /// Number of optimizer steps done.
    std::int64_t step = 0;
    /// Epoch under way, from 0, and the number of its samples that are done.
    std::int64_t epoch = 0;
    std::int64_t samplesDone = 0;

    bool operator==(const DataPosition&) const = default;
};

/// Limits of a training, which ends at whichever is reached first; a run without limits does not end.
struct RunLength
{
    std::optional<std::int64_t> steps;
    std::optional<std::int64_t> epochs;
};

/// Determines which samples make up the next batch of a training: consecutive batches through each epoch.
/// Samples at the end of an epoch that do not fill a batch are dropped, as with drop_last of PyTorch's
/// DataLoader.
///
/// It only counts; it does not decide what an epoch's samples are, or how large a batch is.
class BatchSequence
{
public:
    /// \param samples  number of samples in one epoch
    BatchSequence(std::int64_t samples, RunLength length, DataPosition position = {})
        : m_samples(samples), m_length(length), m_position(position)
    {}

    std::int64_t samplesPerEpoch() const { return m_samples; }
    const DataPosition& position() const { return m_position; }
    /// Whether the epoch under way holds another batch.
    bool epochHolds(std::int64_t batchSize) const;
    /// Whether no step is left.
    bool isOver(std::int64_t batchSize) const;

    void stepDone(std::int64_t batchSize);
    void beginEpoch();

    /// Returns the number of steps of the whole run if the batch size does not change.
    std::int64_t stepsInAll(std::int64_t batchSize) const;

private:
    std::int64_t m_samples;
    RunLength m_length;
    DataPosition m_position;
};

} // namespace batchpeak::training
