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

/// "124,439,808 parameters", "trainable 4,194,304 of 6,742,609,920 parameters, 0.06 %". Words stand for a
/// count of 0, which means that the parameters are counted when the network is loaded.
/// \param frozen  number of the \p count parameters that are frozen
QString parametersText(std::int64_t count, std::int64_t frozen);

/// Returns a row about the part of a network that training changes, and a row about how the rest is stored;
/// no rows if everything is trained.
std::vector<QStringList> tuningRows(const model::Tuning& tuning);

/// ", sequence length 1,024" as a part of a list; empty for 1, since such samples are not sequences.
QString sequenceLengthText(std::int64_t tokens);

/// "1.85 GiB", "512 MiB": binary units, three figures.
QString bytesText(std::int64_t bytes);

/// Samples per second: "2,115" from 100 on; three significant figures below that: "12.3", "0.0451".
QString rateText(double samplesPerSecond);

/// Samples per second with their standard error: "1,234 ± 5".
QString rateText(double samplesPerSecond, double relativeError);

/// "412 samples/s, 52,736 tokens/s"; without the second part if there are no tokens.
/// \param mark  put before both numbers; the result of engine::speedMark()
QString speedText(double samplesPerSecond, double tokensPerSecond, const QString& mark);

/// "7.6241"; "NaN" for a training run that has diverged.
QString lossText(double loss);

/// "45 s", "1 min 12 s", "2 h 5 min"
QString durationText(double seconds);

/// 0.08 -> "8 %", 0.025 -> "2.5 %"
QString percentText(double share);

/// "1 device", "1,024 devices"
QString countText(std::int64_t count, const QString& noun);

/// "batch_size 256 on 2 devices"; if the config does not give the number of devices, "global_train_batch_size
/// 256 over all devices" or "batch_size * gradient_accumulation_steps = 16 on one device", depending on which
/// of the two its batch counts.
QString batchText(const config::BatchPlan& plan);

/// Returns rows of words as lines with aligned columns, separated by two spaces, without spaces at the ends
/// of lines.
QStringList alignedLines(const std::vector<QStringList>& rows);

} // namespace batchpeak::cli
