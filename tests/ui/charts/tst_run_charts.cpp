// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/run_charts.h"
#include "pixels.h"
#include "sample_trainings.h"
#include "sample_windows.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training_window/runs_model.h"
#include "window_fixture.h"

#include <QAbstractScrollArea>
#include <QStandardPaths>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;
using batchpeak::test::difference;
using batchpeak::test::hasColorNear;
using batchpeak::test::nearEnough;

/// Tests the three charts of a training run by the pixels that they paint.
class RunChartsTest : public QObject
{
    Q_OBJECT

    test::SampleTrainingWindow m_window{Theme::light(), QSize(1440, 900)};
    RunChart* m_loss = test::partOf<RunChart>(m_window, "Loss chart");
    RunChart* m_rate = test::partOf<RunChart>(m_window, "Throughput chart");
    RunChart* m_schedule = test::partOf<RunChart>(m_window, "Chart of the batch sizes");

    QList<RunChart*> charts() const { return {m_loss, m_rate, m_schedule}; }

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QVERIFY(m_loss && m_rate && m_schedule);
    }

    void init()
    {
        m_window.setTheme(Theme::light());
        m_window.resize(1440, 900);
        m_window.display(test::halvingTraining());
        m_window.grab();
    }

    void drawsWhereTheValuesAre()
    {
        const auto snapshot = test::halvingTraining();
        const auto& step = snapshot.steps[59];
        const QImage loss = m_loss->grab().toImage();
        QVERIFY(hasColorNear(loss, m_loss->positionOf(60.0, step.loss), Theme::light().loss, 2));
        const QImage rate = m_rate->grab().toImage();
        QVERIFY(hasColorNear(rate, m_rate->positionOf(60.0, step.samplesPerSecond), Theme::light().throughput,
                             3));
        const QImage schedule = m_schedule->grab().toImage();
        QVERIFY(hasColorNear(schedule, m_schedule->positionOf(60.0, 1536.0), Theme::light().text, 2));
        QVERIFY(!hasColorNear(schedule, m_schedule->positionOf(60.0, 600.0), Theme::light().text, 2));
    }

    void distinguishesBatchAndMicroBatchWithoutColor()
    {
        const QImage image = m_schedule->grab().toImage();
        const auto gapsAt = [&](double value) {
            int gaps = 0;
            const auto from = static_cast<int>(m_schedule->positionOf(10.0, value).x());
            const auto to = static_cast<int>(m_schedule->positionOf(60.0, value).x());
            for (int x = from; x < to; ++x)
                gaps += hasColorNear(image, QPointF(x, m_schedule->positionOf(1.0, value).y()),
                                     Theme::light().card, 0)
                            ? 1
                            : 0;
            return gaps;
        };
        QCOMPARE(gapsAt(1536.0), 0);
        QVERIFY(gapsAt(192.0) > 20);
    }

    void drawsEachChangeOfSizeAtItsStep()
    {
        const QImage image = m_schedule->grab().toImage();
        const auto hasMicroBatch = [&](double step, double value) {
            // The line is dashed.
            for (int x = -9; x <= 9; x += 3) {
                if (hasColorNear(image, m_schedule->positionOf(step, value) + QPointF(x, 0),
                                 Theme::light().throughput, 1))
                    return true;
            }
            return false;
        };
        QVERIFY(hasMicroBatch(64.0, 192.0));
        QVERIFY(!hasMicroBatch(64.0, 96.0));
        QVERIFY(hasMicroBatch(76.0, 96.0));
        QVERIFY(!hasMicroBatch(76.0, 192.0));
    }

    void crossesOutTheSizesThatRanOutOfMemory()
    {
        const QImage image = m_schedule->grab().toImage();
        for (const double size : {1536.0, 768.0, 384.0})
            QVERIFY2(hasColorNear(image, m_schedule->positionOf(1.0, size), Theme::light().bad, 2),
                     qPrintable(QString::number(size)));
        QVERIFY(hasColorNear(image, m_schedule->positionOf(70.0, 192.0), Theme::light().bad, 2));
        QVERIFY(hasColorNear(image, m_schedule->positionOf(95.0, 96.0), Theme::light().warn, 6));
    }

    void drawsEvaluationsAsRings()
    {
        const auto snapshot = test::halvingTraining();
        const QImage image = m_loss->grab().toImage();
        const QPointF center = m_loss->positionOf(80.0, snapshot.evaluations[1].loss);
        QVERIFY(hasColorNear(image, center - QPointF(0, 4.5), Theme::light().loss, 1));
        QVERIFY(difference(image.pixelColor(center.toPoint()), Theme::light().card) < nearEnough);
    }

    void alignsTheStepsOfAllCharts_data()
    {
        rows<QSize, int>({{"large", {QSize(1440, 900), 120}},
                          {"small", {QSize(1100, 680), 120}},
                          {"many steps", {QSize(1100, 680), 10000}},
                          {"the first step", {QSize(1100, 680), 1}}});
    }
    void alignsTheStepsOfAllCharts()
    {
        const auto& [size, steps] = row<QSize, int>();
        m_window.resize(size);
        m_window.display(test::longTraining(steps));
        m_window.grab();
        const auto labels = m_loss->axisLabelCenters();
        QVERIFY(labels.size() >= 2);
        for (const RunChart* chart : charts()) {
            QCOMPARE(chart->axisLabelCenters(), labels);
            QVERIFY(labels.back() < chart->width());
            const QStringList texts = chart->tickLabels();
            for (const QString& text : texts)
                QVERIFY2(!text.contains(QStringLiteral("…")) && !text.contains(QStringLiteral("...")),
                         qPrintable(text));
        }
    }

    void showsASpikeAmongTenThousandSteps()
    {
        const auto snapshot = test::longTraining(10000);
        m_window.display(snapshot);
        m_window.grab();
        const QImage image = m_loss->grab().toImage();
        for (const std::size_t step : {997, 4985, 9970}) {
            const QPointF peak = m_loss->positionOf(static_cast<double>(step), snapshot.steps[step - 1].loss);
            QVERIFY2(hasColorNear(image, peak, Theme::light().loss, 4), qPrintable(QString::number(step)));
        }
    }

    void drawsThePrediction()
    {
        const auto snapshot = test::predictedTraining();
        m_window.display(snapshot);
        m_window.grab();
        const QImage image = m_rate->grab().toImage();
        const double predicted = snapshot.steps.back().predictedSamplesPerSecond;
        int drawn = 0;
        const auto from = static_cast<int>(m_rate->positionOf(250.0, predicted).x());
        const auto to = static_cast<int>(m_rate->positionOf(330.0, predicted).x());
        for (int x = from; x < to; ++x) {
            const QPointF place(x, m_rate->positionOf(1.0, predicted).y());
            drawn += hasColorNear(image, place, Theme::light().throughput, 1) ? 1 : 0;
        }
        QVERIFY2(drawn > 10, qPrintable(QString::number(drawn)));
    }

    void drawsEarlierRunsMutedAndNamesThem()
    {
        RunsModel& runs = *m_window.view()->runs();
        const auto small = test::earlierTrainings()[1];
        runs.keep(small);
        m_window.display(test::predictedTraining());
        m_window.grab();
        const QImage image = m_loss->grab().toImage();
        const auto mutedAt = [&](const QImage& picture, std::size_t step) {
            const auto& record = small.steps[step - 1];
            const QPointF center = m_loss->positionOf(static_cast<double>(step), record.loss);
            for (int x = -12; x <= 12; x += 3) {
                if (hasColorNear(picture, center + QPointF(x, 0), Theme::light().mutedText, 3))
                    return true;
            }
            return false;
        };
        QVERIFY(mutedAt(image, 150));
        QTest::keyClick(m_schedule, Qt::Key_Left);
        QVERIFY(!m_schedule->calloutBox().isEmpty());
        emit m_loss->placePointedAt(std::nullopt);

        runs.setData(runs.index(1, RunsModel::Name), Qt::Unchecked, Qt::CheckStateRole);
        m_window.display(test::predictedTraining());
        m_window.grab();
        QVERIFY(!mutedAt(m_loss->grab().toImage(), 150));
        runs.remove(1);
        QCOMPARE(runs.rowCount(), 1);
    }

    void hoversTheSameStepInAllCharts()
    {
        m_window.show();
        QWidget* viewport = m_rate->findChild<QAbstractScrollArea*>()->viewport();
        const QPointF near = m_rate->positionOf(70.2, 500.0);
        QTest::mouseMove(viewport, viewport->mapFrom(m_rate, near.toPoint()));
        TRY_VERIFY(!m_loss->calloutBox().isEmpty());
        const QImage image = m_loss->grab().toImage();
        const QPointF point = m_loss->positionOf(70.0, test::halvingTraining().steps[69].loss);
        QVERIFY(difference(image.pixelColor(point.toPoint()), Theme::light().loss) < nearEnough);
        for (const RunChart* chart : charts())
            QVERIFY(chart->plotArea().contains(chart->calloutBox()));
        emit m_loss->placePointedAt(std::nullopt);
        for (const RunChart* chart : charts())
            QVERIFY(chart->calloutBox().isEmpty());
        m_window.hide();
    }

    void walksThroughTheStepsByArrowKeys()
    {
        QTest::keyClick(m_loss, Qt::Key_Left);
        const QRectF last = m_schedule->calloutBox();
        QVERIFY(!last.isEmpty());
        QTest::keyClick(m_loss, Qt::Key_Left);
        QVERIFY(m_schedule->calloutBox() != last);
        QTest::keyClick(m_loss, Qt::Key_Right);
        QCOMPARE(m_schedule->calloutBox(), last);
        emit m_loss->placePointedAt(std::nullopt);
    }

    void describesItsContentToScreenReaders()
    {
        QCOMPARE(m_schedule->accessibleDescription(), runPlotSummary(schedulePlot(test::halvingTraining())));
        for (const RunChart* chart : charts())
            QVERIFY(!chart->accessibleName().isEmpty());
    }

    void turnsDarkAndBack()
    {
        const QImage light = m_loss->grab().toImage();
        m_window.setTheme(Theme::dark());
        const QPoint corner = m_loss->plotArea().topRight().toPoint() + QPoint(-20, 20);
        QVERIFY(m_loss->grab().toImage().pixelColor(corner).lightness() < 128);
        m_window.setTheme(Theme::light());
        QCOMPARE(m_loss->grab().toImage(), light);
    }
};

BATCHPEAK_TEST(RunChartsTest)
#include "tst_run_charts.moc"
