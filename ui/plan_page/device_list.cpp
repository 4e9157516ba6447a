// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_list.h"

#include "text/readable_text.h"
#include "theme/glyphs.h"
#include "widgets/labels.h"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace batchpeak::ui {

namespace {

QString nameOf(const device::LocalDevice& device)
{
    const QString id = QString::fromStdString(device.id());
    const QString name = QString::fromStdString(device.name);
    return name.isEmpty() ? id : QStringLiteral("%1  %2").arg(id, name);
}

/// "47.5 GiB of 80 GiB free, others hold 32.5 GiB"
QString factsOf(const device::LocalDevice& device)
{
    if (device.totalBytes <= 0)
        return DeviceList::tr("memory unknown until its worker starts");
    const auto total = static_cast<double>(device.totalBytes);
    const auto free = static_cast<double>(device.freeBytes);
    QString text = DeviceList::tr("%1 of %2 free").arg(engine::memoryText(free), engine::memoryText(total));
    // A driver reserves some memory for itself.
    constexpr double minHeld = 0.02;
    if (device.kind == "cuda" && total - free > minHeld * total)
        text += DeviceList::tr(", others use %1").arg(engine::memoryText(total - free));
    return text;
}

} // namespace

/// Replaces the check box of Fusion, which is invisible on a dark card.
class DeviceList::TickBox : public QCheckBox
{
public:
    TickBox(const QString& text, const Theme& theme, QWidget* parent)
        : QCheckBox(text, parent), m_theme(theme)
    {
        setToolTip(text);
    }

    void setTheme(const Theme& theme)
    {
        m_theme = theme;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        constexpr double side = 16.0;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF box(0.5, (height() - side) / 2.0 + 0.5, side - 1.0, side - 1.0);
        painter.setPen(QPen(isChecked() || hasFocus() ? m_theme.throughput : m_theme.mutedText, 1.0));
        painter.setBrush(isChecked() ? m_theme.throughput : m_theme.card);
        painter.drawRoundedRect(box, 4.0, 4.0);
        if (isChecked())
            paintGlyph(painter, Glyph::Check, box.adjusted(2.5, 2.5, -2.5, -2.5), m_theme.primaryText);
        painter.setPen(m_theme.text);
        const QRectF room(side + 8.0, 0.0, width() - side - 8.0, height());
        painter.drawText(
            room, Qt::AlignLeft | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(text(), Qt::ElideRight, static_cast<int>(room.width())));
    }

    QSize minimumSizeHint() const override { return {120, QCheckBox::minimumSizeHint().height()}; }

private:
    Theme m_theme;
};

DeviceList::DeviceList(QAction* places, QWidget* parent)
    : Card(tr("Where"), parent), m_list(new QVBoxLayout), m_remark(wrapped(mutedLabel(QString(), this)))
{
    m_list->setSpacing(2);
    body()->addLayout(m_list);
    m_remark->setFont(scaled(font(), 0.9));
    body()->addWidget(m_remark);
    auto* elsewhere = new QPushButton(tr("Elsewhere…"), this);
    elsewhere->setProperty("link", QStringLiteral("plain"));
    elsewhere->setToolTip(places->toolTip());
    connect(elsewhere, &QPushButton::clicked, places, &QAction::trigger);
    auto* corner = new QWidget(this);
    auto* line = new QHBoxLayout(corner);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(elsewhere, 0, Qt::AlignRight);
    setHeaderWidget(corner);
}

void DeviceList::setTheme(const Theme& theme)
{
    m_theme = theme;
    for (const Row& row : m_rows) {
        if (row.box)
            row.box->setTheme(theme);
    }
}

QLabel* DeviceList::makeFacts()
{
    QLabel* facts = mutedLabel(QString(), this);
    facts->setFont(scaled(font(), 0.9));
    facts->setIndent(24);
    facts->setWordWrap(true);
    return facts;
}

void DeviceList::clear()
{
    for (const Row& row : m_rows) {
        delete row.box;
        delete row.name;
        delete row.facts;
    }
    m_rows.clear();
}

void DeviceList::makeRows(const std::vector<engine::DevicePreview>& devices)
{
    clear();
    for (const engine::DevicePreview& device : devices) {
        auto* box = new TickBox(nameOf(device.device), m_theme, this);
        QLabel* facts = makeFacts();
        connect(box, &QCheckBox::toggled, this, &DeviceList::tellChosen);
        m_list->addWidget(box);
        m_list->addWidget(facts);
        m_rows.push_back({.id = QString::fromStdString(device.device.id()), .box = box, .facts = facts});
    }
}

void DeviceList::display(const std::vector<engine::DevicePreview>& devices, const QString& remark)
{
    const auto isOf = [](const Row& row, const engine::DevicePreview& device) {
        return row.box && row.id == QString::fromStdString(device.device.id());
    };
    if (!std::ranges::equal(m_rows, devices, isOf))
        makeRows(devices);
    for (std::size_t place = 0; place < devices.size(); ++place) {
        const QSignalBlocker quiet(m_rows[place].box);
        m_rows[place].box->setChecked(devices[place].isChosen);
        setTextIfNew(m_rows[place].facts, factsOf(devices[place].device));
    }
    setTextIfNew(m_remark, devices.empty() ? tr("Looking for devices…") : remark);
    m_remark->setVisible(!m_remark->text().isEmpty());
}

void DeviceList::displayPlaces(const std::vector<PlaceRow>& places, const QString& remark)
{
    const auto isOf = [](const Row& row, const PlaceRow& place) { return row.name && row.id == place.name; };
    if (!std::ranges::equal(m_rows, places, isOf)) {
        clear();
        for (const PlaceRow& place : places) {
            m_rows.push_back({.id = place.name, .name = wrapped(new QLabel(this)), .facts = makeFacts()});
            setBreakableText(m_rows.back().name, place.name);
            m_list->addWidget(m_rows.back().name);
            m_list->addWidget(m_rows.back().facts);
        }
    }
    for (std::size_t row = 0; row < places.size(); ++row)
        setTextIfNew(m_rows[row].facts, places[row].facts);
    setTextIfNew(m_remark, remark);
    m_remark->setVisible(!remark.isEmpty());
}

void DeviceList::tellChosen()
{
    QStringList ids;
    for (const Row& row : m_rows) {
        if (row.box->isChecked())
            ids << row.id;
    }
    emit chosen(ids);
}

} // namespace batchpeak::ui
