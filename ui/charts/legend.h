// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_scene.h"
#include "run_plot.h"
#include "theme/theme.h"

#include <QString>
#include <QWidget>

#include <vector>

namespace batchpeak::ui {

/// Legend of a chart: a symbol and a word for everything that is currently drawn, and for nothing else. If
/// the words do not fit on one line it uses shorter ones, and only then more lines.
class Legend : public QWidget
{
    Q_OBJECT

public:
    explicit Legend(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

protected:
    struct Entry
    {
        /// Index of the symbol, as numbered by the derived class.
        int sign = 0;
        QString word;
        QString shortWord;
        bool operator==(const Entry&) const = default;
    };

    void setEntries(std::vector<Entry> entries);
    virtual void paintSign(QPainter& painter, int sign, const QRectF& box) const = 0;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

    const Theme& theme() const { return m_theme; }

private:
    struct Lines
    {
        bool shortWords = false;
        std::vector<std::vector<Entry>> entries;
    };

    double widthOf(const std::vector<Entry>& entries, bool shortWords) const;
    Lines linesFor(int width) const;
    int lineHeight() const { return fontMetrics().height() + 2; }

    Theme m_theme = Theme::light();
    std::vector<Entry> m_entries;
};

/// Legend of both charts of an exploration.
class ExplorationLegend : public Legend
{
    Q_OBJECT

    enum Sign {
        Measured,
        /// The ring shows the interval of its own trial.
        MeasuredAlone,
        /// The estimate from all trials of a size.
        Reckoned,
        Earlier,
        Unusable,
        Recommended,
        Leading,
        Compared,
        OutOfMemory,
        Failed,
        Running,
        Model,
        Band,
        Unmodeled,
        Headroom
    };

public:
    explicit ExplorationLegend(QWidget* parent = nullptr);

    void setScene(const ChartScene& scene);

protected:
    void paintSign(QPainter& painter, int sign, const QRectF& box) const override;

private:
    void paintRing(QPainter& painter, const QPointF& center, const QColor& color) const;
};

/// Legend of one chart of a training run.
class RunLegend : public Legend
{
    Q_OBJECT

public:
    explicit RunLegend(const QString& name, QWidget* parent = nullptr);

    void setPlot(const RunPlot& plot);

protected:
    void paintSign(QPainter& painter, int sign, const QRectF& box) const override;

private:
    /// What the entries represent, series first, without their values.
    std::vector<RunPlot::Series> m_series;
    std::vector<RunPlot::Marker> m_markers;
};

} // namespace batchpeak::ui
