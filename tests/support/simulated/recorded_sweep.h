// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replay_device.h"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

/// A sweep written by batchpeak-record-sweep (format 2): the sizes of a grid, each measured at many visits on
/// one device, in random order.
struct RecordedSweep
{
    struct Trial
    {
        int visit = 1;
        std::int64_t size = 1;
        /// Whether the trial fits; if it ran out of memory, nothing below is known.
        bool fits = true;
        /// When the timed steps began, counted from the start of the sweep [s].
        double clockSeconds = 0.0;
        /// Time of one micro-batch in each timed step [s].
        std::vector<double> stepSeconds;
        double optimizerSeconds = 0.0;
        double peakReservedBytes = 0.0;
        double wallSeconds = 0.0;
        bool disturbed = false;

        /// The values that a trial would report: the typical step [s], and its relative standard error.
        double secondsPerStep() const;
        double relativeError() const;
    };

    std::string device;
    std::string network;
    std::string date;
    /// Description of the computer, and of the other programs that ran on it.
    std::string machine;
    std::string beside;
    double limitBytes = 0.0;
    double baselineBytes = 0.0;
    /// Trials in the order of the file.
    std::vector<Trial> trials;
};

/// An error in a sweep; it names the file and the line, and says what is expected there.
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
/// The time of a size is the median of its visits; between sizes, the time per sample is interpolated in
/// ln(size), and the peak in the size. Step noise follows from the errors that the trials reported (an error
/// is the noise times sqrt(2 / steps), as in core/search). Noise between runs is the additional difference
/// between visits, drift included. Beyond the largest size that ran, memory continues its last slope, but
/// never admits a size that failed; if none failed, no larger size is allowed.
ReplayDevice::Truth recordedDevice(const RecordedSweep& sweep);
