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
/// of the one size that is asked about or else of as many samples as find room, the headroom, the limit. All
/// bars have one scale, so that devices compare.
///
/// It draws an outlook and reckons nothing but lengths.
class MemoryBars : public QWidget
{
    Q_OBJECT

public:
    explicit MemoryBars(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::PlanPreview& preview);
    /// Whether there is anything to draw.
    bool isEmpty() const { return m_bars.empty(); }
    /// Of the numbers in the picture.
    const engine::MemoryUnit& unit() const { return m_unit; }
    /// What is drawn at a place, for a tool tip: "weights: 1.2 GiB"; empty beside the bars.
    QString partAt(const QPoint& place) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    /// What a part is for, where the mouse is.
    bool event(QEvent* event) override;

private:
    struct Bar
    {
        QString device;
        double limitBytes = 0.0;
        double usableBytes = 0.0;
        /// What the activations are of: "about 240 samples".
        QString room;
        /// Of the activations; nothing where they take all the room that there is.
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
        /// The square, filled or hatched; that of the limit is a line.
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
    /// Before its numbers, as of engine::memoryMark().
    QString m_mark;
    double m_headroom = 0.0;
};

} // namespace batchpeak::ui
