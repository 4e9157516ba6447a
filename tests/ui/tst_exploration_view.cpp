// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/throughput_chart.h"
#include "sample_snapshots.h"
#include "sample_window.h"
#include "support/test_main.h"
#include "ui/confidence_gauge.h"
#include "ui/empty_view.h"
#include "ui/log_view.h"
#include "ui/message_banner.h"
#include "ui/recommendation_card.h"
#include "ui/run_bar.h"
#include "ui/status_strip.h"

#include <QAction>
#include <QFontMetrics>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;
using engine::Snapshot;

class ExplorationViewTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QLocale::setDefault(QLocale::c());
    }

    void hasAFont()
    {
        const QFontMetrics metrics(QApplication::font());
        QVERIFY2(metrics.horizontalAdvance(QStringLiteral("iii")) <
                     metrics.horizontalAdvance(QStringLiteral("WWW")),
                 "Without a font every letter is the same box; install fonts-dejavu-core.");
    }

    void allowsWhatTheStateAllows_data()
    {
        QTest::addColumn<Snapshot>("snapshot");
        QTest::addColumn<QString>("allowed");
        QTest::newRow("empty") << test::emptySnapshot() << QString();
        QTest::newRow("ready") << test::readySnapshot() << QStringLiteral("start");
        QTest::newRow("starting") << test::startingSnapshot() << QStringLiteral("stop");
        QTest::newRow("early") << test::earlySnapshot() << QStringLiteral("pause stop export copy");
        QTest::newRow("running") << test::runningSnapshot() << QStringLiteral("pause stop export copy");
        QTest::newRow("paused") << test::pausedSnapshot() << QStringLiteral("pause stop export copy");
        QTest::newRow("verifying") << test::verifyingSnapshot() << QStringLiteral("pause stop export copy");
        QTest::newRow("finished") << test::finishedSnapshot() << QStringLiteral("start export copy");
        QTest::newRow("nothing fits") << test::nothingFitsSnapshot() << QStringLiteral("start");
        QTest::newRow("failed") << test::failedSnapshot() << QStringLiteral("start");
        Snapshot pausing = test::runningSnapshot();
        pausing.pauseRequested = true;
        QTest::newRow("pausing") << pausing << QStringLiteral("stop export copy");
    }
    void allowsWhatTheStateAllows()
    {
        QFETCH(Snapshot, snapshot);
        QFETCH(QString, allowed);
        QWidget window;
        WindowActions actions(&window);
        actions.update(snapshot);
        QStringList enabled;
        const std::pair<QAction*, QString> named[] = {{actions.start, QStringLiteral("start")},
                                                      {actions.pause, QStringLiteral("pause")},
                                                      {actions.stop, QStringLiteral("stop")},
                                                      {actions.exportSize, QStringLiteral("export")},
                                                      {actions.copySize, QStringLiteral("copy")}};
        for (const auto& [action, name] : named) {
            if (action->isEnabled())
                enabled << name;
        }
        QCOMPARE(enabled.join(QLatin1Char(' ')), allowed);
        QVERIFY(actions.open->isEnabled());
    }

    void namesTheFormatThatItWrites()
    {
        QWidget window;
        WindowActions actions(&window);
        actions.update(test::runningSnapshot());
        QCOMPARE(actions.exportSize->text(), QStringLiteral("&Export to Cerebras params…"));
        actions.update(test::pausedSnapshot());
        QCOMPARE(actions.pause->text(), QStringLiteral("&Resume"));
    }

    void namesWhatIsRunByItsOwnNames_data()
    {
        QTest::addColumn<QString>("network");
        QTest::addColumn<bool>("knowsDevices");
        QTest::addColumn<QString>("expected");
        QTest::newRow("the config's own network")
            << QString() << true
            << QStringLiteral("gpt-medium.yaml  ·  cuda:0 NVIDIA H100  ·  bf16  ·  global batch 1536");
        QTest::newRow("an id, devices from the launcher")
            << QStringLiteral("meta-llama/Llama-3.2-1B") << false
            << QStringLiteral("gpt-medium.yaml  ·  network from meta-llama/Llama-3.2-1B  ·  "
                              "cuda:0 NVIDIA H100  ·  bf16  ·  per-device batch 1536");
        QTest::newRow("a file")
            << QStringLiteral("/home/user/models/tiny.yaml") << true
            << QStringLiteral(
                   "gpt-medium.yaml  ·  network from tiny.yaml  ·  cuda:0 NVIDIA H100  ·  bf16  ·  "
                   "global batch 1536");
        QTest::newRow("a file as many are named")
            << QStringLiteral("/home/user/models/tiny/config.json") << true
            << QStringLiteral("gpt-medium.yaml  ·  network from tiny/config.json  ·  cuda:0 NVIDIA H100  ·  "
                              "bf16  ·  global batch 1536");
    }
    void namesWhatIsRunByItsOwnNames()
    {
        QFETCH(QString, network);
        QFETCH(bool, knowsDevices);
        QFETCH(QString, expected);
        Snapshot snapshot = test::withDevice();
        snapshot.run->modelSource = network;
        snapshot.run->plan.knowsDevices = knowsDevices;
        QCOMPARE(runText(snapshot), expected);
    }

    void namesTheSizeAsItsTrainerDoes()
    {
        const QString key = QStringLiteral("train_micro_batch_size_per_gpu");
        for (const Theme& theme : {Theme::day(), Theme::night()}) {
            test::SampleWindow window(theme, QSize(1100, 680));
            window.display(test::trainerSnapshot());
            window.grab();
            const auto* card = window.findChild<RecommendationCard*>();
            QVERIFY2(card->summary().startsWith(key + QStringLiteral("; 192;")), qPrintable(card->summary()));
            QCOMPARE(window.actions()->copySize->toolTip(),
                     QStringLiteral("Copy %1 and its size as a line of the config").arg(key));
            const auto* gauge = card->findChild<ConfidenceGauge*>();
            for (const auto* label : card->findChildren<QLabel*>()) {
                if (label->text() == key)
                    QVERIFY(label->mapTo(card, QPoint(label->fontMetrics().horizontalAdvance(key), 0)).x() <
                            gauge->mapTo(card, QPoint(0, 0)).x());
            }
        }
    }

    void saysTheRecommendationInWords_data()
    {
        QTest::addColumn<Snapshot>("snapshot");
        QTest::addColumn<QString>("expected");
        QTest::newRow("running") << test::runningSnapshot()
                                 << QStringLiteral(
                                        "micro_batch_size; 192; 2.05× base; confidence 93 percent; "
                                        "2234 ± 38 samples/s; 59.7 of 79.1 peak memory, GiB; "
                                        "8 × accumulation; 192 is 0.4 % faster than 224, the next best, "
                                        "and needs less memory. Next: 208, to tell the two apart. "
                                        "160 is within 2 % and leaves 8.4 GiB more.; launch-bound");
        Snapshot tiny = test::runningSnapshot();
        tiny.recommendedPeakBytes = 44LL << 20;
        tiny.smallerSize.clear();
        tiny.searchState.speedLimit = {};
        for (auto& trial : tiny.trials)
            trial.peakReservedBytes = 44LL << 20;
        QTest::newRow("peaks far below the limit")
            << tiny
            << QStringLiteral("micro_batch_size; 192; 2.05× base; confidence 93 percent; "
                              "2234 ± 38 samples/s; 44.0 MiB of 79.1 GiB peak memory; "
                              "8 × accumulation; 192 is 0.4 % faster than 224, the next best, "
                              "and needs less memory. Next: 208, to tell the two apart.");
        QTest::newRow("finished")
            << test::finishedSnapshot()
            << QStringLiteral("micro_batch_size; 192; 2.05× base; 318 mJ/sample; confidence 96 percent; "
                              "2234 ± 38 samples/s; 59.7 of 79.1 peak memory, GiB; "
                              "8 × accumulation; 192 is 0.4 % faster than 224 and 2.1 % faster than 128. "
                              "160 is within 2 % and leaves 8.4 GiB more.; launch-bound; verified");
        QTest::newRow("nothing fits")
            << test::nothingFitsSnapshot()
            << QStringLiteral(
                   "nothing fits; not even 1; Not even 1 sample fits into 7.4 GiB: it would need at "
                   "least 9.7 GiB. Use a shorter sequence, a smaller network, or a device with more "
                   "memory.");
    }
    void saysTheRecommendationInWords()
    {
        QFETCH(Snapshot, snapshot);
        QFETCH(QString, expected);
        test::SampleWindow window(Theme::day(), QSize(1100, 680));
        window.display(snapshot);
        const auto* card = window.findChild<RecommendationCard*>();
        QCOMPARE(card->summary(), expected);
        QCOMPARE(card->accessibleDescription(), expected);
    }

    void offersNoExportWhereNothingFits()
    {
        test::SampleWindow window(Theme::day(), QSize(1100, 680));
        window.display(test::nothingFitsSnapshot());
        const auto* card = window.findChild<RecommendationCard*>();
        for (const auto* button : card->findChildren<QPushButton*>())
            QVERIFY(button->isHidden());
        QVERIFY(card->findChild<ConfidenceGauge*>()->isHidden());
        window.display(test::runningSnapshot());
        for (const auto* button : card->findChildren<QPushButton*>())
            QVERIFY(!button->isHidden());
    }

    void says_data()
    {
        QTest::addColumn<Snapshot>("snapshot");
        QTest::addColumn<QString>("activity");
        QTest::addColumn<QString>("devices");
        const QString gpu = QStringLiteral("GPU 97 %  ·  64 °C  ·  1980 MHz  ·  worker pid 41232");
        QTest::newRow("empty") << test::emptySnapshot() << QStringLiteral("No config opened") << QString();
        QTest::newRow("running") << test::runningSnapshot()
                                 << QStringLiteral("Trial 17 of about 24  ·  about 1 min 12 s left") << gpu;
        QTest::newRow("paused") << test::pausedSnapshot() << QStringLiteral("Paused  ·  Trial 16 of about 24")
                                << gpu;
        QTest::newRow("verifying") << test::verifyingSnapshot()
                                   << QStringLiteral("Verifying 192 in a fresh process") << gpu;
        QTest::newRow("finished") << test::finishedSnapshot()
                                  << QStringLiteral("Finished after 18 trials  ·  3 min 24 s  ·  confident")
                                  << QString();
        QTest::newRow("cpu has no clock")
            << test::cpuSnapshot() << QStringLiteral("Trial 6 of about 11  ·  about 38 s left")
            << QStringLiteral("worker pid 7311");
    }
    void says()
    {
        QFETCH(Snapshot, snapshot);
        QFETCH(QString, activity);
        QFETCH(QString, devices);
        QCOMPARE(activityText(snapshot), activity);
        QCOMPARE(deviceText(snapshot.devices), devices);
    }

    void invitesAConfigWhileThereIsNone()
    {
        test::SampleWindow window(Theme::day(), QSize(1100, 680));
        window.show();
        window.display(test::emptySnapshot());
        QVERIFY(window.findChild<EmptyView*>()->isVisible());
        QVERIFY(!window.findChild<ThroughputChart*>()->isVisible());
        window.display(test::readySnapshot());
        QVERIFY(!window.findChild<EmptyView*>()->isVisible());
        QVERIFY(window.findChild<ThroughputChart*>()->isVisible());
    }

    void saysAFailureOnceAndLetsItBeClosed()
    {
        test::SampleWindow window(Theme::day(), QSize(1100, 680));
        const Snapshot failed = test::failedSnapshot();
        window.display(failed);
        auto* banner = window.view()->banner();
        QVERIFY(!banner->isHidden());
        QCOMPARE(banner->text(), failed.failure);
        banner->hide();
        window.display(failed);
        QVERIFY(banner->isHidden());
        window.display(test::readySnapshot());
        window.display(failed);
        QVERIFY(!banner->isHidden());
    }

    void addsOnlyWhatIsNewToTheLog()
    {
        LogView log;
        Snapshot snapshot = test::runningSnapshot();
        log.display(snapshot.log);
        const QString before = log.text();
        QCOMPARE(before.count(QLatin1Char('\n')) + 1, static_cast<int>(snapshot.log.size()));
        log.display(snapshot.log);
        QCOMPARE(log.text(), before);
        snapshot.log.erase(snapshot.log.begin());
        snapshot.log.push_back({.time = snapshot.log.back().time.addSecs(1),
                                .level = engine::LogLevel::Error,
                                .text = QStringLiteral("the worker crashed")});
        log.display(snapshot.log);
        QVERIFY(log.text().startsWith(before));
        QVERIFY(log.text().endsWith(QStringLiteral("error: the worker crashed")));
    }

    void fitsASmallWindow()
    {
        for (const auto& [name, snapshot] : test::allSamples()) {
            test::SampleWindow window(Theme::day(), QSize(1100, 680));
            window.display(snapshot);
            window.grab();
            const QSize least = window.minimumSizeHint();
            QVERIFY2(
                least.width() <= 1100 && least.height() <= 680,
                qPrintable(
                    QStringLiteral("%1 needs %2 x %3").arg(name).arg(least.width()).arg(least.height())));
        }
    }
};

BATCHPEAK_TEST(ExplorationViewTest)
#include "tst_exploration_view.moc"
