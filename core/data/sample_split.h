// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sample_random.h"

#include <cstdint>
#include <vector>

namespace batchpeak::data {

/// The disjoint sets of samples that are trained on, and that are held out for evaluation. They are drawn
/// from the seed and the two counts only, and are the same on every machine.
///
/// The caller decides how many are held out, and in which order the training samples are used.
class SampleSplit
{
public:
    /// \param samples  number of all samples
    /// \param heldOut  number of samples that are held out, from 0 to below \p samples
    SampleSplit(std::int64_t samples, std::int64_t heldOut, std::uint64_t seed);

    std::int64_t trainingSamples() const { return m_samples - heldOutSamples(); }
    std::int64_t heldOutSamples() const { return static_cast<std::int64_t>(m_trainedBefore.size()); }

    /// Returns a sample that is trained on; these are ordered by their numbers.
    /// \param place  from 0 to below trainingSamples()
    std::int64_t training(std::int64_t place) const;
    /// Returns a sample that is held out. These are in random order, also drawn from the seed, so that the
    /// first of them represent all.
    /// \param place  from 0 to below heldOutSamples()
    std::int64_t heldOut(std::int64_t place) const;

private:
    std::int64_t m_samples;
    /// Number of training samples before each held-out sample; ascending.
    std::vector<std::int64_t> m_trainedBefore;
    SampleOrder m_heldOutOrder;
};

} // namespace batchpeak::data
