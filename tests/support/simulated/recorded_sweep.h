// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replay_device.h"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

/// Sweep that batchpeak-record-sweep has written (format 2): each size of a grid is measured in many visits
/// on one device, in random order.
struct RecordedSweep
{
    struct Trial
    {
        int visit = 1;
        std::int64_t size = 1;
        /// Whether the trial fits into memory; if it does not, the fields below have no meaning.
        bool fits = true;
        /// Start of the timed steps since the start of the sweep [s].
        double clockSeconds = 0.0;
        /// Time of one micro-batch in each timed step [s].
        std::vector<double> stepSeconds;
        double optimizerSeconds = 0.0;
        double peakReservedBytes = 0.0;
        double wallSeconds = 0.0;
        bool disturbed = false;

        /// Values that a trial would report: the typical step [s], and its relative standard error.
        double secondsPerStep() const;
        double relativeError() const;
    };

    std::string device;
    std::string network;
    std::string date;
    /// Description of the computer, and of the other programs that ran on it.
    std::string machine;
    std::string otherPrograms;
    double limitBytes = 0.0;
    double baselineBytes = 0.0;
    /// Trials in the order of the file.
    std::vector<Trial> trials;
};

/// Error in a sweep. The message names the file and the line, and states what is expected there.
class SweepError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// Reads a sweep.
/// \throws SweepError if the file cannot be read, lacks a header or a column, or holds an impossible value
RecordedSweep readSweep(const std::filesystem::path& path);

/// Returns the device that a sweep was recorded on, as far as the sweep determines it.
///
/// The time of a size is the median over its visits. Between sizes, the time per sample is interpolated in
/// ln(size), and the peak in the size. Step noise follows from the errors that the trials reported (an error
/// is the noise times sqrt(2 / steps), as in core/search). Noise between runs is the remaining difference
/// between visits, including drift. Beyond the largest size that ran, the peak continues with its last slope,
/// but the smallest size that failed and all larger ones do not fit. If no size failed, the largest size that
/// ran is the maximum.
ReplayDevice::Truth recordedDevice(const RecordedSweep& sweep);
