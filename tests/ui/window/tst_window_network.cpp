// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/recent_files.h"
#include "actions/tool_bar.h"
#include "actions/window_settings.h"
#include "exploration/unmeasurable_view.h"
#include "plan_page/plan_view.h"
#include "support/files.h"
#include "support/test_main.h"
#include "widgets/fidelity_chip.h"
#include "widgets/labels.h"
#include "widgets/message_banner.h"
#include "window/export_dialog.h"
#include "window/network_dialog.h"
#include "window_fixture.h"

#include <QAction>
#include <QPushButton>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::whenOpen;

/// Tests the window with configs whose network comes from another place.
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

    /// Returns the run of the current plan.
    static const engine::RunDescription& runOf(const MainWindow& window)
    {
        return window.findChild<PlanView*>()->preview().plan->run;
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

    void offersToChooseANetworkIfTheConfigHasNone()
    {
        overwrite(QByteArray(m_config).replace("model_name: gpt2", "model_name: no-such-network"));
        QVERIFY(!window().openConfig(m_path));
        const auto* page = window().findChild<UnmeasurableView*>();
        QVERIFY(page->isVisible());
        const QString why = page->summary().section(QLatin1Char('\n'), 0, 0);
        QVERIFY2(why.contains(QStringLiteral("no-such-network")), qPrintable(why));
        QVERIFY2(why.endsWith(QLatin1Char('.')) && !why.contains(m_path), qPrintable(why));
        QCOMPARE(window().findChild<RecentFiles*>()->files(), QStringList{m_path});
        QCOMPARE(window().windowTitle(), QStringLiteral("params.yaml"));
        const QAction* start = test::actionOf(window(), "Start");
        QVERIFY(!start->isEnabled());
        QCOMPARE(start->toolTip(), why);
        // Without a run there is no fidelity to show.
        QVERIFY(window().findChild<FidelityChip*>()->isHidden());

        const QString network = fileWith("network.yaml", m_config);
        chooseInTheNextDialog(network);
        QTest::mouseClick(test::buttonOf(*page, "Choose the network"), Qt::LeftButton);
        QVERIFY(!page->isVisible());
        QVERIFY(start->isEnabled());
        QVERIFY2(banner().text().endsWith(QStringLiteral("runs in its place.")), qPrintable(banner().text()));
        QCOMPARE(headerOf(window()).section(QStringLiteral("  ·  "), 0, 1),
                 QStringLiteral("params.yaml  ·  network from network.yaml"));

        // A later window remembers the choice.
        MainWindow later;
        QVERIFY(later.openConfig(m_path));
        QVERIFY(headerOf(later).contains(QStringLiteral("network from network.yaml")));
    }

    void writesASizeIfNoTrialIsPossible()
    {
        overwrite(QByteArray(m_config).replace("model_name: gpt2", "model_name: no-such-network"));
        QVERIFY(!window().openConfig(m_path));
        whenOpen<ExportDialog>(&window(), [](ExportDialog* dialog) {
            dialog->setMicroBatchSize(3);
            dialog->accept();
        });
        const auto* page = window().findChild<UnmeasurableView*>();
        QTest::mouseClick(test::buttonOf(*page, "Write a size"), Qt::LeftButton);
        QVERIFY2(test::readFile(m_path).contains("micro_batch_size: 3"), test::readFile(m_path).constData());
        QVERIFY2(banner().isVisible() && banner().text().contains(m_path), qPrintable(banner().text()));
        QVERIFY2(page->summary().contains(QStringLiteral("micro_batch_size: 3")),
                 qPrintable(page->summary()));
    }

    void runsAnotherNetworkInPlaceOfTheConfigs()
    {
        const QString network = fileWith(
            "deeper.yaml", QByteArray(m_config).replace("num_hidden_layers: 2", "num_hidden_layers: 4"));
        QAction* choose = test::actionOf(window(), "Choose the network");
        QVERIFY(!choose->isEnabled());
        QVERIFY(window().openConfig(m_path));
        const std::int64_t own = runOf(window()).parameters;
        QVERIFY(!headerOf(window()).contains(QStringLiteral("network")));
        chooseInTheNextDialog(network);
        choose->trigger();
        QVERIFY(runOf(window()).parameters > own);
        QVERIFY(headerOf(window()).contains(QStringLiteral("network from deeper.yaml")));
        whenOpen<NetworkDialog>(&window(), [](NetworkDialog* dialog) {
            test::buttonOf(*dialog, "Use the config's own")->click();
        });
        choose->trigger();
        QCOMPARE(runOf(window()).parameters, own);
    }

    void reportsHowTrialsDifferFromTheConfig()
    {
        overwrite("per_device_train_batch_size: 8\n"
                  "model_name_or_path: gpt2\n"
                  "use_peft: true\n"
                  "load_in_4bit: true\n"
                  "packing: true\n"
                  "load_in_8bit: true\n"
                  "auto_find_batch_size: true\n"
                  "bf16: false\n"
                  "fsdp: full_shard\n"
                  "torch_compile: true\n"
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

    void opensWithAGivenNetwork()
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
