// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan_preview.h"
#include "text/memory_text.h"
#include "text/readable_text.h"
#include "theme/theme.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace batchpeak::ui {

/// The memory of each chosen device as the run would fill it: weights, gradients, optimizer, the activations
/// of the requested size or else of as many samples as fit, the headroom, the limit. All bars have one scale,
/// so that devices can be compared.
///
/// It draws an outlook and computes only lengths.
class MemoryBars : public QWidget
{
    Q_OBJECT

public:
    explicit MemoryBars(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::PlanPreview& preview);
    /// Whether there is anything to draw.
    bool isEmpty() const { return m_bars.empty(); }
    /// Returns the unit of the numbers in the picture.
    const engine::MemoryUnit& unit() const { return m_unit; }
    /// Returns what is drawn at a position, for a tool tip: "weights: 1.2 GiB"; empty outside of the bars.
    QString partAt(const QPoint& place) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    /// Shows partAt() of the mouse position as a tool tip.
    bool event(QEvent* event) override;

private:
    struct Bar
    {
        QString device;
        double limitBytes = 0.0;
        double usableBytes = 0.0;
        /// What the activations are of: "about 240 samples".
        QString room;
        /// Bytes of the activations; nothing if they fill all the room that there is.
        std::optional<double> activationBytes;
        bool operator==(const Bar&) const = default;
    };

    std::vector<engine::MemoryPart> parts() const;
    QString markedMemory(double bytes) const;
    QColor colorOf(engine::MemoryPart::Kind kind) const;
    double scale() const;
    void paintBar(QPainter& painter, const Bar& bar, const QRectF& area, double scale) const;
    struct KeyEntry
    {
        QString text;
        /// The square in the legend, filled or hatched; the limit has a line.
        enum class Sign { Filled, Hatched, Line } sign = Sign::Filled;
        QColor color;
        QPoint place;
    };
    std::vector<KeyEntry> keyEntries() const;
    int keyHeight() const;
    void paintKey(QPainter& painter, int top) const;

    Theme m_theme = Theme::light();
    engine::MemoryUnit m_unit;
    std::vector<Bar> m_bars;
    model::StepMemory m_memory;
    /// Mark before the numbers, from engine::memoryMark().
    QString m_mark;
    double m_headroom = 0.0;
};

} // namespace batchpeak::ui
