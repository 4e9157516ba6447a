// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "stop_question.h"

#include "buttons.h"

#include <QCoreApplication>
#include <QMessageBox>

namespace batchpeak::ui {

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(StopQuestion)
};

} // namespace

bool wantsToStop(QWidget* window, const QString& what, const Theme& theme)
{
    QMessageBox question(window);
    question.setWindowTitle(Words::tr("Close"));
    question.setText(Words::tr("Stop and keep what is known?"));
    question.setInformativeText(what);
    auto* stop = dialogButton(Words::tr("&Stop and close"), "secondary", &question);
    auto* goOn = dialogButton(Words::tr("&Go on"), "primary", &question);
    question.addButton(stop, QMessageBox::AcceptRole);
    question.addButton(goOn, QMessageBox::RejectRole);
    question.setDefaultButton(goOn);
    question.setEscapeButton(goOn);
    applyPalette(question, theme);
    question.exec();
    return question.clickedButton() == stop;
}

} // namespace batchpeak::ui
