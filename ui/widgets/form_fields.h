// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QString>
#include <QWidget>

class QLineEdit;
class QToolButton;
class QWidget;

namespace batchpeak::ui {

/// One of a few choices, as high and as plain as a line of text beside it. The arrow is painted: a style
/// sheet has one only from a picture, and without it Qt leaves the place empty. The wheel passes it by, and
/// scrolls what it stands in.
class ChoiceBox : public QComboBox
{
    Q_OBJECT

public:
    struct Choice
    {
        QString text;
        int value = 0;
    };

    /// \param name  of what is chosen, for a screen reader
    ChoiceBox(const QString& name, const QList<Choice>& choices, QWidget* parent = nullptr);

    int value() const { return currentData().toInt(); }
    /// Does nothing where there is no such choice.
    void setValue(int value);

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
};

/// A line for the path of a file or a folder, and a button that looks for one on disk. What is typed is not
/// checked here.
class PathField : public QWidget
{
    Q_OBJECT

public:
    enum class Kind { File, Folder, Either };

    /// \param name    of what is asked for, in words: the title of the dialog, and what a screen reader says
    /// \param filter  of files; as of QFileDialog
    PathField(Kind kind, const QString& name, const QString& filter = {}, QWidget* parent = nullptr);

    QString text() const;
    void setText(const QString& text);
    void setPlaceholder(const QString& text);
    QLineEdit* line() const { return m_line; }

private:
    void browse(Kind kind);

    QString m_name;
    QString m_filter;
    QLineEdit* m_line;
};

/// A line for a number.
/// \param name  for a screen reader
QLineEdit* numberLine(const QString& name, const QString& placeholder, QWidget* parent);

} // namespace batchpeak::ui
