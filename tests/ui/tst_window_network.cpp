// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/exploration.h"
#include "support/test_main.h"
#include "ui/labels.h"
#include "ui/message_banner.h"
#include "ui/network_dialog.h"
#include "ui/recent_files.h"
#include "ui/tool_bar.h"
#include "ui/window_settings.h"
#include "window_fixture.h"

#include <QAction>
#include <QPushButton>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::whenOpen;

/// The window with configs whose network comes from elsewhere.
class WindowNetworkTest : public test::WindowFixture
{
    Q_OBJECT

    const QByteArray m_config = smallGpt2("12", "4 # tried by hand");
    QString m_path;

    QString overwrite(const QByteArray& text) const { return fileWith("params.yaml", text); }

    void chooseInTheNextDialog(const QString& network)
    {
        whenOpen<NetworkDialog>(&window(), [network](NetworkDialog* dialog) {
            dialog->setText(network);
            dialog->accept();
        });
    }

    static QString headerOf(const MainWindow& window)
    {
        return window.findChild<ToolBar*>()->findChild<ElidedLabel*>()->fullText();
    }

private slots:
    void init()
    {
        m_path = overwrite(m_config);
        WindowSettings().setNetworkOf(m_path, {});
    }

    void offersANetworkWhereTheConfigHasNone()
    {
        overwrite(QByteArray(m_config).replace("model_name: gpt2", "model_name: no-such-network"));
        QVERIFY(!window().openConfig(m_path));
        QVERIFY(banner().isVisible());
        QVERIFY2(banner().text().contains(QStringLiteral("no-such-network")), qPrintable(banner().text()));
        QVERIFY2(banner().text().endsWith(QLatin1Char('.')), qPrintable(banner().text()));
        QCOMPARE(window().findChild<RecentFiles*>()->files(), QStringList{m_path});

        const QString network = fileWith("network.yaml", m_config);
        chooseInTheNextDialog(network);
        auto* offer = banner().findChild<QPushButton*>();
        QTest::mouseClick(offer, Qt::LeftButton);
        QVERIFY(!offer->isVisible());
        QVERIFY2(banner().text().endsWith(QStringLiteral("run in its place.")), qPrintable(banner().text()));
        QCOMPARE(headerOf(window()).section(QStringLiteral("  ·  "), 0, 1),
                 QStringLiteral("params.yaml  ·  network from network.yaml"));

        // Another day, nobody is asked again.
        MainWindow later;
        QVERIFY(later.openConfig(m_path));
        QVERIFY(headerOf(later).contains(QStringLiteral("network from network.yaml")));
    }

    void runsAnotherNetworkInPlaceOfTheConfigs()
    {
        const QString network = fileWith(
            "deeper.yaml", QByteArray(m_config).replace("num_hidden_layers: 2", "num_hidden_layers: 4"));
        QAction* choose = test::actionOf(window(), "Choose the network");
        QVERIFY(!choose->isEnabled());
        QVERIFY(window().openConfig(m_path));
        const std::int64_t own = snapshot().run->parameters;
        QVERIFY(!headerOf(window()).contains(QStringLiteral("network")));
        chooseInTheNextDialog(network);
        choose->trigger();
        QVERIFY(snapshot().run->parameters > own);
        QVERIFY(headerOf(window()).contains(QStringLiteral("network from deeper.yaml")));
        whenOpen<NetworkDialog>(&window(), [](NetworkDialog* dialog) {
            test::buttonOf(*dialog, "Use the config's own")->click();
        });
        choose->trigger();
        QCOMPARE(snapshot().run->parameters, own);
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
        QVERIFY(window().openConfig(m_path));
        QVERIFY(banner().isVisible());
        const QStringList lines = banner().text().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), 4);
        QVERIFY2(lines.first().startsWith(QStringLiteral("Line ")), qPrintable(lines.first()));
        QVERIFY2(lines.last().startsWith(QStringLiteral("There are ")) &&
                     lines.last().contains(QStringLiteral("inspect params.yaml")),
                 qPrintable(lines.last()));
        overwrite(m_config);
        QVERIFY(window().openConfig(m_path));
        QVERIFY(!banner().isVisible());
    }

    void opensWithTheNetworkThatIsNamed()
    {
        overwrite(QByteArray(m_config).replace("model_name: gpt2", "model_name: no-such-network"));
        const QString network = fileWith("network.yaml", m_config);
        QVERIFY(!window().openConfig(m_path, pathOf("none.yaml")));
        QVERIFY(window().openConfig(m_path, network));
        QVERIFY(headerOf(window()).contains(QStringLiteral("network from network.yaml")));
    }
};

BATCHPEAK_TEST(WindowNetworkTest)
#include "tst_window_network.moc"
