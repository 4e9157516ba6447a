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

/// What the speed of a size can be told in. All but the energy are better the larger they are.
enum class SpeedQuantity {
    /// As the objective has it, and as trials and recommendation tell it.
    SamplesPerSecond,
    TokensPerSecond,
    /// Of whole optimizer steps at the config's batch, on one device.
    EffectiveSamplesPerSecond,
    JoulesPerSample,
    /// Model FLOPs in a second over the device's peak, in percent (PaLM, arXiv 2204.02311, appendix B).
    ModelFlopUtilization
};

/// Those in which the speeds of an exploration can be told, as its config, its devices and its trials so far
/// have it; samples/s among them always.
std::vector<SpeedQuantity> toldQuantities(const Snapshot& snapshot);

/// "tokens/s", "% of peak FLOPs": what numbers of it stand under.
QString unitText(SpeedQuantity quantity);
/// The same, with the batch or the peak that it is of.
QString explanationText(SpeedQuantity quantity, const Snapshot& snapshot);
/// "2,266 ± 38 samples/s", "41.3 ± 0.7 % of peak FLOPs"
/// \param relativeError  standard error relative to the value; the interval shown is the 95 % one
QString quantityText(SpeedQuantity quantity, double value, std::optional<double> relativeError,
                     const QLocale& locale = QLocale());

/// What was measured of sizes, in another quantity. It keeps nothing of the snapshot that it is made of.
///
/// Samples/s of whole steps follow from the times of a micro-batch and of the optimizer step as the search
/// reckons them (search::Throughput). A batch that is spread over smaller micro-batches than the size needs
/// their time, too: that of the size, less what the other trials say the smaller one takes less.
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

    /// Of an ordinary trial; nothing where it does not tell it.
    std::optional<Speed> of(const trial::TrialRecord& trial) const;
    /// Of a size in a comparison. \param relativeError  that it is shown with
    std::optional<Speed> of(const trial::TrialRecord& comparison, const trial::ComparedRecord& size,
                            std::optional<double> relativeError) const;
    /// By what samples/s are to be multiplied, whatever the size, so that a model of them is converted
    /// exactly; nothing where there is no such number.
    std::optional<double> factor() const { return m_factor; }

private:
    struct Measured
    {
        const std::string& device;
        std::int64_t size = 0;
        std::optional<double> samplesPerSecond;
        std::optional<double> secondsPerStep;
        std::optional<double> optimizerSeconds;
        std::optional<double> relativeError;
    };

    std::optional<Speed> converted(const Measured& measured) const;
    std::optional<Speed> effective(const Measured& measured) const;
    void learnTimes(const Snapshot& snapshot);

    SpeedQuantity m_quantity;
    std::optional<double> m_factor;
    /// By device, where they differ.
    std::vector<std::pair<std::string, double>> m_factors;
    std::int64_t m_batch = 1;
    double m_optimizerSeconds = 0.0;
    /// Ascending, and the typical time of a micro-batch of each [s].
    std::vector<std::int64_t> m_sizes;
    std::vector<double> m_seconds;
};

} // namespace batchpeak::engine
