// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QPlainTextEdit>

namespace batchpeak::ui {

/// Shows a unified diff with colored backgrounds for added and removed lines, or a sentence in place of one.
/// Signs distinguish the lines too, so that the colors are not needed.
class DiffView : public QPlainTextEdit
{
    Q_OBJECT

public:
    explicit DiffView(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param diff  in the format of engine::unifiedDiff()
    void setDiff(const QString& diff);
    void setSentence(const QString& sentence);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void draw();
    void addLine(const QString& line, bool isHeader);

    Theme m_theme = Theme::light();
    QString m_text;
    bool m_isDiff = false;
};

} // namespace batchpeak::ui
