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

QString informationOn(const engine::CodeContent& code)
{
    if (!code.isThere())
        return Words::tr(
            "The config names %1, which is not on this computer. Where a launcher or another worker "
            "has it, it would run there as a program of yours. Let it run only where you know who "
            "wrote it.");
    if (code.path().endsWith(QLatin1String(".py")))
        return Words::tr(
            "The config names %1, which would run as a program of yours, and the Python files beside "
            "it with it. Let them run only where you know who wrote them.");
    return Words::tr("The config names %1, which would run as a program of yours. Let it run "
                     "only where you know who wrote it.");
}

} // namespace

bool mayRunCode(QWidget* window, const QString& path, const Theme& theme)
{
    if (path.isEmpty())
        return true;
    // What is read now is what the answer is about, however long it takes.
    const auto code = engine::CodeContent::of(path);
    if (engine::isTrusted(code))
        return true;
    QMessageBox question(window);
    question.setWindowTitle(Words::tr("Run code"));
    question.setText(Words::tr("May this code run here?"));
    question.setInformativeText(informationOn(code).arg(QDir::toNativeSeparators(path)));
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
    engine::trustCode(code);
    return true;
}

} // namespace batchpeak::ui
