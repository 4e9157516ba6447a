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

/// The legend of a chart, in one line: a sign and a word for everything that is drawn at present, and for
/// nothing else. Where the words have no room it uses shorter ones, and then leaves out the last.
class Legend : public QWidget
{
    Q_OBJECT

public:
    explicit Legend(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    struct Entry
    {
        /// As the derived class counts its signs.
        int sign = 0;
        QString word;
        QString shortWord;
        bool operator==(const Entry&) const = default;
    };

    void setEntries(std::vector<Entry> entries);
    virtual void paintSign(QPainter& painter, int sign, const QRectF& box) const = 0;
    void paintEvent(QPaintEvent* event) override;

    const Theme& theme() const { return m_theme; }

private:
    double widthOf(const std::vector<Entry>& entries, bool shortWords) const;

    Theme m_theme = Theme::light();
    std::vector<Entry> m_entries;
};

/// The legend of both charts of an exploration.
class ExplorationLegend : public Legend
{
    Q_OBJECT

public:
    explicit ExplorationLegend(QWidget* parent = nullptr);

    void setScene(const ChartScene& scene);

protected:
    void paintSign(QPainter& painter, int sign, const QRectF& box) const override;
};

/// The legend of one chart of a training run.
class RunLegend : public Legend
{
    Q_OBJECT

public:
    explicit RunLegend(const QString& name, QWidget* parent = nullptr);

    void setPlot(const RunPlot& plot);

protected:
    void paintSign(QPainter& painter, int sign, const QRectF& box) const override;

private:
    /// What the entries stand for, series first, without their values.
    std::vector<RunPlot::Series> m_series;
    std::vector<RunPlot::Marker> m_markers;
};

} // namespace batchpeak::ui
