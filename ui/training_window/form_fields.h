// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>

class QLineEdit;
class QWidget;

namespace batchpeak::ui {

class PathField;

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

/// As the user's locale writes numbers; nothing where the line is empty.
/// \throws FormProblem
std::optional<std::int64_t> numberOf(QLineEdit* line, std::int64_t least);

/// The same for a rate above 0, which may also stand as configs write it: "3e-4".
/// \throws FormProblem
std::optional<double> rateOf(QLineEdit* line);

/// Absolute.
/// \param sentence  said where the field is empty
/// \throws FormProblem
std::string pathOf(const PathField* field, const QString& sentence);

} // namespace batchpeak::ui
