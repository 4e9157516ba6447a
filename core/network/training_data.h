// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/sample_random.h"
#include "data/token_source.h"
#include "networks/network.h"
#include "trial/training.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace batchpeak::network {

/// The samples that a network trains on, in the order of their epochs, and those that are held out for its
/// evaluation. A sample depends on seed and choice alone: not on the batch that it lies in, and not on what
/// was requested before.
class TrainingData
{
public:
    /// \throws data::DataError  if there is nothing that this network could train on, or if all of it is held
    ///         out
    TrainingData(const trial::DataChoice& choice, const Network& network, std::uint64_t seed);

    /// Number of training samples in one epoch.
    std::int64_t samples() const { return m_split.trainingSamples(); }
    std::int64_t heldOutSamples() const { return m_split.heldOutSamples(); }

    /// Returns the rows of the whole batch, on the host. A batch for evaluation has held-out samples, if
    /// there are any.
    /// \throws UnsupportedStep  if the batch goes beyond the epoch, or beyond the held-out samples
    std::vector<SampleRow> rows(const trial::BatchRequest& batch) const;

private:
    SampleRow row(std::int64_t sample) const;

    /// Null if the network takes no tokens.
    std::unique_ptr<data::TokenSource> m_tokens;
    std::uint64_t m_seed;
    data::SampleSplit m_split;
    /// The order of the training samples.
    data::SampleOrder m_order;
};

} // namespace batchpeak::network
