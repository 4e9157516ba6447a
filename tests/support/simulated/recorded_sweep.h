// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replay_device.h"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

/// What batchpeak-record-sweep wrote (format 2): the sizes of a grid, each measured at many visits on one
/// device, in random order.
struct RecordedSweep
{
    struct Trial
    {
        int visit = 1;
        std::int64_t size = 1;
        /// False where it ran out of memory; nothing below is known then.
        bool fits = true;
        /// When the timed steps began, since the sweep did [s].
        double clockSeconds = 0.0;
        /// Of one micro-batch, each timed step [s].
        std::vector<double> stepSeconds;
        double optimizerSeconds = 0.0;
        double peakReservedBytes = 0.0;
        double wallSeconds = 0.0;
        bool disturbed = false;

        /// As a trial would state them: the typical step [s], and its relative standard error.
        double secondsPerStep() const;
        double relativeError() const;
    };

    std::string device;
    std::string network;
    std::string date;
    /// Of the computer, and what else ran on it.
    std::string machine;
    std::string beside;
    double limitBytes = 0.0;
    double baselineBytes = 0.0;
    /// In the order of the file.
    std::vector<Trial> trials;
};

/// Names the file and the line, and says what is expected there.
class SweepError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// \throws SweepError where the file cannot be read, lacks a header or a column, or holds a value that cannot
///         be
RecordedSweep readSweep(const std::filesystem::path& path);

/// The device that a sweep was recorded on, as far as the sweep tells.
///
/// The time of a size is the middle one of its visits; between sizes the time per sample is interpolated
/// in ln(size), and the peak in the size. Step noise follows from the errors that the trials stated (an error
/// is the noise times sqrt(2 / steps), as core/search has it). Noise between runs is what visits differ
/// by beyond that, drift included. Beyond the largest size that ran, memory goes on as it did last, but never
/// holds a size that failed; where none failed, no larger size is allowed.
ReplayDevice::Truth recordedDevice(const RecordedSweep& sweep);
