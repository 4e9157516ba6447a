// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sample_random.h"

#include <cstdint>
#include <vector>

namespace batchpeak::data {

/// Which samples are trained on, and which are held out for evaluation: drawn from the seed and the two
/// counts alone, the same on every machine, and never both.
///
/// How many are held out, and in which order those of training come, is decided elsewhere.
class SampleSplit
{
public:
    /// \param samples  in all
    /// \param heldOut  from 0 to below \p samples
    SampleSplit(std::int64_t samples, std::int64_t heldOut, std::uint64_t seed);

    std::int64_t trainingSamples() const { return m_samples - heldOutSamples(); }
    std::int64_t heldOutSamples() const { return static_cast<std::int64_t>(m_trainedBefore.size()); }

    /// The samples that are trained on, in the order of their numbers.
    /// \param place  from 0 to below trainingSamples()
    std::int64_t training(std::int64_t place) const;
    /// Those that are not, in an order drawn as they are: the first of them stand for all.
    /// \param place  from 0 to below heldOutSamples()
    std::int64_t heldOut(std::int64_t place) const;

private:
    std::int64_t m_samples;
    /// How many are trained on before each that is held out; ascending.
    std::vector<std::int64_t> m_trainedBefore;
    SampleOrder m_heldOutOrder;
};

} // namespace batchpeak::data
