// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/batch_view.h"
#include "run/contenders_list.h"
#include "run/course_chart.h"
#include "run/device_strips.h"
#include "run/steering_panel.h"
#include "run/thinking_view.h"
#include "sample_snapshots.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "window_fixture.h"

#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::buttonOf;
using test::row;
using test::rows;
using test::Text;

/// Tests the panels next to the trials during a run: the state of the search, the commands of the user, the
/// devices, and the batch.
class RunInsightTest : public test::WindowFixture
{
    Q_OBJECT

    static QString textsOf(const QWidget& widget)
    {
        QStringList texts;
        for (const auto* label : widget.findChildren<QLabel*>()) {
            if (!label->isHidden() && !label->text().isEmpty())
                texts << label->text();
        }
        return texts.join(QLatin1Char('\n'));
    }

    static bool hasColor(const QImage& picture, const QRect& area, const QColor& color)
    {
        for (int y = area.top(); y <= area.bottom(); ++y) {
            for (int x = area.left(); x <= area.right(); ++x) {
                if (picture.pixelColor(x, y) == color)
                    return true;
            }
        }
        return false;
    }

private slots:
    void drawsTheCourseAsAStepLine()
    {
        CourseChart chart;
        chart.resize(300, 140);
        engine::Snapshot snapshot = test::runningSnapshot();
        chart.display(snapshot);
        QCOMPARE(chart.accessibleDescription(),
                 QStringLiteral("After 1 min 44 s and 11 trials: 192, confidence 93 %, expected loss 0.2 %"));
        const QImage picture = chart.grab().toImage();
        const QColor line = Theme::light().throughput;
        // The line is low at the left and high at the right.
        QVERIFY(hasColor(picture, QRect(34, 90, 60, 34), line));
        QVERIFY(!hasColor(picture, QRect(34, 18, 60, 40), line));
        QVERIFY(hasColor(picture, QRect(250, 18, 40, 20), line));
        snapshot.course.clear();
        chart.display(snapshot);
        QVERIFY(chart.accessibleDescription().isEmpty());
        QVERIFY(!hasColor(chart.grab().toImage(), chart.rect(), line));
    }

    void explainsAMissingCourse_data()
    {
        rows<bool, bool, const char*>({{"it runs elsewhere", {false, true, "Shown once the run has ended"}},
                                       {"it is awaited", {true, true, "Being worked out from the history"}},
                                       {"there is none", {true, false, "Not worked out from the history"}}});
    }
    void explainsAMissingCourse()
    {
        const auto& [hasEnded, isAwaited, text] = row<bool, bool, const char*>();
        engine::Snapshot snapshot = hasEnded ? test::finishedSnapshot() : test::runningSnapshot();
        snapshot.course.clear();
        snapshot.searchState.estimates.clear();
        // The gauge next to the lists shows the confidence.
        snapshot.searchState.recommendation->confidence = 0;
        ThinkingView view;
        view.setAwaitsSearch(isAwaited);
        view.display(snapshot);
        QCOMPARE(view.findChild<CourseChart*>()->emptyText(), QString::fromUtf8(text));
        QCOMPARE(view.findChild<ContendersList*>()->emptyText(), QString::fromUtf8(text));
    }

    /// The list shows the recommended size with the confidence of the gauge next to it.
    void listsSizesWithinTheTolerance()
    {
        ContendersList list;
        list.resize(180, 140);
        engine::Snapshot snapshot = test::runningSnapshot();
        auto& estimates = snapshot.searchState.estimates;
        estimates = {{128, 2084.0, 0.01, 0.12},
                     {160, 2174.0, 0.01, 0.48},
                     *snapshot.searchState.estimateOf(192),
                     {224, 2219.0, 0.01, 0.71},
                     {256, 1900.0, 0.01, 0.004}};
        list.display(snapshot);
        QCOMPARE(list.accessibleDescription(), QStringLiteral("192: %1 %, 224: 71 %, 160: 48 %, 128: 12 %")
                                                   .arg(snapshot.searchState.recommendation->confidence));
        QSignalSpy chosen(&list, &ContendersList::chosen);
        QTest::mouseClick(&list, Qt::LeftButton, {}, QPoint(60, list.fontMetrics().height() + 8));
        QCOMPARE(chosen.value(0).value(0).toLongLong(), 224);
        // There is no size below the last row.
        QTest::mouseClick(&list, Qt::LeftButton, {}, QPoint(60, 4 * (list.fontMetrics().height() + 2) + 4));
        QCOMPARE(chosen.size(), 1);
    }

    void explainsTheCurrentAndTheNextTrial()
    {
        ThinkingView view;
        view.display(test::runningSnapshot());
        QVERIFY2(
            textsOf(view).contains(QStringLiteral(
                "Now: 208, which may be faster than 192.\nNext: 192 and 224 interleaved, to compare them.")),
            qPrintable(textsOf(view)));
    }

    void emitsOnlyPossibleRequests()
    {
        SteeringPanel panel;
        engine::Snapshot snapshot = test::runningSnapshot();
        panel.display(snapshot);
        auto* tryNow = buttonOf(panel, "Try now");
        auto* exclude = buttonOf(panel, "Exclude");
        QVERIFY(!tryNow->isEnabled());
        panel.setSize(208);
        QSignalSpy tries(&panel, &SteeringPanel::trialAsked);
        QSignalSpy exclusions(&panel, &SteeringPanel::exclusionAsked);
        tryNow->click();
        QCOMPARE(tries.value(0).value(0).toLongLong(), 208);
        exclude->click();
        QCOMPARE(exclusions.value(0), (QVariantList{qlonglong(208), true}));
        panel.setSize(96);
        QCOMPARE(exclude->text(), QStringLiteral("Allow"));
        QVERIFY(!tryNow->isEnabled());
        exclude->click();
        QCOMPARE(exclusions.value(1), (QVariantList{qlonglong(96), false}));
        QSignalSpy skips(&panel, &SteeringPanel::skipAsked);
        buttonOf(panel, "Skip")->click();
        QCOMPARE(skips.size(), 1);
        QVERIFY2(textsOf(panel).contains(QStringLiteral("To be tried: 176. Excluded: 96.")),
                 qPrintable(textsOf(panel)));
        snapshot.commands = {};
        panel.display(snapshot);
        for (const auto* button : panel.findChildren<QPushButton*>())
            QVERIFY2(!button->isEnabled(), qPrintable(button->text()));
    }

    void changesToleranceAndTarget()
    {
        SteeringPanel panel;
        panel.display(test::runningSnapshot());
        QSignalSpy tolerances(&panel, &SteeringPanel::toleranceAsked);
        QSignalSpy targets(&panel, &SteeringPanel::targetConfidenceAsked);
        auto* tolerance = test::partOf<QLineEdit>(panel, "Tolerance, percent");
        tolerance->selectAll();
        QTest::keyClicks(tolerance, QStringLiteral("5"));
        QTest::keyClick(tolerance, Qt::Key_Return);
        QCOMPARE(tolerances.value(0).value(0).toDouble(), 0.05);
        // A field that is left unchanged emits no request.
        emit test::partOf<QLineEdit>(panel, "Confidence to stop at, percent")->editingFinished();
        QVERIFY(targets.isEmpty());
        tolerance->selectAll();
        QTest::keyClicks(tolerance, QStringLiteral("500"));
        QTest::keyClick(tolerance, Qt::Key_Return);
        QCOMPARE(tolerances.size(), 1);
        QVERIFY2(textsOf(panel).contains(QStringLiteral("Tolerance must be a percentage between")),
                 qPrintable(textsOf(panel)));
    }

    void reportsAnInvalidTextUntilItIsCorrected()
    {
        SteeringPanel panel;
        engine::Snapshot snapshot = test::runningSnapshot();
        panel.display(snapshot);
        panel.show();
        QSignalSpy tolerances(&panel, &SteeringPanel::toleranceAsked);
        auto* tolerance = test::partOf<QLineEdit>(panel, "Tolerance, percent");
        auto* confidence = test::partOf<QLineEdit>(panel, "Confidence to stop at, percent");
        const auto type = [](QLineEdit* line, const char* text) {
            line->selectAll();
            QTest::keyClicks(line, QString::fromUtf8(text));
            QTest::keyClick(line, Qt::Key_Return);
        };
        const auto says = [&panel](const char* words) {
            return textsOf(panel).contains(QString::fromUtf8(words));
        };
        const QString usual = tolerance->text();
        type(tolerance, "150");
        type(confidence, "x");
        QVERIFY2(says("Tolerance must be") && says("Stop at must be"), qPrintable(textsOf(panel)));
        // The text stays to be corrected; its problem disappears as soon as it is.
        panel.display(snapshot);
        QCOMPARE(tolerance->text(), QStringLiteral("150"));
        tolerance->selectAll();
        QTest::keyClicks(tolerance, QStringLiteral("3"));
        QVERIFY2(!says("Tolerance must be") && says("Stop at must be"), qPrintable(textsOf(panel)));
        // Another exploration discards the text.
        type(tolerance, "150");
        snapshot.trials.clear();
        panel.display(snapshot);
        QCOMPARE(tolerance->text(), usual);
        QVERIFY2(!says("must be"), qPrintable(textsOf(panel)));
        // The text is also discarded once nothing can be requested.
        type(tolerance, "150");
        snapshot.commands = {};
        panel.display(snapshot);
        QCOMPARE(tolerance->text(), usual);
        QVERIFY2(!says("must be"), qPrintable(textsOf(panel)));
        QVERIFY(tolerances.isEmpty());
    }

    void acceptsAToleranceOfTheLocale()
    {
        const QLocale usual;
        QLocale::setDefault(QLocale(QLocale::German));
        SteeringPanel panel;
        engine::Snapshot snapshot = test::runningSnapshot();
        snapshot.run->tolerance = 0.025;
        panel.display(snapshot);
        QSignalSpy tolerances(&panel, &SteeringPanel::toleranceAsked);
        auto* tolerance = test::partOf<QLineEdit>(panel, "Tolerance, percent");
        QCOMPARE(tolerance->text(), QStringLiteral("2,5"));
        tolerance->selectAll();
        QTest::keyClicks(tolerance, QStringLiteral("1,5"));
        QTest::keyClick(tolerance, Qt::Key_Return);
        QLocale::setDefault(usual);
        QCOMPARE(tolerances.value(0).value(0).toDouble(), 0.015);
    }

    void reportsTheStateOfADevice_data()
    {
        using Device = engine::DeviceSnapshot;
        const auto add = rows<Device, Text>();
        const auto with = [](auto change) {
            Device device = test::sampleGpu(QStringLiteral("cuda:0"));
            change(device);
            return device;
        };
        add("well", {with([](Device&) {}), ""});
        add("hot", {with([](Device& d) { d.telemetry.throttle = engine::Throttle::Heat; }),
                    "heat lowers the clock"});
        add("restarted", {with([](Device& d) { d.restarts = 2; }), "worker restarts: 2"});
        add("errors", {with([](Device& d) {
                           d.telemetry.uncorrectedErrors = 3;
                           d.telemetry.xid = 79;
                       }),
                       "memory errors: 3|driver error (Xid 79)"});
        add("others", {with([](Device& d) {
                           d.telemetry.processes = {
                               {.pid = 7, .name = "python3"}, {.pid = 8, .name = "python3"}, {.pid = 9}};
                       }),
                       "also used by python3, process 9"});
        add("a busy processor", {with([](Device& d) {
                                     d.telemetry.otherProcessors = 1.52;
                                     d.telemetry.processors = 2;
                                 }),
                                 "others use 1.5 of 2 processors"});
    }
    void reportsTheStateOfADevice()
    {
        const auto& [device, concerns] = row<engine::DeviceSnapshot, Text>();
        QCOMPARE(concernsOf(device).join(QLatin1Char('|')), concerns);
        DeviceStrips strips;
        strips.display({device});
        QVERIFY2(textsOf(strips).contains(
                     QStringLiteral("97 %  ·  1,980 of 1,980 MHz  ·  64 °C  ·  612 of 700 W")),
                 qPrintable(textsOf(strips)));
        strips.display({});
        const auto* strip = strips.findChild<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(strip && strip->isHidden());
    }

    void saysHowADeviceIsReached_data()
    {
        using State = engine::Connection::State;
        const QDateTime until(QDate(2026, 7, 1), QTime(18, 20, 31));
        rows<engine::Connection, Text, Text>(
            {{"in the queue",
              {{.state = State::Queued, .reason = QStringLiteral("Resources")}, "Resources", ""}},
             {"connected", {{.state = State::Connected}, "connected", ""}},
             {"lost",
              {{.state = State::Lost, .reason = QStringLiteral("It is gone."), .until = until},
               "",
               "18:20:31"}},
             {"given up",
              {{.state = State::GivenUp, .reason = QStringLiteral("It is gone.")}, "", "It is gone."}}});
    }
    void saysHowADeviceIsReached()
    {
        const auto& [connection, state, concern] = row<engine::Connection, Text, Text>();
        DeviceStrips strips;
        strips.display({}, {{.name = QStringLiteral("slurm:gpu"), .connection = connection}});
        const QString texts = textsOf(strips);
        QVERIFY2(texts.contains(QStringLiteral("slurm:gpu")) && texts.contains(state) &&
                     texts.contains(concern),
                 qPrintable(texts));
        engine::DeviceSnapshot device = test::sampleGpu(QStringLiteral("n1/cuda:0"));
        device.connection = connection;
        QVERIFY(stateText(device).contains(state));
        QVERIFY(concernsOf(device).join(QLatin1Char('|')).contains(concern));
        QCOMPARE(concernsOf(device).join(QLatin1Char('|')).contains(engine::connectionText(connection)),
                 !concern.isEmpty());
    }

    void drawsABarForEachDevice()
    {
        DeviceStrips strips;
        strips.resize(400, 200);
        strips.display(
            {test::sampleGpu(QStringLiteral("cuda:0")), test::sampleGpu(QStringLiteral("cuda:1"))});
        const QImage picture = strips.grab().toImage();
        QVERIFY(hasColor(picture, QRect(0, 0, 200, 100), Theme::light().memory));
        QVERIFY(hasColor(picture, QRect(0, 50, 200, 100), Theme::light().memory));
        QVERIFY(hasColor(picture, QRect(0, 0, 400, 100), Theme::light().bad));
    }

    void describesHowABatchIsDivided_data()
    {
        rows<std::int64_t, std::int64_t, std::int64_t, Text>(
            {{"whole", {48, 1, 48, "1 step of 48 samples"}},
             {"even", {48, 1, 12, "4 steps of 12 samples"}},
             {"single samples", {3, 1, 1, "3 steps of 1 sample"}},
             {"uneven steps", {250, 1, 26, "10 steps of 25 samples"}},
             {"one more here and there", {50, 1, 12, "5 steps of 10 samples"}},
             {"two sizes", {53, 1, 12, "5 steps: 3 of 11 and 2 of 10 samples"}},
             {"devices", {1536, 8, 24, "8 steps of 24 samples on each of 8 devices"}},
             {"uneven devices",
              {250, 4, 24,
               "3 steps of 21 samples on 2 devices; 3 steps: 2 of 21 and 1 of 20 samples on 2 devices"}},
             {"more devices than samples", {2, 3, 4, "1 step of 1 sample on each of 2 devices"}}});
    }
    void describesHowABatchIsDivided()
    {
        const auto& [batch, devices, size, text] = row<std::int64_t, std::int64_t, std::int64_t, Text>();
        QCOMPARE(sharesText(config::sharesOf({.globalBatchSize = batch, .devices = devices}, size)), text);
    }

    void formatsTheBatchForTheLocale()
    {
        const QLocale usual;
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        BatchView view;
        view.display(test::runningSnapshot());
        const QString texts = textsOf(view);
        QLocale::setDefault(usual);
        QVERIFY2(texts.contains(QStringLiteral("One optimizer step: 1,536 samples")), qPrintable(texts));
    }

    void showsTheBatchBeforeAndAfter()
    {
        BatchView view;
        view.setConfig(engine::ConfigFile::open(fileWith("params.yaml", smallGpt2("64", "8"))));
        engine::Snapshot snapshot = test::runningSnapshot();
        snapshot.run->plan = {.globalBatchSize = 64, .setting = config::Fixed{8}};
        view.display(snapshot);
        snapshot.searchState.recommendation->size = 16;
        view.display(snapshot);
        QVERIFY2(textsOf(view).contains(QStringLiteral("Now, micro_batch_size: 8: 8 steps of 8 samples")),
                 qPrintable(textsOf(view)));
        QVERIFY2(textsOf(view).contains(QStringLiteral("With 16: 4 steps of 16 samples")),
                 qPrintable(textsOf(view)));
        QVERIFY2(textsOf(view).contains(QStringLiteral("-  micro_batch_size: 8\n+  micro_batch_size: 16")),
                 qPrintable(textsOf(view)));
        snapshot.searchState.recommendation.reset();
        view.display(snapshot);
        QVERIFY(!textsOf(view).contains(QStringLiteral("With")));
    }
};

BATCHPEAK_TEST(RunInsightTest)
#include "tst_run_insight.moc"
