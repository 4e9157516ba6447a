// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/exploration_options.h"
#include "window/main_window.h"

#include <QApplication>
#include <QTemporaryDir>
#include <QTimer>

#include <functional>
#include <memory>

class QAction;
class QPushButton;

namespace batchpeak::ui {
class MessageBanner;
}

namespace batchpeak::test {

/// Base of the tests of the window and of its dialogs: a separate folder with a config and the window's
/// settings, and a window that is created when it is first used, a new one for each test function.
class WindowFixture : public QObject
{
    Q_OBJECT

protected:
    /// Returns a small GPT-2 as a Cerebras config, with the batch size and the setting as given.
    static QByteArray smallGpt2(const QByteArray& batchSize, const QByteArray& microBatchSize);
    /// Returns options for trials by the fake worker.
    /// \param words  faults of the worker; without any, it answers immediately and correctly
    static engine::ExplorationOptions optionsWith(const QString& words, int maxTrials = 5);

    QString pathOf(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
    /// Writes a file into the folder.
    /// \return its path
    QString fileWith(const char* name, const QByteArray& text) const;

    /// Returns the window, which is shown from the first call on.
    ui::MainWindow& window();
    const engine::Snapshot& snapshot();
    const ui::MessageBanner& banner();

protected slots:
    void initTestCase();
    void cleanup();

private:
    QTemporaryDir m_folder;
    std::unique_ptr<ui::MainWindow> m_window;
};

/// Returns the action or button of a window whose text, without its mnemonic, begins with \p text; null if
/// there is none.
QAction* actionOf(const QWidget& window, const char* text);
QPushButton* buttonOf(const QWidget& window, const char* text);

/// Returns the part of a window with this accessible name; null if there is none.
template<typename Part>
Part* partOf(const QWidget& window, const char* name)
{
    for (auto* part : window.findChildren<Part*>()) {
        if (part->accessibleName() == QLatin1String(name))
            return part;
    }
    return nullptr;
}

/// Calls \p answer for the next dialog of this type, once it is open.
template<typename Dialog>
void whenOpen(QObject* context, std::function<void(Dialog*)> answer)
{
    auto* timer = new QTimer(context);
    QObject::connect(timer, &QTimer::timeout, context, [timer, answer] {
        if (auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget())) {
            timer->deleteLater();
            answer(dialog);
        }
    });
    timer->start(10);
}

} // namespace batchpeak::test
