// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/exploration.h"
#include "next_dialog.h"
#include "support/test_main.h"
#include "ui/elided_label.h"
#include "ui/main_window.h"
#include "ui/message_banner.h"
#include "ui/network_dialog.h"
#include "ui/recent_files.h"
#include "ui/run_bar.h"
#include "ui/window_settings.h"

#include <QAction>
#include <QApplication>
#include <QFile>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;
using batchpeak::ui::test::whenOpen;

namespace {

const QByteArray gpt2 = "train_input:\n"
                        "  batch_size: 12\n"
                        "  micro_batch_size: 4 # tried by hand\n"
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

} // namespace

/// The window with configs whose network comes from elsewhere.
class WindowNetworkTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_path;

    QString fileWith(const char* name, const QByteArray& text) const
    {
        QFile file(m_folder.filePath(QString::fromUtf8(name)));
        if (!file.open(QIODevice::WriteOnly))
            return {};
        file.write(text);
        return file.fileName();
    }

    void overwrite(const QByteArray& text) const { fileWith("params.yaml", text); }

    static QString headerOf(const MainWindow& window)
    {
        return window.findChild<RunBar*>()->findChild<ElidedLabel*>()->fullText();
    }

    static QAction* actionOf(const MainWindow& window, const QString& text)
    {
        for (QAction* action : window.actions()) {
            if (action->text() == text)
                return action;
        }
        return nullptr;
    }

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope,
                           m_folder.filePath(QStringLiteral("settings")));
    }

    void init()
    {
        m_path = fileWith("params.yaml", gpt2);
        WindowSettings().setNetworkOf(m_path, {});
    }

    void offersANetworkWhereTheConfigHasNone()
    {
        overwrite(QByteArray(gpt2).replace("model_name: gpt2", "model_name: no-such-network"));
        MainWindow window;
        window.show();
        QVERIFY(!window.openConfig(m_path));
        const auto* banner = window.findChild<MessageBanner*>();
        QVERIFY(banner->isVisible());
        QVERIFY2(banner->text().contains(QStringLiteral("no-such-network")), qPrintable(banner->text()));
        QVERIFY2(banner->text().endsWith(QLatin1Char('.')), qPrintable(banner->text()));
        QCOMPARE(window.findChild<RecentFiles*>()->files(), QStringList{m_path});

        const QString network = fileWith("network.yaml", gpt2);
        whenOpen<NetworkDialog>(&window, [network](NetworkDialog* dialog) {
            dialog->setText(network);
            dialog->accept();
        });
        auto* offer = banner->findChild<QPushButton*>();
        QTest::mouseClick(offer, Qt::LeftButton);
        QVERIFY(!offer->isVisible());
        QVERIFY2(banner->text().endsWith(QStringLiteral("run in its place.")), qPrintable(banner->text()));
        QCOMPARE(headerOf(window).section(QStringLiteral("  ·  "), 0, 1),
                 QStringLiteral("params.yaml  ·  network from network.yaml"));

        // Another day, nobody is asked again.
        MainWindow later;
        QVERIFY(later.openConfig(m_path));
        QVERIFY(headerOf(later).contains(QStringLiteral("network from network.yaml")));
    }

    void runsAnotherNetworkInPlaceOfTheConfigs()
    {
        const QString network =
            fileWith("deeper.yaml", QByteArray(gpt2).replace("num_hidden_layers: 2", "num_hidden_layers: 4"));
        MainWindow window;
        window.show();
        QAction* choose = actionOf(window, QStringLiteral("Choose the &network…"));
        QVERIFY(!choose->isEnabled());
        QVERIFY(window.openConfig(m_path));
        const std::int64_t own = window.exploration().snapshot().run->parameters;
        QVERIFY(!headerOf(window).contains(QStringLiteral("network")));
        whenOpen<NetworkDialog>(&window, [network](NetworkDialog* dialog) {
            dialog->setText(network);
            dialog->accept();
        });
        choose->trigger();
        QVERIFY(window.exploration().snapshot().run->parameters > own);
        QVERIFY(headerOf(window).contains(QStringLiteral("network from deeper.yaml")));
        whenOpen<NetworkDialog>(&window, [](NetworkDialog* dialog) {
            for (auto* button : dialog->findChildren<QPushButton*>()) {
                if (button->text() == QStringLiteral("&Use the config's own"))
                    button->click();
            }
        });
        choose->trigger();
        QCOMPARE(window.exploration().snapshot().run->parameters, own);
    }

    void remarksOnWhatTrialsDoOtherwise()
    {
        overwrite("per_device_train_batch_size: 8\n"
                  "model_name_or_path: gpt2\n"
                  "load_in_4bit: true\n"
                  "packing: true\n"
                  "load_in_8bit: true\n"
                  "auto_find_batch_size: true\n"
                  "bf16: false\n"
                  "optim: adafactor\n");
        MainWindow window;
        window.show();
        QVERIFY(window.openConfig(m_path));
        const auto* banner = window.findChild<MessageBanner*>();
        QVERIFY(banner->isVisible());
        const QStringList lines = banner->text().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), 4);
        QVERIFY2(lines.first().startsWith(QStringLiteral("Line ")), qPrintable(lines.first()));
        QVERIFY2(lines.last().startsWith(QStringLiteral("There are ")) &&
                     lines.last().contains(QStringLiteral("inspect params.yaml")),
                 qPrintable(lines.last()));
        overwrite(gpt2);
        QVERIFY(window.openConfig(m_path));
        QVERIFY(!banner->isVisible());
    }

    void opensWithTheNetworkThatIsNamed()
    {
        overwrite(QByteArray(gpt2).replace("model_name: gpt2", "model_name: no-such-network"));
        const QString network = fileWith("network.yaml", gpt2);
        MainWindow window;
        QVERIFY(!window.openConfig(m_path, m_folder.filePath(QStringLiteral("none.yaml"))));
        QVERIFY(window.openConfig(m_path, network));
        QVERIFY(headerOf(window).contains(QStringLiteral("network from network.yaml")));
    }
};

BATCHPEAK_TEST(WindowNetworkTest)
#include "tst_window_network.moc"
