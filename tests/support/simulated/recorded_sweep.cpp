// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorded_sweep.h"

#include "trial/step_statistics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view columns =
    "visit,micro_batch_size,outcome,clock_seconds,optimizer_seconds,peak_allocated_bytes,"
    "peak_reserved_bytes,alloc_retries,wall_seconds,flags,step_seconds";
constexpr std::size_t columnCount = 11;
constexpr std::string_view format = "2";

std::vector<std::string_view> partsOf(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

class SweepReader
{
public:
    explicit SweepReader(const std::filesystem::path& path) : m_path(path), m_file(path)
    {
        if (!m_file)
            throw SweepError(path.string() + " cannot be read: check that it exists and may be read.");
    }

    RecordedSweep read()
    {
        std::string line;
        while (std::getline(m_file, line)) {
            ++m_line;
            if (line.starts_with("# "))
                readHeader(std::string_view(line).substr(2));
            else if (!m_hasColumns)
                readColumns(line);
            else
                m_sweep.trials.push_back(trialOf(line));
        }
        ++m_line;
        require(m_hasColumns, "the row of column names is missing");
        require(m_sweep.limitBytes > 0.0, "no header '# limit_bytes: N' says how much memory there was");
        bool ran = false;
        for (const RecordedSweep::Trial& trial : m_sweep.trials)
            ran = ran || trial.fits;
        require(ran, "no size ran, and at least one must have");
        return std::move(m_sweep);
    }

private:
    void require(bool isMet, const std::string& problem) const
    {
        if (!isMet) {
            throw SweepError(m_path.string() + ", line " + std::to_string(m_line) + ": " + problem +
                             ". Record the sweep again with batchpeak-record-sweep.");
        }
    }

    void readHeader(std::string_view header)
    {
        const std::size_t colon = header.find(": ");
        require(colon != std::string_view::npos, "a header is '# name: value'");
        const std::string_view name = header.substr(0, colon);
        const std::string_view value = header.substr(colon + 2);
        if (name == "format")
            require(value == format,
                    "the format is " + std::string(value) + ", and must be " + std::string(format));
        else if (name == "machine")
            m_sweep.machine = value;
        else if (name == "beside")
            m_sweep.otherPrograms = value;
        else if (name == "device")
            m_sweep.device = value;
        else if (name == "network")
            m_sweep.network = value;
        else if (name == "date")
            m_sweep.date = value;
        else if (name == "limit_bytes")
            m_sweep.limitBytes = number(value, "limit_bytes");
        else if (name == "baseline_bytes")
            m_sweep.baselineBytes = number(value, "baseline_bytes");
    }

    void readColumns(std::string_view line)
    {
        require(line == columns, "the columns must be " + std::string(columns));
        m_hasColumns = true;
    }

    double number(std::string_view text, const std::string& name) const
    {
        double value = 0.0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        require(error == std::errc() && end == text.data() + text.size() && std::isfinite(value) &&
                    value >= 0.0,
                name + " is '" + std::string(text) + "', and must be a number of 0 or more");
        return value;
    }

    double positive(std::string_view text, const std::string& name) const
    {
        const double value = number(text, name);
        require(value > 0.0, name + " is 0, and must be more");
        return value;
    }

    RecordedSweep::Trial trialOf(std::string_view line) const
    {
        const std::vector<std::string_view> fields = partsOf(line, ',');
        require(fields.size() == columnCount, "there are " + std::to_string(fields.size()) +
                                                  " fields, and must be " + std::to_string(columnCount));
        RecordedSweep::Trial trial{.visit = static_cast<int>(positive(fields[0], "visit")),
                                   .size = static_cast<std::int64_t>(positive(fields[1], "micro_batch_size")),
                                   .fits = fields[2] == "ok"};
        require(trial.fits || fields[2] == "oom",
                "outcome is '" + std::string(fields[2]) + "', and must be ok or oom");
        if (!trial.fits)
            return trial;
        trial.clockSeconds = number(fields[3], "clock_seconds");
        trial.optimizerSeconds = number(fields[4], "optimizer_seconds");
        trial.peakReservedBytes = positive(fields[6], "peak_reserved_bytes");
        trial.wallSeconds = positive(fields[8], "wall_seconds");
        trial.disturbed = fields[9].find("disturbed") != std::string_view::npos;
        for (const std::string_view step : partsOf(fields[10], ';'))
            trial.stepSeconds.push_back(positive(step, "step_seconds"));
        return trial;
    }

    std::filesystem::path m_path;
    std::ifstream m_file;
    int m_line = 0;
    bool m_hasColumns = false;
    RecordedSweep m_sweep;
};

using Trial = RecordedSweep::Trial;

/// Cost of the warm-up, as a number of steps: the first step is slow, as in ReplayDevice and core/search.
constexpr double recordedWarmupSteps = 4.5;
constexpr double minRunNoise = 5e-4;
constexpr double minSetupSeconds = 0.01;

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

/// Returns the median of a chi-squared variable divided by its degrees of freedom (Wilson and Hilferty, PNAS
/// 17, 1931).
double medianOfScaledChiSquared(double degrees)
{
    return std::pow(1.0 - 2.0 / (9.0 * degrees), 3.0);
}

/// Sizes that ran, in ascending order, and one value for each.
struct Table
{
    std::vector<double> sizes;
    std::vector<double> values;

    /// Returns the value at \p size, interpolated linearly in the size or in its logarithm. Outside of the
    /// sizes, the nearest segment continues, or the value stays constant.
    double at(double size, bool isLogarithmic, bool continues) const
    {
        if (sizes.size() == 1)
            return values.front();
        const auto above = static_cast<std::size_t>(std::ranges::lower_bound(sizes, size) - sizes.begin());
        const std::size_t high = std::clamp<std::size_t>(above, 1, sizes.size() - 1);
        const auto place = [&](double of) { return isLogarithmic ? std::log(of) : of; };
        double share = (place(size) - place(sizes[high - 1])) / (place(sizes[high]) - place(sizes[high - 1]));
        if (!continues)
            share = std::clamp(share, 0.0, 1.0);
        return values[high - 1] + share * (values[high] - values[high - 1]);
    }
};

/// Returns the relative standard deviation between runs. It is a median over the sizes, which a single
/// disturbed run does not move: half of the sizes scatter less than chance predicts.
double runNoiseOf(const std::map<std::int64_t, std::vector<Trial>>& sizes)
{
    std::vector<double> excess;
    for (const auto& [size, trials] : sizes) {
        if (trials.size() < 2)
            continue;
        const auto count = static_cast<double>(trials.size());
        double mean = 0.0;
        for (const Trial& trial : trials)
            mean += std::log(trial.secondsPerStep()) / count;
        double variance = 0.0;
        double explained = 0.0;
        for (const Trial& trial : trials) {
            variance += std::pow(std::log(trial.secondsPerStep()) - mean, 2.0) / (count - 1.0);
            explained += trial.relativeError() * trial.relativeError() / count;
        }
        excess.push_back(variance / medianOfScaledChiSquared(count - 1.0) - explained);
    }
    return excess.empty() ? minRunNoise : std::sqrt(std::max(median(excess), minRunNoise * minRunNoise));
}

} // namespace

double RecordedSweep::Trial::secondsPerStep() const
{
    return batchpeak::trial::typicalStepSeconds(stepSeconds).value_or(0.0);
}

double RecordedSweep::Trial::relativeError() const
{
    return batchpeak::trial::relativeStandardError(stepSeconds).value_or(0.0);
}

RecordedSweep readSweep(const std::filesystem::path& path)
{
    return SweepReader(path).read();
}

ReplayDevice::Truth recordedDevice(const RecordedSweep& sweep)
{
    std::map<std::int64_t, std::vector<Trial>> sizes;
    std::int64_t smallestFailure = std::numeric_limits<std::int64_t>::max();
    for (const Trial& trial : sweep.trials) {
        if (trial.fits)
            sizes[trial.size].push_back(trial);
        else
            smallestFailure = std::min(smallestFailure, trial.size);
    }

    const auto secondsPerSample = std::make_shared<Table>();
    const auto peaks = std::make_shared<Table>();
    std::vector<double> stepNoises;
    std::vector<double> setups;
    std::vector<double> optimizers;
    for (const auto& [size, trials] : sizes) {
        std::vector<double> seconds;
        double peak = 0.0;
        for (const Trial& trial : trials) {
            seconds.push_back(trial.secondsPerStep() / static_cast<double>(size));
            peak = std::max(peak, trial.peakReservedBytes);
            stepNoises.push_back(trial.relativeError() *
                                 std::sqrt(static_cast<double>(trial.stepSeconds.size()) / 2.0));
            setups.push_back(trial.wallSeconds -
                             (recordedWarmupSteps + static_cast<double>(trial.stepSeconds.size())) *
                                 trial.secondsPerStep());
            optimizers.push_back(trial.optimizerSeconds);
        }
        secondsPerSample->sizes.push_back(static_cast<double>(size));
        secondsPerSample->values.push_back(median(seconds));
        peaks->sizes.push_back(static_cast<double>(size));
        peaks->values.push_back(peak);
    }

    ReplayDevice::Truth truth{.baselineBytes = sweep.baselineBytes,
                              .limitBytes = sweep.limitBytes,
                              .drift = 0.0,
                              .outlierShare = 0.0};
    truth.seconds = [secondsPerSample](std::int64_t size) {
        const auto m = static_cast<double>(size);
        return m * secondsPerSample->at(m, true, false);
    };
    const double limit = sweep.limitBytes;
    truth.peakBytes = [peaks, limit, smallestFailure](std::int64_t size) {
        const double peak = peaks->at(static_cast<double>(size), false, true);
        return size < smallestFailure ? peak : std::max(peak, limit + 1.0);
    };
    if (smallestFailure == std::numeric_limits<std::int64_t>::max())
        truth.maximum = sizes.rbegin()->first;
    truth.stepNoise = median(stepNoises);
    truth.runNoise = runNoiseOf(sizes);
    truth.setupSeconds = std::max(median(setups), minSetupSeconds);
    truth.optimizerSeconds = median(optimizers);
    return truth;
}
