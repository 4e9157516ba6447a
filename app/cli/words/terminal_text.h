// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "model/tuning.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace batchpeak::cli {

/// Numbers, batches and tables as the terminal shows them: the same in every locale, since scripts read them
/// too.

/// "124,439,808"
QString groupedText(std::int64_t count);

/// "124,439,808 parameters", "trainable 4,194,304 of 6,742,609,920 parameters, 0.06 %"; words for 0, which
/// stands for a network that is counted when it is loaded. \param frozen  of \p count
QString parametersText(std::int64_t count, std::int64_t frozen);

/// What training changes of a network and how the rest is held, a row for each of the two; none where all is
/// trained.
std::vector<QStringList> tuningRows(const model::Tuning& tuning);

/// ", sequence length 1,024" as a part of a list; nothing for 1, where samples are no sequences.
QString sequenceLengthText(std::int64_t tokens);

/// "1.85 GiB", "512 MiB": binary units, three figures.
QString bytesText(std::int64_t bytes);

/// Samples per second: "2,115" from 100 on, three figures below that: "12.3", "0.0451".
QString rateText(double samplesPerSecond);

/// "1,234 ± 5": with its standard error.
QString rateText(double samplesPerSecond, double relativeError);

/// "412 samples/s, 52,736 tokens/s"; without the second where there are none.
/// \param mark  before both, as of engine::speedMark()
QString speedText(double samplesPerSecond, double tokensPerSecond, const QString& mark);

/// "7.6241"; "NaN" of a training that has diverged.
QString lossText(double loss);

/// "45 s", "1 min 12 s", "2 h 5 min"
QString durationText(double seconds);

/// 0.08 -> "8 %", 0.025 -> "2.5 %"
QString percentText(double share);

/// "1 device", "1,024 devices"
QString countText(std::int64_t count, const QString& noun);

/// "batch_size 256 on 2 devices"; where the config does not say how many there are,
/// "global_train_batch_size 256 over all devices" or "batch_size * gradient_accumulation_steps = 16 on one
/// device", whichever it counts.
QString batchText(const config::BatchPlan& plan);

/// Rows of words as lines with aligned columns, two spaces between them and none at a line's end.
QStringList alignedLines(const std::vector<QStringList>& rows);

} // namespace batchpeak::cli
