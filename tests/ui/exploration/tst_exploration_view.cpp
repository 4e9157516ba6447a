// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/tool_bar.h"
#include "charts/exploration_charts.h"
#include "exploration/empty_view.h"
#include "exploration/recommendation_card.h"
#include "exploration/status_bar.h"
#include "exploration/trials_model.h"
#include "exploration/trials_view.h"
#include "sample_snapshots.h"
#include "sample_windows.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "widgets/confidence_gauge.h"
#include "widgets/fidelity_chip.h"
#include "widgets/log_view.h"
#include "widgets/message_banner.h"
#include "window_fixture.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QFontMetrics>
#include <QHash>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>
#include <QTextBlock>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>

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

    void enablesTheActionsOfEachState_data()
    {
        Snapshot pausing = test::runningSnapshot();
        pausing.pauseRequested = true;
        Snapshot stopped = test::finishedSnapshot();
        stopped.finish = engine::FinishStatus::Cancelled;
        Snapshot spent = test::continuationSnapshot();
        spent.searchState.continuation.reset();
        Snapshot goingOn = test::comparingSnapshot();
        goingOn.searchState.continuation = test::continuationSnapshot().searchState.continuation;
        rows<Snapshot, std::string>(
            {{"empty", {test::emptySnapshot(), ""}},
             {"ready", {test::readySnapshot(), "start"}},
             {"starting", {test::startingSnapshot(), "stop"}},
             {"early", {test::earlySnapshot(), "pause stop export copy"}},
             {"running", {test::runningSnapshot(), "pause stop export copy"}},
             {"paused", {test::pausedSnapshot(), "pause stop export copy"}},
             {"verifying", {test::verifyingSnapshot(), "pause stop export copy"}},
             {"finished", {test::finishedSnapshot(), "start export copy"}},
             {"stopped", {stopped, "start go-on export copy"}},
             {"budget used up", {test::doubtfulSnapshot(), "start go-on export copy"}},
             {"as sure as can be", {test::continuationSnapshot(), "start go-on export copy"}},
             {"nothing left", {spent, "start export copy"}},
             {"going on", {goingOn, "pause stop export copy"}},
             {"nothing fits", {test::nothingFitsSnapshot(), "start"}},
             {"failed", {test::failedSnapshot(), "start"}},
             {"pausing", {pausing, "pause stop export copy"}}});
    }
    void enablesTheActionsOfEachState()
    {
        const auto& [snapshot, allowed] = row<Snapshot, std::string>();
        QWidget window;
        WindowActions actions(&window);
        actions.update(snapshot);
        QStringList enabled;
        const std::pair<QAction*, QString> named[] = {
            {actions.start, QStringLiteral("start")},       {actions.pause, QStringLiteral("pause")},
            {actions.stop, QStringLiteral("stop")},         {actions.continueSearch, QStringLiteral("go-on")},
            {actions.exportSize, QStringLiteral("export")}, {actions.copySize, QStringLiteral("copy")}};
        for (const auto& [action, name] : named) {
            if (action->isEnabled())
                enabled << name;
        }
        QCOMPARE(enabled.join(QLatin1Char(' ')).toStdString(), allowed);
        QVERIFY(actions.open->isEnabled());
    }

    void exportsARowThatRan()
    {
        QWidget window;
        WindowActions actions(&window);
        Snapshot snapshot = test::runningSnapshot();
        const auto isExported = [&](std::int64_t size) {
            actions.updateSelected(snapshot, size, true);
            return actions.exportSelected->isEnabled();
        };
        QVERIFY(isExported(160) && !isExported(161));
        // Sizes of an earlier exploration can be exported, and so can the recommended size, even without
        // trials.
        const trial::TrialRecord ran =
            *std::ranges::find(snapshot.trials, 160, &trial::TrialRecord::microBatchSize);
        snapshot.trials.clear();
        QVERIFY(!isExported(160));
        snapshot.recalled.push_back({.trial = ran, .exploration = {}, .ended = {}});
        QVERIFY(isExported(160));
        QVERIFY(isExported(snapshot.searchState.recommendation->size));
    }

    void offersToResumeBeforeAPauseBegins()
    {
        Snapshot snapshot = test::runningSnapshot();
        QWidget window;
        WindowActions actions(&window);
        actions.update(snapshot);
        QCOMPARE(actions.pause->text(), QStringLiteral("&Pause"));
        snapshot.pauseRequested = true;
        actions.update(snapshot);
        QCOMPARE(actions.pause->text(), QStringLiteral("&Resume"));
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

    void describesTheRun_data()
    {
        rows<std::string, bool, std::string>(
            {{"the config's own network", {"", true, ""}},
             {"an id, and the batch of one device",
              {"meta-llama/Llama-3.2-1B", false, "network from meta-llama/Llama-3.2-1B  ·  "}},
             {"a file", {"/home/user/models/tiny.yaml", true, "network from tiny.yaml  ·  "}},
             {"a file in a cache of the hub",
              {"/cache/hub/models--someone--new-model/snapshots/0123abcd/config.json", true,
               "network from someone/new-model  ·  "}},
             {"a file as many are named",
              {"/home/user/models/tiny/config.json", true, "network from tiny/config.json  ·  "}}});
    }
    void describesTheRun()
    {
        const auto& [network, isOverAllDevices, source] = row<std::string, bool, std::string>();
        Snapshot snapshot = test::withDevice();
        snapshot.run->modelSource = QString::fromStdString(network);
        // The text does not depend on whether the config or a launcher determines the number of devices.
        snapshot.run->plan.knowsDevices = false;
        snapshot.run->plan.isOverAllDevices = isOverAllDevices;
        QCOMPARE(runText(snapshot).toStdString(),
                 "gpt-medium.yaml  ·  " + source + "cuda:0 NVIDIA H100  ·  bf16  ·  " +
                     (isOverAllDevices ? "global batch 1536" : "per-device batch 1536"));
    }

    void namesTheSizeAsItsTrainerDoes()
    {
        const QString key = QStringLiteral("train_micro_batch_size_per_gpu");
        for (const Theme& theme : {Theme::light(), Theme::dark()}) {
            test::SampleWindow window(theme, QSize(1100, 680));
            window.display(test::trainerSnapshot());
            window.grab();
            const auto* card = window.findChild<RecommendationCard*>();
            QVERIFY2(card->summary().startsWith(key + QStringLiteral("; 192;")), qPrintable(card->summary()));
            QCOMPARE(window.actions()->copySize->toolTip(),
                     QStringLiteral("Copy %1 and its size as a line of the config (Ctrl+Shift+C)").arg(key));
            const auto* gauge = card->findChild<ConfidenceGauge*>();
            for (const auto* label : card->findChildren<QLabel*>()) {
                if (label->text() == key)
                    QVERIFY(label->mapTo(card, QPoint(label->fontMetrics().horizontalAdvance(key), 0)).x() <
                            gauge->mapTo(card, QPoint(0, 0)).x());
            }
        }
    }

    void describesTheRecommendationInWords_data()
    {
        Snapshot tiny = test::runningSnapshot();
        tiny.recommendedPeakBytes = 44LL << 20;
        tiny.smallerSize.clear();
        tiny.searchState.speedLimit = {};
        for (auto& trial : tiny.trials)
            trial.peakReservedBytes = 44LL << 20;
        Snapshot sized = test::runningSnapshot();
        sized.run->plan.setting = config::Fixed{64};
        Snapshot busy = sized;
        busy.devices.front().contention = {.disturbedShare = 0.75, .trials = 8};
        rows<Snapshot, std::string>(
            {{"a config that has a size",
              {sized,
               "micro_batch_size; 192; 1.19× the config's 64; confidence 93 percent; 2234 ± 38 samples/s; "
               "59.7 of 79.1 peak memory, GiB; 8 × accumulation; 192 is 0.4 % faster than 224, the next "
               "best, and needs less memory. Next: 208, to tell the two apart. 160 is within 2 % and takes "
               "8.4 GiB less.; launch-bound"}},
             {"a busy computer",
              {busy,
               "micro_batch_size; 192; 1.19× the config's 64; confidence 93 percent; 2234 ± 38 samples/s; "
               "59.7 of 79.1 peak memory, GiB; 8 × accumulation; 192 is 0.4 % faster than 224, the next "
               "best, and needs less memory. Next: 208, to tell the two apart. 160 is within 2 % and takes "
               "8.4 GiB less.; launch-bound; busy"}},
             {"running",
              {test::runningSnapshot(),
               "micro_batch_size; 192; 2.05× base; confidence 93 percent; 2234 ± 38 samples/s; "
               "59.7 of 79.1 peak memory, GiB; 8 × accumulation; 192 is 0.4 % faster than 224, the next "
               "best, and needs less memory. Next: 208, to tell the two apart. 160 is within 2 % and takes "
               "8.4 GiB less.; launch-bound"}},
             {"peaks far below the limit",
              {tiny, "micro_batch_size; 192; 2.05× base; confidence 93 percent; 2234 ± 38 samples/s; "
                     "44.0 MiB of 79.1 GiB peak memory; 8 × accumulation; 192 is 0.4 % faster than 224, the "
                     "next best, and needs less memory. Next: 208, to tell the two apart."}},
             {"finished",
              {test::finishedSnapshot(),
               "micro_batch_size; 192; 2.05× base; 318 mJ/sample; confidence 96 percent; "
               "2234 ± 38 samples/s; 59.7 of 79.1 peak memory, GiB; 8 × accumulation; 192 is 0.4 % faster "
               "than 224 and 5.2 % faster than 128. 160 is within 2 % and takes 8.4 GiB less.; "
               "launch-bound; verified"}},
             {"comparing",
              {test::comparingSnapshot(),
               "micro_batch_size; 192; 2.05× base; confidence 93 percent; expected loss 0.6 %; "
               "2234 ± 38 samples/s; 59.7 of 79.1 peak memory, GiB; 8 × accumulation; 192 is 0.4 % faster "
               "than "
               "224, the next best, and needs less memory. Next: comparing 192 and 208. 160 is within 2 % "
               "and "
               "takes 8.4 GiB less.; launch-bound"}},
             {"as sure as can be",
              {test::continuationSnapshot(),
               "micro_batch_size; 192; 2.05× base; confidence 84 percent; expected loss 0.8 %; "
               "2234 ± 38 samples/s; 59.7 of 79.1 peak memory, GiB; 8 × accumulation; 192 and 208 cannot be "
               "told apart; 192 has the lower expected loss. 160 is within 2 % and takes 8.4 GiB less. No "
               "further trial is worth its time. Continuing could gain up to 2.1 % (208 may be faster).; "
               "launch-bound"}},
             {"nothing fits",
              {test::nothingFitsSnapshot(),
               "nothing fits; none; Not even 1 sample fits into 7.4 GiB: it would need at least "
               "9.7 GiB. Use a shorter sequence, a smaller network, or a device with more memory."}}});
    }
    void describesTheRecommendationInWords()
    {
        const auto& [snapshot, expected] = row<Snapshot, std::string>();
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        window.display(snapshot);
        const auto* card = window.findChild<RecommendationCard*>();
        QCOMPARE(card->summary().toStdString(), expected);
        QCOMPARE(card->accessibleDescription().toStdString(), expected);
    }

    void showsAccumulationOnlyForTraining()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        Snapshot evaluation = test::runningSnapshot();
        evaluation.run->phase = model::Phase::Eval;
        window.display(evaluation);
        const auto* card = window.findChild<RecommendationCard*>();
        QVERIFY2(!card->summary().contains(QStringLiteral("accumulation")), qPrintable(card->summary()));
    }

    void labelsEveryNumber()
    {
        test::SampleWindow window(Theme::light(), QSize(1440, 900));
        window.display(test::adapterSnapshot());
        const QString sentence = QStringLiteral(
            "Approximate because of a loss in chunks and a 4-bit base without a fused kernel, for "
            "packed texts of 512 tokens.");
        const auto* chip = window.findChild<FidelityChip*>();
        QCOMPARE(chip->text(), QStringLiteral("approximate"));
        QCOMPARE(chip->toolTip(), sentence);
        const QString card = window.findChild<RecommendationCard*>()->summary();
        QVERIFY2(card.contains(QStringLiteral("; ~")) && card.contains(sentence), qPrintable(card));
        for (const auto* chart : window.findChildren<ExplorationChart*>())
            QVERIFY2(chart->accessibleDescription().contains(sentence),
                     qPrintable(chart->accessibleDescription()));
        // The chart and the table each explain the mark in a legend.
        int legends = 0;
        for (const auto* label : window.findChildren<QLabel*>())
            legends += label->isVisibleTo(&window) && label->text() == QLatin1String("~ approximate") ? 1 : 0;
        QCOMPARE(legends, 2);
        QVERIFY(runText(test::adapterSnapshot()).contains(QStringLiteral("LoRA 16 on nf4, 0.12 % trained")));

        engine::Snapshot assumed = test::runningSnapshot();
        assumed.run->fidelity.addAssumed("samples of 2048 tokens");
        window.display(assumed);
        QCOMPARE(chip->property("chip").toString(), QStringLiteral("warn"));
        QCOMPARE(chip->text(), QStringLiteral("as configured, assumed data"));
        QCOMPARE(chip->toolTip(), QStringLiteral("Measured as configured, for samples of 2048 tokens."));

        window.display(test::runningSnapshot());
        QCOMPARE(chip->text(), QStringLiteral("as configured"));
        QVERIFY(!window.findChild<RecommendationCard*>()->summary().contains(QLatin1Char('~')));
        window.display(test::emptySnapshot());
        QVERIFY(chip->isHidden());
    }

    void cutsNoWordOfTheCard()
    {
        for (const int width : {980, 1100, 1440}) {
            test::SampleWindow window(Theme::light(), QSize(width, 680));
            window.display(test::anotherRunSnapshot());
            window.grab();
            for (const auto* label : window.findChild<RecommendationCard*>()->findChildren<QLabel*>()) {
                if (label->property("chip").isValid() && label->isVisibleTo(&window))
                    QVERIFY2(label->width() >= label->sizeHint().width(), qPrintable(label->text()));
            }
        }
    }

    void offersNoExportWhereNothingFits()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        window.display(test::nothingFitsSnapshot());
        const auto* card = window.findChild<RecommendationCard*>();
        for (const auto* button : card->findChildren<QPushButton*>())
            QVERIFY(button->isHidden());
        QVERIFY(card->findChild<ConfidenceGauge*>()->isHidden());
        window.display(test::continuationSnapshot());
        for (const auto* button : card->findChildren<QPushButton*>())
            QVERIFY(!button->isHidden());
    }

    void offersToContinueOnlyAtTheEnd()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        const QPushButton* const continueSearch = test::buttonOf(window, "Go on");
        for (const auto& [name, snapshot] : test::allSamples()) {
            window.display(snapshot);
            QVERIFY2(continueSearch->isHidden() != snapshot.canContinue, qPrintable(name));
        }
        window.display(test::continuationSnapshot());
        QVERIFY(continueSearch->isEnabled());
        QCOMPARE(continueSearch->toolTip(),
                 QStringLiteral(
                     "Continue the search from all trials so far, with at most 20 trials more (Ctrl+F5)"));
        window.display(test::finishedSnapshot());
        QVERIFY(!continueSearch->isEnabled());
        QCOMPARE(continueSearch->toolTip(),
                 QStringLiteral("More trials would not improve the result (Ctrl+F5)"));
    }

    void explainsWhyItCouldNotContinue()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        Snapshot snapshot = test::continuationSnapshot();
        window.display(snapshot);
        auto* banner = window.view()->banner();
        QVERIFY(banner->isHidden());
        snapshot.failure = QStringLiteral("No worker came up.");
        window.display(snapshot);
        QVERIFY(!banner->isHidden());
        QCOMPARE(banner->text(), snapshot.failure);
        QVERIFY(test::buttonOf(*banner, "Go on"));
        window.display(test::comparingSnapshot());
        QVERIFY(banner->isHidden());
    }

    void describesWorkAndDevices_data()
    {
        const std::string gpu = "GPU 97 %  ·  64 °C  ·  1980 MHz  ·  worker pid 41232";
        const Snapshot choosing = test::choosingSnapshot();
        Snapshot compared = choosing;
        compared.thinkingSeconds = 0.04;
        Snapshot stopped = test::finishedSnapshot();
        stopped.finish = engine::FinishStatus::Cancelled;
        Snapshot pausing = choosing;
        pausing.pauseRequested = true;
        rows<Snapshot, std::string, std::string>(
            {{"empty", {test::emptySnapshot(), "No config opened", ""}},
             {"running",
              {test::runningSnapshot(), "Trial 17 of about 24  ·  about 70 s left (40 s to 2 min)", gpu}},
             {"comparing",
              {test::comparingSnapshot(),
               "Trial 18 of about 24  ·  comparing 192 and 208  ·  about 70 s left (40 s to 2 min)", gpu}},
             {"between two trials",
              {compared, "Trial 18 of about 24  ·  comparing 192 and 208  ·  about 70 s left (40 s to 2 min)",
               gpu}},
             {"choosing", {choosing, "Choosing the next size", gpu}},
             {"pausing while it chooses", {pausing, "Pausing", gpu}},
             {"as sure as can be",
              {test::continuationSnapshot(),
               "Finished after 18 trials  ·  3 min 24 s  ·  no further trial is worth its time", ""}},
             {"paused", {test::pausedSnapshot(), "Paused  ·  Trial 16 of about 24", gpu}},
             {"verifying", {test::verifyingSnapshot(), "Verifying 192 in a fresh process", gpu}},
             {"finished",
              {test::finishedSnapshot(),
               "Finished after 18 trials (one of them a verification)  ·  3 min 24 s  ·  confident", ""}},
             {"stopped",
              {stopped, "Stopped after 18 trials (one of them a verification)  ·  3 min 24 s", ""}},
             {"cpu has no clock",
              {test::cpuSnapshot(), "Trial 6 of about 11  ·  about 40 s left (20 s to 60 s)",
               "worker pid 7311"}}});
    }
    void describesWorkAndDevices()
    {
        const auto& [snapshot, activity, devices] = row<Snapshot, std::string, std::string>();
        QCOMPARE(activityText(snapshot).toStdString(), activity);
        QCOMPARE(deviceText(snapshot.devices).toStdString(), devices);
    }

    void invitesToOpenAConfigWhileThereIsNone()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        window.show();
        window.display(test::emptySnapshot());
        QVERIFY(window.findChild<EmptyView*>()->isVisible());
        QVERIFY(!window.findChild<ThroughputChart*>()->isVisible());
        window.display(test::readySnapshot());
        QVERIFY(!window.findChild<EmptyView*>()->isVisible());
        QVERIFY(window.findChild<ThroughputChart*>()->isVisible());
    }

    void showsAFailureOnceAndLetsItBeClosed()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
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

    void offersTheCpuForAGpuThatCannotBeUsed()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        Snapshot failed = test::failedSnapshot();
        failed.trials.clear();
        failed.gpuIsUnusable = true;
        window.display(failed);
        QVERIFY(test::buttonOf(*window.view()->banner(), "Explore on the CPU"));
    }

    void addsOnlyNewEntriesToTheLog()
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

    void showsANewLongEntryFromItsBeginning()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        Snapshot snapshot = test::continuationSnapshot();
        snapshot.log.resize(2);
        window.display(snapshot);
        window.grab();
        for (int second = 0; second < 3; ++second) {
            test::say(snapshot, 300 + second, QStringLiteral("word ").repeated(40));
            window.display(snapshot);
            window.grab();
            const auto* text = window.findChild<LogView*>()->findChild<QPlainTextEdit*>();
            const QTextCursor first = text->cursorForPosition(QPoint(1, 1));
            QCOMPARE(first.block(), text->document()->lastBlock());
            QCOMPARE(first.positionInBlock(), 0);
        }
    }

    void cutsNothingOffTheRecommendation()
    {
        for (const auto& [name, snapshot] : test::allSamples()) {
            test::SampleWindow window(Theme::light(), QSize(1100, 680));
            window.display(snapshot);
            window.grab();
            const auto* card = window.findChild<RecommendationCard*>();
            for (const auto* label : card->findChildren<QLabel*>()) {
                if (label->isVisibleTo(card))
                    QVERIFY2(label->wordWrap() ? label->height() >= label->heightForWidth(label->width())
                                               : label->width() >= label->sizeHint().width(),
                             qPrintable(name + QStringLiteral(": ") + label->text()));
            }
        }
    }

    void keepsTheTableWhereItIs()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        window.show();
        engine::Snapshot snapshot = test::runningSnapshot();
        // A layout learns of changes by posted events.
        const auto draw = [&] {
            window.display(snapshot);
            QCoreApplication::processEvents();
        };
        draw();
        const auto* table = window.findChild<TrialsView*>();
        const auto top = [&] { return table->mapTo(&window, QPoint()).y(); };
        const int before = top();
        const QString reason = snapshot.reason;
        // The first sentence is shorter, the second a line longer; both are without the chip next to them.
        for (const QString& sentence :
             {QStringLiteral("192 is the best."), reason + QStringLiteral(" It may be so.")}) {
            snapshot.reason = sentence;
            snapshot.searchState.recommendation->expectedLoss = 0.006;
            snapshot.searchState.speedLimit = {};
            draw();
            QCOMPARE(top(), before);
        }
        snapshot.reason = QStringLiteral("%1 %1 %1 %1 %1").arg(reason);
        draw();
        const int grown = top();
        QVERIFY(grown > before);
        snapshot.reason = reason;
        draw();
        QCOMPARE(top(), grown);
    }

    void selectsTheSameSizeInTableAndCharts()
    {
        test::SampleWindow window(Theme::light(), QSize(1440, 900));
        window.show();
        window.display(test::runningSnapshot());
        auto* charts = window.findChild<ExplorationCharts*>();
        auto* table = window.findChild<QTreeView*>();
        const auto rowOf = [&](int size) {
            return table->model()->match(table->model()->index(0, 0), TrialsModel::SizeRole, size).value(0);
        };
        table->scrollTo(rowOf(64));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::NoModifier,
                          table->visualRect(rowOf(64)).center());
        QVERIFY(charts->selectedSize() == 64);
        emit charts->sizeSelected(160);
        QCOMPARE(table->currentIndex().data(TrialsModel::SizeRole).toInt(), 160);
        QVERIFY(table->selectionModel()->isRowSelected(table->currentIndex().row(), {}));
        emit charts->sizeSelected(std::nullopt);
        QVERIFY(!table->selectionModel()->hasSelection());
        // Another exploration begins without a selection.
        emit charts->sizeSelected(160);
        charts->setSelectedSize(160);
        window.display(test::readySnapshot());
        QVERIFY(!charts->selectedSize());
    }

    void keepsButtonsWhereTheyAre()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        window.show();
        QHash<QAbstractButton*, QRect> places;
        const auto note = [&](const Snapshot& snapshot, const QString& name) {
            window.display(snapshot);
            QCoreApplication::processEvents();
            for (auto* button : window.findChildren<QAbstractButton*>()) {
                const bool isOfBar = qobject_cast<QToolButton*>(button) &&
                                     button->parentWidget()->inherits("batchpeak::ui::ToolBar");
                const bool isOfCard = button->parentWidget()->inherits("batchpeak::ui::RecommendationCard");
                if (!isOfBar && !isOfCard)
                    continue;
                // Buttons of the card may move down, but never sideways.
                QRect place(button->mapTo(&window, QPoint()), button->size());
                if (isOfCard)
                    place.moveTop(0);
                if (!places.contains(button))
                    places.insert(button, place);
                QVERIFY2(places.value(button) == place || button->isHidden(),
                         qPrintable(name + QStringLiteral(": ") + button->text()));
            }
        };
        note(test::readySnapshot(), QStringLiteral("ready"));
        note(test::runningSnapshot(), QStringLiteral("running"));
        note(test::pausedSnapshot(), QStringLiteral("paused"));
        note(test::continuationSnapshot(), QStringLiteral("as sure as can be"));
        note(test::finishedSnapshot(), QStringLiteral("finished"));
    }

    void overlapsNothingAtItsMinimumSize()
    {
        QStringList over;
        const auto nameOf = [](const QWidget* part) {
            const auto* label = qobject_cast<const QLabel*>(part);
            const QRect at = part->geometry();
            return QStringLiteral("%1 (%2 %3, %4 x %5)")
                .arg(label ? label->text() : QString::fromUtf8(part->metaObject()->className()))
                .arg(at.x())
                .arg(at.y())
                .arg(at.width())
                .arg(at.height());
        };
        for (const auto& [name, snapshot] : test::allSamples()) {
            test::SampleWindow window(Theme::light(), QSize(10, 10));
            window.show();
            window.display(snapshot);
            // A splitter learns by a posted event that a card needs more space.
            QCoreApplication::processEvents();
            window.grab();
            QCOMPARE(window.size(), window.view()->minimumSize());
            for (const QWidget* card : window.findChildren<QWidget*>()) {
                if (!card->isVisible() || qobject_cast<const QAbstractScrollArea*>(card))
                    continue;
                const bool isHandled = card->layout() && card->property("card").toBool();
                if (!isHandled)
                    continue;
                QList<QWidget*> parts;
                for (QWidget* part : card->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
                    if (part->isVisible() && !part->size().isEmpty())
                        parts << part;
                }
                for (const QWidget* part : parts) {
                    if (!card->rect().contains(part->geometry()))
                        over << QStringLiteral("%1: %2 is cut").arg(name, nameOf(part));
                    for (const QWidget* other : parts) {
                        if (part != other && part->geometry().intersects(other->geometry()))
                            over << QStringLiteral("%1: %2 over %3").arg(name, nameOf(part), nameOf(other));
                    }
                }
            }
        }
        QVERIFY2(over.isEmpty(), qPrintable(over.join(QLatin1Char('\n'))));
    }

    void showsTheShortcutOfEveryAction()
    {
        QWidget window;
        WindowActions actions(&window);
        for (const auto& [name, snapshot] : test::allSamples()) {
            actions.update(snapshot);
            for (const QAction* action : window.actions()) {
                const QString shortcut = action->shortcut().toString(QKeySequence::NativeText);
                QVERIFY2(shortcut.isEmpty() ||
                             action->toolTip().endsWith(QStringLiteral("(%1)").arg(shortcut)),
                         qPrintable(action->toolTip()));
            }
        }
        QVERIFY(actions.start->toolTip().endsWith(QStringLiteral("(F5)")));
    }

    void doesNotStopByEscape()
    {
        QWidget window;
        const WindowActions actions(&window);
        for (const QAction* action : window.actions())
            QVERIFY2(!action->shortcuts().contains(QKeySequence(Qt::Key_Escape)), qPrintable(action->text()));
        QCOMPARE(actions.stop->shortcuts(), QList<QKeySequence>{QKeySequence(Qt::SHIFT | Qt::Key_F5)});
    }

    void doesNotHighlightTheExportOfADoubtfulSize()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        window.display(test::earlySnapshot());
        const QPushButton* const button = test::buttonOf(*window.findChild<RecommendationCard*>(), "Export");
        QVERIFY(!button->property("primary").toBool());
        QVERIFY(button->isEnabled());
        QVERIFY2(button->toolTip().startsWith(QStringLiteral("Confidence is 31 %")),
                 qPrintable(button->toolTip()));
        window.display(test::runningSnapshot());
        QVERIFY(button->property("primary").toBool());
    }

    void showsThatAnEarlierRunIsViewed()
    {
        test::SampleWindow window(Theme::light(), QSize(1100, 680));
        window.display(test::finishedSnapshot());
        window.view()->setLookingBack(QStringLiteral("Viewing the run of 28 Nov, 14:02 (training)."));
        const QPushButton* const back = test::buttonOf(window, "Back to the present run");
        QVERIFY(back && !back->isHidden());
        const QSignalSpy triggered(window.actions()->present, &QAction::triggered);
        window.actions()->present->setEnabled(true);
        QTest::mouseClick(const_cast<QPushButton*>(back), Qt::LeftButton);
        QCOMPARE(triggered.count(), 1);
        window.view()->setLookingBack(QString());
        QVERIFY(back->parentWidget()->isHidden());
    }
};

BATCHPEAK_TEST(ExplorationViewTest)
#include "tst_exploration_view.moc"
