// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "questions.h"

#include "buttons.h"
#include "diff_view.h"
#include "files/hub_download.h"
#include "files/trusted_code.h"
#include "files/written_config.h"
#include "labels.h"
#include "text/translated.h"

#include <QCheckBox>
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

// Default size of a question that shows a change.
constexpr QSize defaultSize{640, 400};

struct Question
{
    QString title;
    QString text;
    QString information;
    /// Texts of the buttons.
    QString yes;
    QString no;
    /// Text of a check box; empty for none.
    QString always = {};
};

/// \param always  receives whether the box was checked; may be null
bool isAnsweredWithYes(QWidget* window, const Question& asked, const Theme& theme, bool* always = nullptr)
{
    QMessageBox question(window);
    question.setWindowTitle(asked.title);
    question.setTextFormat(Qt::PlainText);
    question.setText(asked.text);
    // A message box grows with its longest word.
    question.setInformativeText(withShortNames(asked.information));
    auto* yes = dialogButton(asked.yes, "secondary", &question);
    auto* no = dialogButton(asked.no, "primary", &question);
    question.addButton(yes, QMessageBox::AcceptRole);
    question.addButton(no, QMessageBox::RejectRole);
    question.setDefaultButton(no);
    question.setEscapeButton(no);
    auto* box = asked.always.isEmpty() ? nullptr : new QCheckBox(asked.always, &question);
    if (box)
        question.setCheckBox(box);
    applyPalette(question, theme);
    question.exec();
    if (always && box)
        *always = box->isChecked();
    return question.clickedButton() == yes;
}

QString informationOn(const engine::CodeContent& code)
{
    if (!code.isThere())
        return engine::Translated::tr(
            "The config names %1, which is not on this computer. If the computer of a launcher or worker has "
            "it, it runs there with your permissions. Allow this only if you know who wrote it.");
    if (code.path().endsWith(QLatin1String(".py")))
        return engine::Translated::tr(
            "The config names %1, which would run with your permissions, as would the Python files in its "
            "folder. Allow this only if you know who wrote them.");
    return engine::Translated::tr("The config names %1, which would run with your permissions. Allow this "
                                  "only if you know who wrote it.");
}

} // namespace

bool wantsToStop(QWidget* window, UnderWay what, const QString& consequence, const Theme& theme)
{
    Question question{.title = engine::Translated::tr("Close"),
                      .text = engine::Translated::tr("Stop exploring?"),
                      .information = consequence,
                      .yes = engine::Translated::tr("&Stop exploring"),
                      .no = engine::Translated::tr("&Keep exploring")};
    if (what == UnderWay::Confirmation) {
        question.text = engine::Translated::tr("Stop confirming?");
        question.yes = engine::Translated::tr("&Stop confirming");
        question.no = engine::Translated::tr("&Keep confirming");
    } else if (what == UnderWay::Training) {
        question.text = engine::Translated::tr("Stop training?");
        question.yes = engine::Translated::tr("&Stop training");
        question.no = engine::Translated::tr("&Keep training");
    }
    return isAnsweredWithYes(window, question, theme);
}

bool wantsToStartBeside(QWidget* window, const QString& other, const Theme& theme)
{
    return isAnsweredWithYes(
        window,
        {.title = engine::Translated::tr("Start"),
         .text = engine::Translated::tr("Start while another exploration is running?"),
         .information = engine::Translated::tr("%1 The two explorations would disturb each other: each takes "
                                               "time and memory from the trials of the other.")
                            .arg(other),
         .yes = engine::Translated::tr("&Start anyway"),
         .no = engine::Translated::tr("&Wait")},
        theme);
}

bool wantsToReplace(QWidget* window, const QString& path, const Theme& theme)
{
    return isAnsweredWithYes(
        window,
        {.title = engine::Translated::tr("Replace a file"),
         .text = engine::Translated::tr("Replace this file?"),
         .information = engine::Translated::tr("%1 already exists. Its current content would be lost.")
                            .arg(QDir::toNativeSeparators(path)),
         .yes = engine::Translated::tr("&Replace it"),
         .no = engine::Translated::tr("&Keep it")},
        theme);
}

bool wantsToTakeBack(QWidget* window, const engine::LastWriting& last, const Theme& theme)
{
    QDialog dialog(window);
    dialog.setWindowTitle(engine::Translated::tr("Undo the last export"));
    auto* layout = new QVBoxLayout(&dialog);
    layout->setSpacing(10);
    if (last.isChangedSince()) {
        auto* changed = wrapped(new QLabel(
            withShortNames(engine::Translated::tr("%1 These changes would be lost.").arg(last.changeText())),
            &dialog));
        changed->setProperty("warn", true);
        layout->addWidget(changed);
    }
    const QString path = QDir::toNativeSeparators(last.written.filePath);
    auto* asked = wrapped(new QLabel(&dialog));
    setTextWithShortNames(
        asked,
        (last.written.before
             ? engine::Translated::tr("Restore the previous content of %1? This changes:")
             : engine::Translated::tr("Remove %1, which did not exist before the export? This changes:"))
            .arg(path));
    layout->addWidget(asked);
    auto* preview = new DiffView(&dialog);
    preview->setTheme(theme);
    preview->setAccessibleName(engine::Translated::tr("Lines that change"));
    if (const QString change = engine::changeByTakingBack(last); change.isEmpty())
        preview->setSentence(engine::Translated::tr("Nothing: the file already has this content."));
    else
        preview->setDiff(change);
    layout->addWidget(preview, 1);

    // The button says what it does, and with which file.
    const QString name =
        withShortNames(QFileInfo(path).fileName()).replace(QLatin1Char('&'), QLatin1String("&&"));
    auto* yes = dialogButton(
        (last.written.before ? engine::Translated::tr("&Restore %1") : engine::Translated::tr("&Remove %1"))
            .arg(name),
        "secondary", &dialog);
    auto* no = dialogButton(engine::Translated::tr("&Keep it as it is"), "primary", &dialog);
    no->setDefault(true);
    auto* buttons = new QDialogButtonBox(&dialog);
    buttons->addButton(yes, QDialogButtonBox::AcceptRole);
    buttons->addButton(no, QDialogButtonBox::RejectRole);
    layout->addWidget(buttons);
    QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    no->setFocus();
    dialog.resize(defaultSize);
    applyPalette(dialog, theme);
    return dialog.exec() == QDialog::Accepted;
}

bool mayRunCode(QWidget* window, const QString& path, const Theme& theme)
{
    if (path.isEmpty())
        return true;
    // The answer applies to the content that is read now, however long the user takes.
    const auto code = engine::CodeContent::of(path);
    if (engine::isTrusted(code))
        return true;
    if (!isAnsweredWithYes(window,
                           {.title = engine::Translated::tr("Run code"),
                            .text = engine::Translated::tr("May this code run here?"),
                            .information = informationOn(code).arg(QDir::toNativeSeparators(path)),
                            .yes = engine::Translated::tr("&Run it"),
                            .no = engine::Translated::tr("&Leave it")},
                           theme))
        return false;
    engine::trustCode(code);
    return true;
}

bool mayDownload(QWidget* window, const QString& id, const QUrl& hub, const Theme& theme)
{
    if (engine::mayDownloadFrom(hub))
        return true;
    bool always = false;
    if (!isAnsweredWithYes(
            window,
            {.title = engine::Translated::tr("Download"),
             .text = engine::Translated::tr("Fetch the config.json of this network?"),
             .information = engine::Translated::tr(
                                "%1 is not on this computer. Its config.json, some kilobytes, would be "
                                "fetched from %2 into your Hugging Face cache: no weights, and no code.")
                                .arg(id, hub.host()),
             .yes = engine::Translated::tr("&Fetch it"),
             .no = engine::Translated::tr("&Leave it"),
             .always = engine::Translated::tr("&Always from %1").arg(hub.host())},
            theme, &always))
        return false;
    if (always)
        engine::setMayDownloadFrom(hub, true);
    return true;
}

} // namespace batchpeak::ui
