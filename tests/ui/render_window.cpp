// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a picture of the window in every state, theme and size into a folder, and of each of its dialogs, to
// be looked at:
//   QT_QPA_PLATFORM=offscreen batchpeak-render-window FOLDER [STATE | DIALOG]
// With QT_SCALE_FACTOR=2 the pictures have twice as many pixels.
#include "charts/exploration_charts.h"
#include "charts/run_charts.h"
#include "sample_dialogs.h"
#include "sample_snapshots.h"
#include "sample_trainings.h"
#include "sample_windows.h"
#include "ui/message_banner.h"
#include "ui/training_window/training_form.h"

#include <QApplication>
#include <QDir>
#include <QStandardPaths>
#include <QTextStream>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

QString nameOf(const QString& subject, const Theme& theme)
{
    return QStringLiteral("%1-%2").arg(subject,
                                       theme.isDark ? QStringLiteral("dark") : QStringLiteral("light"));
}

bool save(const QPixmap& picture, const QDir& folder, const QString& name)
{
    const QString file = name + QStringLiteral(".png");
    if (picture.save(folder.filePath(file)))
        return true;
    QTextStream(stderr) << "The picture " << file << " cannot be written.\n";
    return false;
}

bool drawStates(const QDir& folder, const QString& only)
{
    for (const auto& [name, snapshot] : test::allSamples()) {
        if (!only.isEmpty() && name != only)
            continue;
        for (const Theme& theme : {Theme::light(), Theme::dark()}) {
            for (const QSize size : {QSize(1440, 900), QSize(1100, 680)}) {
                test::SampleWindow window(theme, size);
                window.display(snapshot);
                if (name == QLatin1String("stalled"))
                    emit window.findChild<ThroughputChart*>()->placePointedAt(96);
                if (!save(window.grab(), folder,
                          QStringLiteral("%1-%2").arg(nameOf(name, theme)).arg(size.width())))
                    return false;
            }
        }
    }
    return true;
}

bool drawTrainings(const QDir& folder, const QString& only)
{
    for (const auto& [name, snapshot] : test::allTrainings()) {
        if (!only.isEmpty() && name != only)
            continue;
        for (const Theme& theme : {Theme::light(), Theme::dark()}) {
            for (const QSize size : {QSize(1440, 900), QSize(1100, 680)}) {
                test::SampleTrainingWindow window(theme, size);
                window.view()->form()->setRecommended(192);
                window.display(snapshot);
                if (name == QLatin1String("training-halving"))
                    emit window.findChild<RunChart*>()->placePointedAt(70);
                if (!save(window.grab(), folder,
                          QStringLiteral("%1-%2").arg(nameOf(name, theme)).arg(size.width())))
                    return false;
            }
        }
    }
    return true;
}

/// The window asks for the network of a config that has none.
bool drawQuestion(const QDir& folder)
{
    const QString sentence =
        QStringLiteral("/home/user/finetune/sft.yaml:2:1: The network is named \"example/our-own-7b\", which "
                       "is not among the "
                       "well-known ones; give its config.json as the model (--model FILE).");
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        test::SampleWindow window(theme, QSize(1100, 680));
        window.display(test::emptySnapshot());
        window.view()->banner()->showMessage(MessageBanner::Kind::Warning, sentence, {},
                                             window.actions()->chooseNetwork);
        if (!save(window.grab(), folder, nameOf(QStringLiteral("question"), theme)))
            return false;
    }
    return true;
}

bool drawDialogs(const QDir& folder, const QString& only)
{
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        for (const auto& [name, picture] : test::dialogPictures(theme)) {
            if ((only.isEmpty() || name == only) && !save(picture, folder, nameOf(name, theme)))
                return false;
        }
    }
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    QStandardPaths::setTestModeEnabled(true);
    const QApplication application(argc, argv);
    const QStringList arguments = QApplication::arguments();
    if (arguments.size() < 2) {
        QTextStream(stderr) << "Name the folder that the pictures are to be written into.\n";
        return 1;
    }
    const QDir folder(arguments.at(1));
    if (!folder.mkpath(QStringLiteral("."))) {
        QTextStream(stderr) << "The folder " << folder.path() << " cannot be made.\n";
        return 1;
    }
    const QString only = arguments.value(2);
    return drawStates(folder, only) && drawTrainings(folder, only) && drawQuestion(folder) &&
                   drawDialogs(folder, only)
               ? 0
               : 1;
}
