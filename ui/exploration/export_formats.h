// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "snapshot/snapshot.h"
#include "theme/theme.h"

#include <QByteArray>
#include <QDateTime>
#include <QFont>
#include <QImage>
#include <QSize>
#include <QString>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

class QPaintDevice;
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

/// Qt's SVG knows no clipping, so that what lies beside a zoomed chart would be drawn over all else.
enum class PictureKind { Png, Pdf };

/// The kind that the ending of the name says; nothing where it is none of these.
std::optional<PictureKind> pictureKindOf(const QString& path);

/// The charts as a picture for a document, with what a reader cannot ask it: above them the recommendation,
/// the config, the device and the day. Each call draws the charts as they stand then.
class ChartPicture
{
public:
    /// \param charts  outlive this, as \p theme does
    /// \param time    that the picture names
    ChartPicture(QWidget& charts, const engine::Snapshot& snapshot, const Theme& theme,
                 const QDateTime& time);

    /// A PNG with twice the pixels of the window, or a PDF whose lines and texts are such.
    QByteArray bytes(PictureKind kind) const;

private:
    QImage image() const;
    QSize size() const;
    void paintOn(QPaintDevice& device) const;

    QWidget& m_charts;
    const Theme& m_theme;
    QString m_title;
    QString m_run;
    QFont m_titleFont;
    int m_titleHeight;
    int m_runHeight;
};

} // namespace batchpeak::ui
