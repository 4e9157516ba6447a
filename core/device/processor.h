// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "local_device.h"

#include <filesystem>

namespace batchpeak::device {

/// The CPU with the memory that this process may use: the computer's, or the control group's where that
/// is less, as in a container. Memory that only caches files counts as free.
///
/// \param root  folder in which /proc and /sys are looked for; another than "/" in tests
LocalDevice processor(const std::filesystem::path& root = "/");

} // namespace batchpeak::device
