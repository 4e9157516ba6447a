// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/sample_random.h"
#include "data/token_source.h"
#include "network.h"
#include "trial/training.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace batchpeak::network {

/// The samples that a network trains on, in the order of their epochs. All of a sample depends on seed and
/// choice alone: not on the batch that it lies in, and not on what was asked before.
class TrainingData
{
public:
    /// \throws data::DataError  where there is nothing that this network could train on
    TrainingData(const trial::DataChoice& choice, const Network& network, std::uint64_t seed);

    /// In one epoch.
    std::int64_t samples() const { return m_samples; }

    /// Of the whole batch, on the host.
    /// \throws UnsupportedStep  where the batch goes beyond the epoch
    std::vector<SampleRow> rows(const trial::BatchRequest& batch) const;

private:
    SampleRow row(std::int64_t sample) const;

    /// Null where the network takes no tokens.
    std::unique_ptr<data::TokenSource> m_tokens;
    std::int64_t m_samples;
    std::uint64_t m_seed;
    data::SampleOrder m_order;
};

} // namespace batchpeak::network
