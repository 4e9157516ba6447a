// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <QWidget>

#include <vector>

class QPlainTextEdit;

namespace batchpeak::ui {

/// The log of an exploration, newest entry at the bottom. It follows the newest line unless the user has
/// scrolled away from it.
class LogView : public QWidget
{
    Q_OBJECT

public:
    explicit LogView(QWidget* parent = nullptr);

    void display(const std::vector<engine::LogLine>& log);
    QString text() const;

private:
    /// Returns the line of the view at which the newest entry begins, or the one from which everything to the
    /// end is visible.
    int lineOfNewest() const;

    QPlainTextEdit* m_text;
    std::size_t m_shownLines = 0;
    bool m_following = true;
    engine::LogLine m_newest;
};

/// Returns "14:02:11 trial 16, size 240: ..."; a severity above information is stated as a word.
QString logLineText(const engine::LogLine& line);

} // namespace batchpeak::ui
