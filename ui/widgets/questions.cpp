// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "questions.h"

#include "buttons.h"
#include "diff_view.h"
#include "files/trusted_code.h"
#include "files/written_config.h"
#include "labels.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>

namespace batchpeak::ui {

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(Questions)
};

// Of a question that shows a change.
constexpr QSize usualSize{640, 400};

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
    // A box grows with its longest word.
    question.setInformativeText(withShortNames(asked.information));
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

bool wantsToTakeBack(QWidget* window, const engine::LastWriting& last, const Theme& theme)
{
    QDialog dialog(window);
    dialog.setWindowTitle(Words::tr("Take a size back"));
    auto* layout = new QVBoxLayout(&dialog);
    layout->setSpacing(10);
    if (last.isChangedSince()) {
        auto* changed = wrapped(new QLabel(
            withShortNames(Words::tr("%1 What has changed would be lost with it.").arg(last.changeText())),
            &dialog));
        changed->setProperty("warn", true);
        layout->addWidget(changed);
    }
    const QString path = QDir::toNativeSeparators(last.written.filePath);
    auto* asked = wrapped(new QLabel(&dialog));
    setTextWithShortNames(asked, (last.written.before
                                      ? Words::tr("Give %1 back what it held before? This changes:")
                                      : Words::tr("Remove %1, which was not there before? This changes:"))
                                     .arg(path));
    layout->addWidget(asked);
    auto* preview = new DiffView(&dialog);
    preview->setTheme(theme);
    preview->setAccessibleName(Words::tr("Lines that change"));
    if (const QString change = engine::changeByTakingBack(last); change.isEmpty())
        preview->setSentence(Words::tr("Nothing: the file holds that already."));
    else
        preview->setDiff(change);
    layout->addWidget(preview, 1);

    // The answer says what it does, and with which file.
    const QString name =
        withShortNames(QFileInfo(path).fileName()).replace(QLatin1Char('&'), QLatin1String("&&"));
    auto* yes =
        dialogButton((last.written.before ? Words::tr("&Restore %1") : Words::tr("&Remove %1")).arg(name),
                     "secondary", &dialog);
    auto* no = dialogButton(Words::tr("&Keep it as it is"), "primary", &dialog);
    no->setDefault(true);
    auto* buttons = new QDialogButtonBox(&dialog);
    buttons->addButton(yes, QDialogButtonBox::AcceptRole);
    buttons->addButton(no, QDialogButtonBox::RejectRole);
    layout->addWidget(buttons);
    QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    no->setFocus();
    dialog.resize(usualSize);
    applyPalette(dialog, theme);
    return dialog.exec() == QDialog::Accepted;
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
