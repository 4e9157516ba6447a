// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLineEdit;
class QToolButton;

namespace batchpeak::ui {

/// A line for the path of a file or a folder, and a button that looks for one on disk. What is typed is not
/// checked here.
class PathField : public QWidget
{
    Q_OBJECT

public:
    enum class Kind { File, Folder };

    /// \param name    of what is asked for, in words: the title of the dialog, and what a screen reader says
    /// \param filter  of files; as of QFileDialog
    PathField(Kind kind, const QString& name, const QString& filter = {}, QWidget* parent = nullptr);

    QString text() const;
    void setText(const QString& text);
    void setPlaceholder(const QString& text);
    QLineEdit* line() const { return m_line; }

private:
    void browse();

    Kind m_kind;
    QString m_name;
    QString m_filter;
    QLineEdit* m_line;
};

} // namespace batchpeak::ui
