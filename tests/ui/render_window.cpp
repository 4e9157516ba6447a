// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a picture of the window in every state, theme and size into a folder, to be looked at:
//   QT_QPA_PLATFORM=offscreen batchpeak-render-window FOLDER [STATE]
// With QT_SCALE_FACTOR=2 the pictures have twice as many pixels.
#include "sample_snapshots.h"
#include "sample_window.h"
#include "throughput_chart.h"

#include <QApplication>
#include <QDir>
#include <QStandardPaths>
#include <QTextStream>

using namespace batchpeak::ui;

int main(int argc, char** argv)
{
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    const QStringList arguments = QApplication::arguments();
    if (arguments.size() < 2) {
        QTextStream(stderr) << "Name the folder that the pictures are to be written into.\n";
        return 1;
    }
    const QDir folder(arguments.at(1));
    const QString only = arguments.value(2);
    if (!folder.mkpath(QStringLiteral("."))) {
        QTextStream(stderr) << "The folder " << folder.path() << " cannot be made.\n";
        return 1;
    }
    for (const auto& [name, snapshot] : test::allSamples()) {
        if (!only.isEmpty() && name != only)
            continue;
        for (const Theme& theme : {Theme::day(), Theme::night()}) {
            for (const QSize size : {QSize(1440, 900), QSize(1100, 680)}) {
                test::SampleWindow window(theme, size);
                window.display(snapshot);
                if (name == QLatin1String("stalled"))
                    emit window.findChild<ThroughputChart*>()->sizePointedAt(96);
                const QString file =
                    QStringLiteral("%1-%2-%3.png")
                        .arg(name, theme.dark ? QStringLiteral("dark") : QStringLiteral("light"))
                        .arg(size.width());
                if (!window.grab().save(folder.filePath(file))) {
                    QTextStream(stderr) << "The picture " << file << " cannot be written.\n";
                    return 1;
                }
            }
        }
    }
    return 0;
}
