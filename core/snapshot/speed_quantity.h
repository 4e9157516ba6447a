// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace batchpeak::engine {

/// Quantity in which the speed of a size is shown. For all except the energy, larger is better.
enum class SpeedQuantity {
    /// Throughput by the objective, as in trials and the recommendation.
    SamplesPerSecond,
    TokensPerSecond,
    /// Throughput of whole optimizer steps at the config's batch, on one device.
    EffectiveSamplesPerSecond,
    JoulesPerSample,
    /// Model FLOPs per second divided by the device's peak, in percent (PaLM, arXiv 2204.02311, appendix B).
    ModelFlopUtilization
};

/// Returns the quantities in which the speeds of an exploration can be shown, given its config, its devices
/// and its trials so far; samples/s are always included.
std::vector<SpeedQuantity> toldQuantities(const Snapshot& snapshot);

/// "tokens/s", "% of peak FLOPs": the heading of numbers in this unit.
QString unitText(SpeedQuantity quantity);
/// Returns the same with the batch or the peak that it refers to.
QString explanationText(SpeedQuantity quantity, const Snapshot& snapshot);
/// "2,266 ± 38 samples/s", "41.3 ± 0.7 % of peak FLOPs"
/// \param relativeError  standard error relative to the value; the interval shown is the 95 % one
QString quantityText(SpeedQuantity quantity, double value, std::optional<double> relativeError,
                     const QLocale& locale = QLocale());

/// Converts measurements of sizes to another quantity. It keeps no reference to the snapshot from which it is
/// made.
///
/// Samples/s of whole steps follow from the times of a micro-batch and of the optimizer step by the formula
/// of the search (search::Throughput). A batch that is split into micro-batches smaller than the size also
/// needs their time: that of the size, minus the difference between the two by the other trials.
class SpeedConversion
{
public:
    struct Speed
    {
        double value = 0.0;
        /// Standard error relative to the value; nothing where it is not known.
        std::optional<double> relativeError;

        bool operator==(const Speed&) const = default;
    };

    SpeedConversion(const Snapshot& snapshot, SpeedQuantity quantity);

    /// Returns the speed of an ordinary trial; nothing if the trial does not report it.
    std::optional<Speed> of(const trial::TrialRecord& trial) const;
    /// Returns the speed of a size in a comparison. \param relativeError  error with which the speed is shown
    std::optional<Speed> of(const trial::TrialRecord& comparison, const trial::ComparedRecord& size,
                            std::optional<double> relativeError) const;
    /// Returns the factor from samples/s to the quantity, the same for all sizes, so that a model of
    /// samples/s is converted exactly; nothing if there is no such factor.
    std::optional<double> factor() const { return m_factor; }

private:
    struct Measured
    {
        const std::string& device;
        std::int64_t size = 0;
        std::optional<double> samplesPerSecond;
        std::optional<double> secondsPerStep;
        std::optional<double> optimizerSeconds;
        std::optional<double> reductionSeconds;
        std::optional<double> relativeError;
    };

    std::optional<Speed> converted(const Measured& measured) const;
    std::optional<Speed> effective(const Measured& measured) const;
    void learnTimes(const Snapshot& snapshot);

    SpeedQuantity m_quantity;
    std::optional<double> m_factor;
    /// Factors by device, if they differ.
    std::vector<std::pair<std::string, double>> m_factors;
    std::int64_t m_batch = 1;
    double m_processes = 1.0;
    /// With the reduction of gradients.
    double m_optimizerSeconds = 0.0;
    /// Measured sizes, ascending, and the typical time of a micro-batch of each [s].
    std::vector<std::int64_t> m_sizes;
    std::vector<double> m_seconds;
};

} // namespace batchpeak::engine
