// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/sample_random.h"
#include "data/sample_split.h"
#include "data/token_source.h"
#include "networks/network.h"
#include "trial/training.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace batchpeak::network {

/// The samples that a network trains on, in the order of their epochs, and those that are held out of that
/// for its evaluation. All of a sample depends on seed and choice alone: not on the batch that it lies in,
/// and not on what was asked before.
class TrainingData
{
public:
    /// \throws data::DataError  where there is nothing that this network could train on, or all of it is held
    ///         out
    TrainingData(const trial::DataChoice& choice, const Network& network, std::uint64_t seed);

    /// In one epoch.
    std::int64_t samples() const { return m_split.trainingSamples(); }
    std::int64_t heldOutSamples() const { return m_split.heldOutSamples(); }

    /// Of the whole batch, on the host. One of evaluation has held-out samples, where there are any.
    /// \throws UnsupportedStep  where the batch goes beyond the epoch, or what is held out
    std::vector<SampleRow> rows(const trial::BatchRequest& batch) const;

private:
    SampleRow row(std::int64_t sample) const;

    /// Null where the network takes no tokens.
    std::unique_ptr<data::TokenSource> m_tokens;
    std::uint64_t m_seed;
    data::SampleSplit m_split;
    /// Of the samples that are trained on.
    data::SampleOrder m_order;
};

} // namespace batchpeak::network
