// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>

namespace batchpeak::cli {

/// Numbers as the terminal shows them: the same in every locale, since scripts read them too.

/// "124,439,808"
QString groupedText(std::int64_t count);

/// "1.85 GiB", "512 MiB": binary units, three figures.
QString bytesText(std::int64_t bytes);

/// Samples per second: "2,115" from 100 on, three figures below that: "12.3", "0.0451".
QString rateText(double samplesPerSecond);

/// "45 s", "1 min 12 s", "2 h 5 min"
QString durationText(double seconds);

/// 0.08 -> "8 %", 0.025 -> "2.5 %"
QString percentText(double share);

} // namespace batchpeak::cli
