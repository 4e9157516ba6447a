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

/// What the tests of the window and of its dialogs have in common: a folder of their own with a config and
/// the window's settings in it, and a window once it is asked for, another one for each test function.
class WindowFixture : public QObject
{
    Q_OBJECT

protected:
    /// A small GPT-2 as a Cerebras config, the batch and the setting as they are written in it.
    static QByteArray smallGpt2(const QByteArray& batchSize, const QByteArray& microBatchSize);
    /// Trials by the fake worker. \param words  what it does otherwise than a worker that answers at once
    static engine::ExplorationOptions optionsWith(const QString& words, int maxTrials = 5);

    QString pathOf(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
    /// Writes a file into the folder. \return its path
    QString fileWith(const char* name, const QByteArray& text) const;

    /// Shown from the first call on.
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

/// The action or button of a window whose text, without its mnemonic, begins with that; nothing without one.
QAction* actionOf(const QWidget& window, const char* text);
QPushButton* buttonOf(const QWidget& window, const char* text);

/// The part of a window that is called so to those who do not see it; nothing without one.
template<typename Part>
Part* partOf(const QWidget& window, const char* name)
{
    for (auto* part : window.findChildren<Part*>()) {
        if (part->accessibleName() == QLatin1String(name))
            return part;
    }
    return nullptr;
}

/// Answers the next dialog of a kind, as a person would once it is open.
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
