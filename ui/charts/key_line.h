// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QString>
#include <QWidget>

#include <vector>

namespace batchpeak::ui {

/// The key of a chart, in one line: a sign and a word for everything that is drawn at present, and for
/// nothing else. Where the words have no room it uses shorter ones, and then leaves out the last.
class KeyLine : public QWidget
{
    Q_OBJECT

public:
    explicit KeyLine(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    struct Entry
    {
        /// As the heir counts its signs.
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

    Theme m_theme = Theme::day();
    std::vector<Entry> m_entries;
};

} // namespace batchpeak::ui
