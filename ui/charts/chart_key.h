// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_scene.h"
#include "theme.h"

#include <QWidget>

#include <vector>

namespace batchpeak::ui {

/// The key of the charts: a sign and a word for everything that is drawn at present, and for nothing
/// else. Where the words have no room it uses shorter ones, and then leaves out the last.
class ChartKey : public QWidget
{
    Q_OBJECT

public:
    explicit ChartKey(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void setScene(const ChartScene& scene);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    enum class Sign { Measured, Model, Band, Running, Headroom, OutOfMemory };
    struct Entry
    {
        Sign sign;
        QString word;
        QString shortWord;
        bool operator==(const Entry&) const = default;
    };

    double widthOf(const std::vector<Entry>& entries, bool shortWords) const;
    void paintSign(QPainter& painter, Sign sign, const QRectF& box) const;

    Theme m_theme = Theme::day();
    std::vector<Entry> m_entries;
};

} // namespace batchpeak::ui
