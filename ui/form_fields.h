// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QString>
#include <QWidget>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>

class QLineEdit;
class QToolButton;
class QWidget;

namespace batchpeak::ui {

/// One of a few choices, as high and as plain as a line of text beside it. The arrow is painted: a style
/// sheet has one only from a picture, and without it Qt leaves the place empty.
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
};

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

/// What is wrong with a field, as a full sentence.
class FormProblem : public std::runtime_error
{
public:
    FormProblem(const QString& sentence, QWidget* field)
        : std::runtime_error(sentence.toStdString()), m_field(field)
    {}
    QWidget* field() const { return m_field; }

private:
    QWidget* m_field;
};

/// A line for a number.
/// \param name  for a screen reader, and for the sentence on what is wrong with it
QLineEdit* numberLine(const QString& name, const QString& placeholder, QWidget* parent);

/// \param stretched  place of the part that takes what is left
QWidget* inOneRow(std::initializer_list<QWidget*> parts, int stretched, QWidget* parent);

/// The number in a line, as the user's locale writes it; nothing where the line is empty.
/// \throws FormProblem
std::optional<std::int64_t> numberOf(QLineEdit* line, std::int64_t least);

/// The rate above 0 in a line, which may also stand as configs write it: "3e-4"; nothing where it is empty.
/// \throws FormProblem
std::optional<double> rateOf(QLineEdit* line);

/// The absolute path in a field.
/// \param sentence  said where the field is empty
/// \throws FormProblem
std::string pathOf(const PathField* field, const QString& sentence);

} // namespace batchpeak::ui
