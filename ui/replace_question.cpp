// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "replace_question.h"

#include "buttons.h"

#include <QCoreApplication>
#include <QDir>
#include <QMessageBox>
#include <QPushButton>

namespace batchpeak::ui {

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(ReplaceQuestion)
};

} // namespace

bool wantsToReplace(QWidget* window, const QString& path, const Theme& theme)
{
    QMessageBox question(window);
    question.setWindowTitle(Words::tr("Replace a file"));
    question.setText(Words::tr("Replace this file?"));
    question.setTextFormat(Qt::PlainText);
    question.setInformativeText(Words::tr("%1 is there already. What it holds now would be lost.")
                                    .arg(QDir::toNativeSeparators(path)));
    auto* replace = dialogButton(Words::tr("&Replace it"), "secondary", &question);
    auto* keep = dialogButton(Words::tr("&Keep it"), "primary", &question);
    question.addButton(replace, QMessageBox::AcceptRole);
    question.addButton(keep, QMessageBox::RejectRole);
    question.setDefaultButton(keep);
    question.setEscapeButton(keep);
    applyPalette(question, theme);
    question.exec();
    return question.clickedButton() == replace;
}

} // namespace batchpeak::ui
