// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replay_device.h"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

/// What batchpeak-record-sweep wrote: every size of a grid, measured several times on one device.
struct RecordedSweep
{
    struct Trial
    {
        int repetition = 1;
        std::int64_t size = 1;
        /// False where it ran out of memory; nothing below is known then.
        bool fits = true;
        int steps = 0;
        /// One micro-batch [s], and its relative standard error.
        double secondsPerStep = 0.0;
        double relativeError = 0.0;
        double optimizerSeconds = 0.0;
        double peakReservedBytes = 0.0;
        double wallSeconds = 0.0;
    };

    std::string device;
    std::string network;
    std::string date;
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
/// The time of a size is the middle one of its repetitions; between sizes the time per sample is interpolated
/// in ln(size), and the peak in the size. Step noise follows from the errors that the trials stated (an error
/// is the noise times sqrt(2 / steps), as core/search has it). Noise between runs is what repetitions differ
/// by beyond that, drift included. Beyond the largest size that ran, memory goes on as it did last, but never
/// holds a size that failed; where none failed, no larger size is allowed.
ReplayDevice::Truth recordedDevice(const RecordedSweep& sweep);
