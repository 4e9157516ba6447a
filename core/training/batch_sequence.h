// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace batchpeak::training {

/// How far a training has come.
struct DataPosition
{
    /// Optimizer steps done.
    std::int64_t step = 0;
    /// The epoch under way, from 0, and the samples of it that are done.
    std::int64_t epoch = 0;
    std::int64_t samplesDone = 0;

    bool operator==(const DataPosition&) const = default;
};

/// How long a training goes on: to whichever ends first; a run without either has no end.
struct RunLength
{
    std::optional<std::int64_t> steps;
    std::optional<std::int64_t> epochs;
};

/// Which samples make up the next batch of a training: one batch behind the other through each epoch. What is
/// left at the end of an epoch and fills no batch is left out, as trainers do with
/// drop_last of PyTorch's DataLoader.
///
/// It counts; what an epoch's samples are, and how large a batch is, is decided elsewhere.
class BatchSequence
{
public:
    /// \param samples  in one epoch
    BatchSequence(std::int64_t samples, RunLength length, DataPosition position = {})
        : m_samples(samples), m_length(length), m_position(position)
    {}

    std::int64_t samplesPerEpoch() const { return m_samples; }
    const DataPosition& position() const { return m_position; }
    /// Whether the epoch under way holds another batch.
    bool epochHolds(std::int64_t batchSize) const;
    /// Whether no step is to come.
    bool isOver(std::int64_t batchSize) const;

    void stepDone(std::int64_t batchSize);
    void beginEpoch();

    /// The steps of the whole run, if batches stay as large.
    std::int64_t stepsInAll(std::int64_t batchSize) const;

private:
    std::int64_t m_samples;
    RunLength m_length;
    DataPosition m_position;
};

} // namespace batchpeak::training
