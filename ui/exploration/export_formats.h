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

/// Formats a micro-batch size as the config writes it under its own key, for pasting:
/// "per_device_train_batch_size: 8", in JSON "\"train_micro_batch_size_per_gpu\": 8", among the arguments of
/// a command "--micro-batch-size 8".
///
/// \param text  text of the config, whose first character distinguishes JSON from YAML
QString sizeLine(const config::BatchPlan& plan, std::int64_t microBatchSize, std::string_view text);

/// Returns the finished trials as a table for other programs, in the order of their starts: comma-separated
/// as in RFC 4180, with a header; numbers unrounded and in the C locale, in bytes and seconds. Words that a
/// spreadsheet would interpret as a formula are prefixed with an apostrophe. The columns are named like the
/// fields of the events. An unknown value is an empty field. A trial that compares sizes has a line for each
/// of them, with its number of visits; the first one has the time of all.
QByteArray trialsCsv(const std::vector<trial::TrialRecord>& trials, const config::Fidelity& fidelity);

/// No SVG: Qt's SVG does not support clipping, so that what lies outside of a zoomed chart would be drawn
/// over everything else.
enum class PictureKind { Png, Pdf };

/// Returns the kind for the extension of the file name; nothing for any other extension.
std::optional<PictureKind> pictureKindOf(const QString& path);

/// The charts as a picture for a document, with the context that a reader needs: above them the
/// recommendation, the config, the device and the day. Each call draws the charts in their current state.
class ChartPicture
{
public:
    /// \param charts  must outlive this object, as must \p theme
    /// \param time    time that the picture states
    ChartPicture(QWidget& charts, const engine::Snapshot& snapshot, const Theme& theme,
                 const QDateTime& time);

    /// Returns a PNG with twice the pixels of the window, or a PDF with vector lines and text.
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
