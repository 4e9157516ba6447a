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

/// A combo box with few choices, as high and as plain as a line edit beside it. The arrow is painted: a style
/// sheet can show one only from an image, and without an image Qt leaves the place empty. It ignores the
/// wheel, which scrolls what the box is in.
class ChoiceBox : public QComboBox
{
    Q_OBJECT

public:
    struct Choice
    {
        QString text;
        int value = 0;
    };

    /// \param name  name of what is chosen, for a screen reader
    ChoiceBox(const QString& name, const QList<Choice>& choices, QWidget* parent = nullptr);

    int value() const { return currentData().toInt(); }
    /// Does nothing if there is no such choice.
    void setValue(int value);

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
};

/// A line edit for the path of a file or a folder, and a button that opens a file dialog. The input is not
/// validated here.
class PathField : public QWidget
{
    Q_OBJECT

public:
    enum class Kind { File, Folder, Either };

    /// \param name    name of what is asked for: the title of the dialog, and the name for a screen reader
    /// \param filter  filter of files, as for QFileDialog
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

/// Creates a line edit for a number.
/// \param name  name for a screen reader
QLineEdit* numberLine(const QString& name, const QString& placeholder, QWidget* parent);

} // namespace batchpeak::ui
