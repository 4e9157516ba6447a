// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "export_formats.h"

#include "actions/tool_bar.h"
#include "charts/chart_scene.h"
#include "engine/log_text.h"
#include "snapshot/ending_text.h"
#include "text/batch_text.h"
#include "text/fidelity_text.h"
#include "text/json_fields.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <QBuffer>
#include <QFileInfo>
#include <QLocale>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QWidget>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace batchpeak::ui {

namespace {

using trial::TrialRecord;

bool beginsWithBrace(std::string_view text)
{
    constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(byteOrderMark))
        text.remove_prefix(byteOrderMark.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

QString number(double value)
{
    return QLocale::c().toString(value, 'g', QLocale::FloatingPointShortest);
}

QString number(std::int64_t value)
{
    return QString::number(value);
}

template<typename Value>
QString numberIfKnown(const std::optional<Value>& value)
{
    return value ? number(*value) : QString();
}

/// Whether a spreadsheet would evaluate the text (OWASP, "CSV Injection"). Among numbers only negative ones
/// begin like that.
bool isFormula(const QString& text)
{
    static const QString beginnings = QStringLiteral("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20");
    bool isNumber = false;
    QLocale::c().toDouble(text, &isNumber);
    return !text.isEmpty() && beginnings.contains(text.front()) && !isNumber;
}

QString quoted(const QString& text)
{
    return QLatin1Char('"') + QString(text).replace(QLatin1Char('"'), QLatin1String("\"\"")) +
           QLatin1Char('"');
}

// Texts from a user's own program may contain anything.
QString quotedIfNeeded(const QString& text)
{
    // The apostrophe makes the spreadsheet treat it as text.
    if (isFormula(text))
        return quoted(QLatin1Char('\'') + text);
    // Where the comma is the decimal separator, spreadsheets split at semicolons, and some at tabs.
    static const QString separators = QStringLiteral(",;\t\"\n\r");
    const bool isPlain = std::ranges::none_of(text, [](QChar c) { return separators.contains(c); });
    return isPlain ? text : quoted(text);
}

QString lineOf(const QStringList& fields)
{
    QStringList quoted;
    for (const QString& field : fields)
        quoted << quotedIfNeeded(field);
    return quoted.join(QLatin1Char(',')) + QLatin1String("\r\n");
}

QStringList fieldsOf(const TrialRecord& trial)
{
    return {QString::number(trial.number),
            QString::fromStdString(trial.device),
            number(trial.microBatchSize),
            engine::enumText(*trial.outcome),
            numberIfKnown(trial.secondsPerStep),
            numberIfKnown(trial.samplesPerSecond),
            numberIfKnown(trial.relativeError),
            numberIfKnown(trial.peakAllocatedBytes),
            numberIfKnown(trial.peakReservedBytes),
            QString::number(trial.timedSteps),
            number(trial.wallSeconds),
            engine::flagsOf(trial).join(QLatin1String("; ")),
            QString::fromStdString(trial.text),
            numberIfKnown(trial.joulesPerSample),
            QString(),
            QString::fromStdString(trial.attention)};
}

/// Returns the outcome of one size of a comparison. If a size ended the comparison, the outcome applies to
/// that size only.
QString outcomeOf(const TrialRecord& comparison, const trial::ComparedRecord& size)
{
    const bool isOfAnother =
        comparison.microBatchSize > 0 && comparison.microBatchSize != size.microBatchSize;
    if (isOfAnother && !size.samplesPerSecond)
        return {};
    return engine::enumText(isOfAnother ? trial::Outcome::Ok : *comparison.outcome);
}

QStringList fieldsOf(const TrialRecord& comparison, const trial::ComparedRecord& size)
{
    const bool isFirst = &size == &comparison.compared.front();
    return {QString::number(comparison.number),
            QString::fromStdString(comparison.device),
            number(size.microBatchSize),
            outcomeOf(comparison, size),
            numberIfKnown(size.secondsPerStep),
            numberIfKnown(size.samplesPerSecond),
            numberIfKnown(size.relativeError),
            QString(),
            numberIfKnown(size.peakReservedBytes),
            QString(),
            isFirst ? number(comparison.wallSeconds) : QString(),
            engine::flagsOf(comparison).join(QLatin1String("; ")),
            QString::fromStdString(comparison.text),
            QString(),
            QString::number(size.visits.size()),
            QString()};
}

// The difference is visible in print and on dense screens, and no screen has a ratio above three.
constexpr int pixelRatio = 2;
constexpr int imageMargin = 12;

QString titleOf(const engine::Snapshot& snapshot)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    if (!recommendation)
        return engine::Translated::tr("No recommendation yet");
    const QString size = engine::numberText(recommendation->size);
    const QString rate = engine::speedMark(snapshot.run->fidelity) +
                         engine::rateText(recommendation->samplesPerSecond, recommendation->relativeError);
    const QString title =
        (snapshot.isRecommendationSure()
             ? engine::Translated::tr("Recommended micro-batch size %1: %2 samples/s, confidence %3 %")
             : engine::Translated::tr("Leading micro-batch size %1: %2 samples/s, confidence %3 %"))
            .arg(size, rate)
            .arg(recommendation->confidence);
    const QString loss = engine::expectedLossText(recommendation->expectedLoss);
    return loss.isEmpty() ? title : engine::Translated::tr("%1, expected loss %2").arg(title, loss);
}

} // namespace

QString sizeLine(const config::BatchPlan& plan, std::int64_t microBatchSize, std::string_view text)
{
    if (!beginsWithBrace(text))
        return engine::sizeText(plan, microBatchSize);
    return QStringLiteral("\"%1\": %2").arg(QString::fromStdString(plan.microBatchKey)).arg(microBatchSize);
}

QByteArray trialsCsv(const std::vector<TrialRecord>& trials, const config::Fidelity& fidelity)
{
    const QStringList labels{QString::fromUtf8(config::wordOf(fidelity.kind)),
                             QString::fromUtf8(config::wordOf(fidelity.memoryKind()))};
    QString text =
        lineOf({QStringLiteral("trial"), QStringLiteral("device"), QStringLiteral("micro_batch_size"),
                QStringLiteral("outcome"), QStringLiteral("seconds_per_step"),
                QStringLiteral("samples_per_second"), QStringLiteral("relative_error"),
                QStringLiteral("peak_allocated_bytes"), QStringLiteral("peak_reserved_bytes"),
                QStringLiteral("steps"), QStringLiteral("wall_seconds"), QStringLiteral("flags"),
                QStringLiteral("text"), QStringLiteral("joules_per_sample"), QStringLiteral("visits"),
                QStringLiteral("attention"), QStringLiteral("fidelity"), QStringLiteral("memory_fidelity")});
    for (const TrialRecord& trial : trials) {
        if (trial.isRunning())
            continue;
        for (const trial::ComparedRecord& size : trial.compared)
            text += lineOf(fieldsOf(trial, size) << labels);
        if (!trial.isComparison())
            text += lineOf(fieldsOf(trial) << labels);
    }
    return text.toUtf8();
}

std::optional<PictureKind> pictureKindOf(const QString& path)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending == QLatin1String("png"))
        return PictureKind::Png;
    if (ending == QLatin1String("pdf"))
        return PictureKind::Pdf;
    return std::nullopt;
}

ChartPicture::ChartPicture(QWidget& charts, const engine::Snapshot& snapshot, const Theme& theme,
                           const QDateTime& time)
    : m_charts(charts),
      m_theme(theme),
      m_title(titleOf(snapshot)),
      m_run(runText(snapshot) + QStringLiteral("  ·  ") + engine::fidelityText(snapshot.run->fidelity) +
            QStringLiteral("  ·  ") + QLocale().toString(time.date(), QLocale::ShortFormat)),
      m_titleFont(scaled(charts.font(), 1.2, QFont::DemiBold)),
      m_titleHeight(QFontMetrics(m_titleFont).height()),
      // The fidelity label is never elided, however long its reasons are.
      m_runHeight(charts.fontMetrics()
                      .boundingRect(QRect(0, 0, charts.width(), QWIDGETSIZE_MAX), Qt::TextWordWrap, m_run)
                      .height())
{}

QSize ChartPicture::size() const
{
    return m_charts.size() + QSize(2 * imageMargin, m_titleHeight + m_runHeight + 3 * imageMargin);
}

void ChartPicture::paintOn(QPaintDevice& device) const
{
    QPainter painter(&device);
    painter.fillRect(QRect(QPoint(0, 0), size()), m_theme.window);
    painter.setFont(m_titleFont);
    painter.setPen(m_theme.text);
    const int width = m_charts.width();
    painter.drawText(QRect(imageMargin, imageMargin, width, m_titleHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(m_titleFont).elidedText(m_title, Qt::ElideMiddle, width));
    painter.setFont(m_charts.font());
    painter.setPen(m_theme.mutedText);
    painter.drawText(QRect(imageMargin, imageMargin + m_titleHeight, width, m_runHeight),
                     Qt::AlignLeft | Qt::TextWordWrap, m_run);
    m_charts.render(&painter, QPoint(imageMargin, m_titleHeight + m_runHeight + 2 * imageMargin), {},
                    QWidget::DrawChildren);
}

QImage ChartPicture::image() const
{
    QImage picture(size() * pixelRatio, QImage::Format_RGB32);
    picture.setDevicePixelRatio(pixelRatio);
    paintOn(picture);
    return picture;
}

QByteArray ChartPicture::bytes(PictureKind kind) const
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (kind == PictureKind::Png) {
        image().save(&buffer, "PNG");
    } else {
        QPdfWriter pdf(&buffer);
        pdf.setResolution(m_charts.logicalDpiX());
        pdf.setTitle(m_title);
        constexpr double pointsOfInch = 72.0;
        pdf.setPageSize(QPageSize(QSizeF(size()) * pointsOfInch / m_charts.logicalDpiX(), QPageSize::Point));
        pdf.setPageMargins({});
        paintOn(pdf);
    }
    return bytes;
}

} // namespace batchpeak::ui
