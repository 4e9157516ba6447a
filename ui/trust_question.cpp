// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trust_question.h"

#include "buttons.h"
#include "engine/trusted_code.h"

#include <QCoreApplication>
#include <QDir>
#include <QMessageBox>

namespace batchpeak::ui {

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(TrustQuestion)
};

} // namespace

bool mayRunCode(QWidget* window, const QString& path, const Theme& theme)
{
    if (path.isEmpty() || engine::isTrusted(path))
        return true;
    QMessageBox question(window);
    question.setWindowTitle(Words::tr("Run code"));
    question.setText(Words::tr("May this code run here?"));
    question.setInformativeText(
        Words::tr("The config names %1, which would run as a program of yours. Let it run "
                  "only where you know who wrote it.")
            .arg(QDir::toNativeSeparators(path)));
    auto* run = dialogButton(Words::tr("&Run it"), "secondary", &question);
    auto* leave = dialogButton(Words::tr("&Leave it"), "primary", &question);
    question.addButton(run, QMessageBox::AcceptRole);
    question.addButton(leave, QMessageBox::RejectRole);
    question.setDefaultButton(leave);
    question.setEscapeButton(leave);
    applyPalette(question, theme);
    question.exec();
    if (question.clickedButton() != run)
        return false;
    engine::trustCode(path);
    return true;
}

} // namespace batchpeak::ui
