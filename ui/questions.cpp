// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "questions.h"

#include "buttons.h"
#include "engine/trusted_code.h"

#include <QCoreApplication>
#include <QDir>
#include <QMessageBox>
#include <QPushButton>

namespace batchpeak::ui {

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(Questions)
};

struct Question
{
    QString title;
    QString text;
    QString information;
    /// Of the buttons.
    QString yes;
    QString no;
};

bool isAnsweredWithYes(QWidget* window, const Question& asked, const Theme& theme)
{
    QMessageBox question(window);
    question.setWindowTitle(asked.title);
    question.setTextFormat(Qt::PlainText);
    question.setText(asked.text);
    question.setInformativeText(asked.information);
    auto* yes = dialogButton(asked.yes, "secondary", &question);
    auto* no = dialogButton(asked.no, "primary", &question);
    question.addButton(yes, QMessageBox::AcceptRole);
    question.addButton(no, QMessageBox::RejectRole);
    question.setDefaultButton(no);
    question.setEscapeButton(no);
    applyPalette(question, theme);
    question.exec();
    return question.clickedButton() == yes;
}

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

bool wantsToStop(QWidget* window, UnderWay what, const QString& consequence, const Theme& theme)
{
    Question question{.title = Words::tr("Close"),
                      .text = Words::tr("Stop exploring?"),
                      .information = consequence,
                      .yes = Words::tr("&Stop exploring"),
                      .no = Words::tr("&Keep exploring")};
    if (what == UnderWay::Confirmation) {
        question.text = Words::tr("Stop confirming?");
        question.yes = Words::tr("&Stop confirming");
        question.no = Words::tr("&Keep confirming");
    } else if (what == UnderWay::Training) {
        question.text = Words::tr("Stop training?");
        question.yes = Words::tr("&Stop training");
        question.no = Words::tr("&Keep training");
    }
    return isAnsweredWithYes(window, question, theme);
}

bool wantsToStartBeside(QWidget* window, const QString& other, const Theme& theme)
{
    return isAnsweredWithYes(
        window,
        {.title = Words::tr("Start"),
         .text = Words::tr("Start beside another exploration?"),
         .information = Words::tr("%1 Both would disturb each other: each takes time and "
                                  "memory from the trials of the other.")
                            .arg(other),
         .yes = Words::tr("&Start anyway"),
         .no = Words::tr("&Wait")},
        theme);
}

bool wantsToReplace(QWidget* window, const QString& path, const Theme& theme)
{
    return isAnsweredWithYes(
        window,
        {.title = Words::tr("Replace a file"),
         .text = Words::tr("Replace this file?"),
         .information = Words::tr("%1 is there already. What it holds now would be lost.")
                            .arg(QDir::toNativeSeparators(path)),
         .yes = Words::tr("&Replace it"),
         .no = Words::tr("&Keep it")},
        theme);
}

bool wantsToLoseChange(QWidget* window, const QString& change, const Theme& theme)
{
    return isAnsweredWithYes(
        window,
        {.title = Words::tr("Take a size back"),
         .text = Words::tr("Take the size back all the same?"),
         .information = Words::tr("%1 What has changed would be lost with it.").arg(change),
         .yes = Words::tr("&Take it back"),
         .no = Words::tr("&Keep the file")},
        theme);
}

bool mayRunCode(QWidget* window, const QString& path, const Theme& theme)
{
    if (path.isEmpty())
        return true;
    // What is read now is what the answer is about, however long it takes.
    const auto code = engine::CodeContent::of(path);
    if (engine::isTrusted(code))
        return true;
    if (!isAnsweredWithYes(window,
                           {.title = Words::tr("Run code"),
                            .text = Words::tr("May this code run here?"),
                            .information = informationOn(code).arg(QDir::toNativeSeparators(path)),
                            .yes = Words::tr("&Run it"),
                            .no = Words::tr("&Leave it")},
                           theme))
        return false;
    engine::trustCode(code);
    return true;
}

} // namespace batchpeak::ui
