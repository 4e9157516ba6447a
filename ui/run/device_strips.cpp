// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_strips.h"

#include "text/readable_text.h"
#include "widgets/labels.h"

#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace batchpeak::ui {

namespace {

using engine::DeviceSnapshot;
using engine::Telemetry;
using engine::Throttle;

QString separator()
{
    return QStringLiteral("  ·  ");
}

QString throttleText(Throttle throttle)
{
    switch (throttle) {
    case Throttle::Power:
        return DeviceStrips::tr("power limit lowers the clock");
    case Throttle::Heat:
        return DeviceStrips::tr("heat lowers the clock");
    case Throttle::Hardware:
        return DeviceStrips::tr("hardware lowers the clock");
    case Throttle::None:
        break;
    }
    return {};
}

QString othersText(const DeviceSnapshot& device)
{
    const Telemetry& telemetry = device.telemetry;
    if (telemetry.otherProcessors) {
        // A smaller number of processors is used by the desktop itself.
        constexpr double min = 0.1;
        if (*telemetry.otherProcessors < min)
            return {};
        const QLocale locale;
        return telemetry.processors ? DeviceStrips::tr("others use %1 of %2 processors")
                                          .arg(locale.toString(*telemetry.otherProcessors, 'f', 1))
                                          .arg(*telemetry.processors)
                                    : DeviceStrips::tr("others use %1 processors")
                                          .arg(locale.toString(*telemetry.otherProcessors, 'f', 1));
    }
    if (!telemetry.processes || telemetry.processes->empty())
        return {};
    QStringList names;
    for (const device::DeviceProcess& process : *telemetry.processes)
        names << (process.name.empty() ? DeviceStrips::tr("process %1").arg(process.pid)
                                       : QString::fromStdString(process.name));
    names.removeDuplicates();
    constexpr qsizetype maxNames = 3;
    const qsizetype more = names.size() - maxNames;
    if (more > 0) {
        names.resize(maxNames);
        names << DeviceStrips::tr("%1 more").arg(more);
    }
    return DeviceStrips::tr("also used by %1").arg(names.join(QStringLiteral(", ")));
}

} // namespace

QString conditionText(const Telemetry& telemetry)
{
    const QLocale locale;
    QStringList parts;
    if (telemetry.utilizationPercent)
        parts << DeviceStrips::tr("%1 %").arg(*telemetry.utilizationPercent);
    if (telemetry.clockMegahertz && telemetry.maxClockMegahertz)
        parts << DeviceStrips::tr("%1 of %2 MHz")
                     .arg(engine::numberText(*telemetry.clockMegahertz),
                          engine::numberText(*telemetry.maxClockMegahertz));
    else if (telemetry.clockMegahertz)
        parts << DeviceStrips::tr("%1 MHz").arg(engine::numberText(*telemetry.clockMegahertz));
    if (telemetry.temperatureCelsius)
        parts << DeviceStrips::tr("%1 °C").arg(*telemetry.temperatureCelsius);
    if (telemetry.powerWatts && telemetry.powerLimitWatts)
        parts << DeviceStrips::tr("%1 of %2 W")
                     .arg(std::lround(*telemetry.powerWatts))
                     .arg(std::lround(*telemetry.powerLimitWatts));
    else if (telemetry.powerWatts)
        parts << DeviceStrips::tr("%1 W").arg(std::lround(*telemetry.powerWatts));
    return parts.join(separator());
}

QStringList concernsOf(const DeviceSnapshot& device)
{
    const Telemetry& telemetry = device.telemetry;
    QStringList concerns;
    if (device.connection.isConcern())
        concerns << engine::connectionText(device.connection);
    if (telemetry.uncorrectedErrors.value_or(0) > 0)
        concerns
            << DeviceStrips::tr("memory errors: %1").arg(engine::numberText(*telemetry.uncorrectedErrors));
    if (telemetry.xid)
        concerns << DeviceStrips::tr("driver error (Xid %1)").arg(*telemetry.xid);
    if (device.restarts > 0)
        concerns << DeviceStrips::tr("worker restarts: %1").arg(device.restarts);
    if (device.contention.isBusy())
        concerns << DeviceStrips::tr("busy: %1 % of the last %2 disturbed")
                        .arg(std::lround(100.0 * device.contention.disturbedShare))
                        .arg(engine::trialsText(device.contention.trials));
    concerns << throttleText(telemetry.throttle) << othersText(device);
    concerns.removeAll(QString());
    return concerns;
}

QString stateText(const DeviceSnapshot& device)
{
    QStringList parts{device.connection.isConcern() ? QString() : engine::connectionText(device.connection),
                      conditionText(device.telemetry)};
    parts.removeAll(QString());
    return parts.join(separator());
}

/// The strip of one device.
class DeviceStrips::Strip : public QWidget
{
public:
    explicit Strip(QWidget* parent)
        : QWidget(parent),
          m_name(new ElidedLabel(Qt::ElideRight, this)),
          m_condition(wrapped(mutedLabel(QString(), this))),
          m_concerns(wrapped(new QLabel(this)))
    {
        m_name->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        m_condition->setFont(scaled(font(), 0.9));
        m_concerns->setFont(scaled(font(), 0.9));
        m_concerns->setProperty("warn", true);
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 4);
        layout->setSpacing(2);
        layout->addWidget(m_name);
        layout->addSpacing(barHeight + 4);
        layout->addWidget(m_condition);
        layout->addWidget(m_concerns);
    }

    void setTheme(const Theme& theme)
    {
        m_theme = theme;
        update();
    }

    void display(const DeviceSnapshot& device)
    {
        m_name->setFullText(QStringLiteral("%1  %2").arg(device.id, device.name));
        setTextIfNew(m_condition, stateText(device));
        m_condition->setVisible(!m_condition->text().isEmpty());
        setTextIfNew(m_concerns, concernsOf(device).join(separator()));
        m_concerns->setVisible(!m_concerns->text().isEmpty());
        const double total = static_cast<double>(device.totalBytes);
        const Bar bar{.used = static_cast<double>(device.telemetry.usedBytes.value_or(0)),
                      .others =
                          static_cast<double>(device.telemetry.otherBytes.value_or(device.heldByOthersBytes)),
                      .limit = static_cast<double>(device.limitBytes),
                      .total = std::max(total, static_cast<double>(device.limitBytes))};
        if (bar == m_bar)
            return;
        m_bar = bar;
        setAccessibleDescription(memoryText());
        setToolTip(memoryText());
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        if (m_bar.total <= 0.0)
            return;
        QPainter painter(this);
        painter.setFont(scaled(font(), 0.85));
        const QString text = memoryText();
        const double textWidth = painter.fontMetrics().horizontalAdvance(text) + 10.0;
        const QRectF track(0, m_name->geometry().bottom() + 5.0, width() - textWidth, barHeight);
        const double scale = track.width() / m_bar.total;
        painter.fillRect(track, m_theme.grid);
        const double used = std::min(m_bar.used, m_bar.total);
        const double others = std::min(m_bar.others, used > 0.0 ? used : m_bar.total);
        painter.fillRect(QRectF(track.left(), track.top(), others * scale, barHeight), m_theme.scrollBar);
        if (used > others)
            painter.fillRect(
                QRectF(track.left() + others * scale, track.top(), (used - others) * scale, barHeight),
                m_theme.memory);
        if (m_bar.limit > 0.0) {
            // The memory of other programs is drawn before the memory that is allowed.
            const double limit =
                std::min(m_bar.total, m_bar.limit + (m_bar.limit < m_bar.total ? m_bar.others : 0.0));
            painter.fillRect(
                QRectF(track.left() + limit * scale - 1.0, track.top() - 2.0, 2.0, barHeight + 4.0),
                m_theme.bad);
        }
        painter.setPen(m_theme.mutedText);
        painter.drawText(QRectF(track.right() + 10.0, track.top() - 4.0, textWidth, barHeight + 8.0),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
    }

private:
    static constexpr int barHeight = 8;

    struct Bar
    {
        double used = 0.0;
        double others = 0.0;
        double limit = 0.0;
        double total = 0.0;
        bool operator==(const Bar&) const = default;
    };

    /// "47.1 of 80.0 GiB, others 2.1"
    QString memoryText() const
    {
        const auto unit = engine::MemoryUnit::forBytes(m_bar.total);
        const QString total = engine::memoryText(m_bar.total, unit);
        QString text = m_bar.used > 0.0
                           ? tr("%1 of %2 %3").arg(engine::memoryText(m_bar.used, unit), total, unit.name)
                           : tr("%1 %2").arg(total, unit.name);
        // Below this fraction, it is the driver's own memory.
        constexpr double minShare = 0.01;
        if (m_bar.others > minShare * m_bar.total)
            text += tr(", others %1").arg(engine::memoryText(m_bar.others, unit));
        return text;
    }

    Theme m_theme = Theme::light();
    ElidedLabel* m_name;
    QLabel* m_condition;
    QLabel* m_concerns;
    Bar m_bar;
};

DeviceStrips::DeviceStrips(QWidget* parent) : QWidget(parent), m_list(new QVBoxLayout(this))
{
    m_list->setContentsMargins(0, 0, 6, 0);
    m_list->setSpacing(6);
    m_list->addStretch(1);
}

void DeviceStrips::setTheme(const Theme& theme)
{
    m_theme = theme;
    for (Strip* strip : m_strips)
        strip->setTheme(theme);
}

void DeviceStrips::display(const std::vector<DeviceSnapshot>& devices,
                           const std::vector<engine::PlaceSnapshot>& places)
{
    // A place that is being opened has the strip of a device that nothing is known of.
    std::vector<DeviceSnapshot> all;
    for (const engine::PlaceSnapshot& place : places)
        all.push_back({.id = place.name, .connection = place.connection});
    all.insert(all.end(), devices.begin(), devices.end());
    while (m_strips.size() < all.size()) {
        auto* strip = new Strip(this);
        strip->setTheme(m_theme);
        m_list->insertWidget(static_cast<int>(m_strips.size()), strip);
        m_strips.push_back(strip);
    }
    for (std::size_t place = 0; place < m_strips.size(); ++place) {
        m_strips[place]->setVisible(place < all.size());
        if (place < all.size())
            m_strips[place]->display(all[place]);
    }
}

} // namespace batchpeak::ui
