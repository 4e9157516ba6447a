// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "recorded_sweep.h"
#include "replay_device.h"

/// The device that a sweep was recorded on, as far as the sweep tells.
///
/// The time of a size is the middle one of its repetitions; between sizes the time per sample is interpolated
/// in ln(size), and the peak in the size. Step noise follows from the errors that the trials stated (an error
/// is the noise times sqrt(2 / steps), as core/search has it). Noise between runs is what repetitions differ
/// by beyond that, drift included. Beyond the largest size that ran, memory goes on as it did last, but never
/// holds a size that failed; where none failed, no larger size is allowed.
ReplayDevice::Truth recordedDevice(const RecordedSweep& sweep);
