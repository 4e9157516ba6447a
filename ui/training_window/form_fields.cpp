// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "form_fields.h"

#include "path_field.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>

#include <cmath>

namespace batchpeak::ui {

QLineEdit* numberLine(const QString& name, const QString& placeholder, QWidget* parent)
{
    auto* line = new QLineEdit(parent);
    line->setAccessibleName(name);
    line->setPlaceholderText(placeholder);
    return line;
}

QWidget* inOneRow(std::initializer_list<QWidget*> parts, int stretched, QWidget* parent)
{
    auto* row = new QWidget(parent);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    int place = 0;
    for (QWidget* part : parts)
        layout->addWidget(part, place++ == stretched ? 1 : 0);
    return row;
}

std::optional<std::int64_t> numberOf(QLineEdit* line, std::int64_t least)
{
    const QString text = line->text().trimmed();
    if (text.isEmpty())
        return std::nullopt;
    bool isNumber = false;
    const qlonglong number = QLocale().toLongLong(text, &isNumber);
    if (!isNumber || number < least)
        throw FormProblem(
            QCoreApplication::translate("FormFields", "%1 is \"%2\"; write a whole number from %3 on.")
                .arg(line->accessibleName(), text)
                .arg(least),
            line);
    return number;
}

std::optional<double> rateOf(QLineEdit* line)
{
    const QString text = line->text().trimmed();
    if (text.isEmpty())
        return std::nullopt;
    bool isNumber = false;
    double rate = QLocale().toDouble(text, &isNumber);
    if (!isNumber)
        rate = QLocale::c().toDouble(text, &isNumber);
    if (!isNumber || !(rate > 0.0) || !std::isfinite(rate))
        throw FormProblem(
            QCoreApplication::translate("FormFields", "%1 is \"%2\"; write a number above 0, as 3e-4.")
                .arg(line->accessibleName(), text),
            line);
    return rate;
}

std::string pathOf(const PathField* field, const QString& sentence)
{
    if (field->text().isEmpty())
        throw FormProblem(sentence, field->line());
    return QFileInfo(field->text()).absoluteFilePath().toStdString();
}

} // namespace batchpeak::ui
