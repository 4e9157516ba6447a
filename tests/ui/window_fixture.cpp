// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_fixture.h"

#include "engine/exploration.h"
#include "exploration/exploration_view.h"
#include "widgets/message_banner.h"

#include <QAction>
#include <QFile>
#include <QPushButton>
#include <QStandardPaths>

namespace batchpeak::test {

using namespace batchpeak::ui;

namespace {

bool begins(const QString& text, const char* beginning)
{
    return QString(text).remove(QLatin1Char('&')).startsWith(QString::fromUtf8(beginning));
}

} // namespace

QAction* actionOf(const QWidget& window, const char* text)
{
    for (QAction* action : window.actions()) {
        if (begins(action->text(), text))
            return action;
    }
    return nullptr;
}

QPushButton* buttonOf(const QWidget& window, const char* text)
{
    for (auto* button : window.findChildren<QPushButton*>()) {
        if (begins(button->text(), text))
            return button;
    }
    return nullptr;
}

QByteArray WindowFixture::smallGpt2(const QByteArray& batchSize, const QByteArray& microBatchSize)
{
    return "train_input:\n"
           "  batch_size: " +
           batchSize +
           "\n"
           "  micro_batch_size: " +
           microBatchSize +
           "\n"
           "  max_sequence_length: 32\n"
           "model:\n"
           "  model_name: gpt2\n"
           "  vocab_size: 128\n"
           "  hidden_size: 32\n"
           "  num_hidden_layers: 2\n"
           "  num_heads: 2\n"
           "  filter_size: 64\n"
           "  max_position_embeddings: 32\n"
           "runconfig:\n"
           "  max_steps: 1\n";
}

engine::ExplorationOptions WindowFixture::optionsWith(const QString& words, int maxTrials)
{
    // The sizes must not exceed the configs' batches: an exploration ignores them, an export does not.
    return {.maximum = 32,
            .maxTrials = maxTrials,
            .workerCommand = QStringLiteral(BATCHPEAK_FAKE_WORKER " ") + words};
}

QString WindowFixture::fileWith(const char* name, const QByteArray& text) const
{
    QFile file(pathOf(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("%s cannot be written.", name);
    return file.fileName();
}

MainWindow& WindowFixture::window()
{
    if (!m_window) {
        m_window = std::make_unique<MainWindow>();
        m_window->show();
    }
    return *m_window;
}

const engine::Snapshot& WindowFixture::snapshot()
{
    return window().exploration().snapshot();
}

const MessageBanner& WindowFixture::banner()
{
    return *window().findChild<ExplorationView*>()->banner();
}

void WindowFixture::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    qputenv("XDG_CONFIG_HOME", QFile::encodeName(pathOf("settings")));
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    // Keeps the tests off the desktop of the user who runs them.
    qunsetenv("DBUS_SESSION_BUS_ADDRESS");
    qputenv("XDG_RUNTIME_DIR", m_folder.path().toUtf8());
}

void WindowFixture::cleanup()
{
    m_window.reset();
}

} // namespace batchpeak::test
