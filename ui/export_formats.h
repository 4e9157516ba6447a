// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "engine/snapshot.h"
#include "theme/theme.h"

#include <QByteArray>
#include <QDateTime>
#include <QImage>
#include <QString>

#include <cstdint>
#include <string_view>
#include <vector>

class QWidget;

namespace batchpeak::ui {

/// A micro-batch size as a config writes it under its own key, to be pasted there:
/// "per_device_train_batch_size: 8", in JSON "\"train_micro_batch_size_per_gpu\": 8", among the arguments of
/// a command "--micro-batch-size 8".
///
/// \param text  of the config, whose first character tells JSON from YAML
QString sizeLine(const config::BatchPlan& plan, std::int64_t microBatchSize, std::string_view text);

/// The finished trials as a table for other programs, in the order of their starts: comma-separated as
/// RFC 4180 has it, with a header; numbers in full and in the C locale, bytes and seconds as they are. Words
/// that a spreadsheet would take for a formula have an apostrophe before them.
/// The columns are named as the fields of the events. A value that is not known is an empty field. A trial
/// that compares sizes has a line for each of them, with the times that it was visited; the first one has the
/// time of all.
QByteArray trialsCsv(const std::vector<trial::TrialRecord>& trials, const config::Fidelity& fidelity);

/// The charts as a picture for a document, with twice the pixels of the window, and with what a reader
/// cannot ask it: above them the recommendation, the config, the device and the day.
/// \param time  that the picture names
QImage chartPicture(QWidget& charts, const engine::Snapshot& snapshot, const Theme& theme,
                    const QDateTime& time);

} // namespace batchpeak::ui
