// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_fixture.h"
#include "pixels.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QImage>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <cmath>

using namespace batchpeak;
using namespace batchpeak::ui;
using batchpeak::test::hasColorNear;
using batchpeak::test::viewportOf;

namespace {

/// \param steps  steps of the wheel, away from the user
/// \return whether the chart accepted the event
bool turnWheel(ExplorationChart* chart, const QPointF& at, int steps, Qt::KeyboardModifiers modifiers = {})
{
    QWidget* viewport = viewportOf(chart);
    const QPointF position = viewport->mapFrom(chart, at.toPoint());
    QWheelEvent event(position, viewport->mapToGlobal(position), {}, {0, 120 * steps}, Qt::NoButton,
                      modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(viewport, &event);
    return event.isAccepted();
}

void drag(ExplorationChart* chart, const QPointF& from, const QPointF& to,
          Qt::KeyboardModifiers modifiers = {})
{
    QWidget* viewport = viewportOf(chart);
    const QPoint begin = viewport->mapFrom(chart, from.toPoint());
    const QPoint end = viewport->mapFrom(chart, to.toPoint());
    QTest::mousePress(viewport, Qt::LeftButton, modifiers, begin);
    const auto moveTo = [&](const QPoint& point) {
        QMouseEvent move(QEvent::MouseMove, point, viewport->mapToGlobal(point), Qt::NoButton, Qt::LeftButton,
                         modifiers);
        QCoreApplication::sendEvent(viewport, &move);
    };
    moveTo((begin + end) / 2);
    moveTo(end);
    QTest::mouseRelease(viewport, Qt::LeftButton, modifiers, end);
}

} // namespace

/// Tests which parts of an exploration the charts show, and the ways to navigate in it.
class ChartNavigationTest : public test::ChartFixture
{
    Q_OBJECT

    bool isWhole() const { return !pair()->isZoomed(); }
    QToolButton* showAllButton() const
    {
        for (auto* button : m_window.findChildren<QToolButton*>()) {
            if (button->text() == QStringLiteral("Show all"))
                return button;
        }
        return nullptr;
    }

private slots:
    void zoomsAroundThePointer_data() { rows<bool>({{"logarithmic", true}, {"evenly spread", false}}); }
    void zoomsAroundThePointer()
    {
        m_window.view()->setLogarithmic(row<bool>());
        const QPointF pointer(xOf(96.0), middle().y());
        const double before = xOf(128.0) - xOf(96.0);
        QVERIFY(turnWheel(m_throughput, pointer, 3));
        QVERIFY(std::abs(xOf(96.0) - pointer.x()) < 1.0);
        QVERIFY(std::abs((xOf(128.0) - xOf(96.0)) / before - std::pow(0.8, -3)) < 0.01);
        QCOMPARE(m_memory->positionOf(96.0, 0.0).x(), xOf(96.0));
        QCOMPARE(m_memory->positionOf(128.0, 0.0).x(), xOf(128.0));
        QVERIFY(turnWheel(m_throughput, pointer, -4));
        QVERIFY(isWhole());
        // There is no more to show, but the chart accepts the event so that nothing else scrolls.
        QVERIFY(turnWheel(m_throughput, pointer, -1));
        QVERIFY(isWhole());
    }

    void zoomsTheValuesOfOneChart()
    {
        const QPointF pointer(middle().x(), m_throughput->positionOf(96.0, 2000.0).y());
        QVERIFY(turnWheel(m_throughput, pointer, 4, Qt::ControlModifier));
        QVERIFY(std::abs(m_throughput->positionOf(96.0, 2000.0).y() - pointer.y()) < 1.0);
        QVERIFY(m_throughput->positionOf(96.0, 0.0).y() > m_throughput->plotArea().bottom() + 50.0);
        QVERIFY(!m_memory->hasValueWindow());
        QVERIFY(pair()->isZoomed());
        for (const QString& label : m_throughput->tickLabels())
            QVERIFY2(!label.contains(QStringLiteral("...")), qPrintable(label));
    }

    void keepsTheZoomWhileTrialsContinue()
    {
        turnWheel(m_throughput, {xOf(64.0), middle().y()}, 4);
        turnWheel(m_throughput, middle(), 2, Qt::ControlModifier);
        const QPointF before = m_throughput->positionOf(64.0, 1900.0);
        engine::Snapshot later = m_running;
        later.trials.push_back(later.trials.front());
        later.trials.back().microBatchSize = 250;
        later.trials.back().samplesPerSecond = 9000.0;
        m_window.display(later);
        QCOMPARE(m_throughput->positionOf(64.0, 1900.0), before);
        // Another exploration begins without zoom.
        m_window.display(test::startingSnapshot());
        QVERIFY(isWhole());
    }

    void followsTheTrialsWithoutZoom()
    {
        engine::Snapshot snapshot = test::earlySnapshot();
        m_window.display(snapshot);
        const double before = xOf(64.0);
        snapshot.trials.back().microBatchSize = 200;
        m_window.display(snapshot);
        QVERIFY(xOf(64.0) < before - 20.0);
    }

    void offersToShowAll_data()
    {
        rows<Text>({{"button", "button"}, {"key", "key"}, {"double click", "double click"}});
    }
    void offersToShowAll()
    {
        m_window.show();
        QVERIFY(!showAllButton()->isVisible());
        turnWheel(m_throughput, middle(), 2);
        turnWheel(m_memory, m_memory->plotArea().center(), 2, Qt::ControlModifier);
        QVERIFY(showAllButton()->isVisible());
        QVERIFY(showAllButton()->toolTip().contains(QStringLiteral("Home")));
        if (row<Text>() == QStringLiteral("button"))
            showAllButton()->click();
        else if (row<Text>() == QStringLiteral("key"))
            QTest::keyClick(m_memory, Qt::Key_Home);
        else
            QTest::mouseDClick(viewportOf(m_throughput), Qt::LeftButton, {}, middle().toPoint());
        QVERIFY(isWhole());
        QVERIFY(!m_memory->hasValueWindow());
        QVERIFY(!showAllButton()->isVisible());
        m_window.hide();
    }

    void keepsTheSizesOnAnotherScale()
    {
        const QRectF area = m_throughput->plotArea();
        drag(m_throughput, {xOf(32.0), area.top() + 5.0}, {xOf(128.0), area.top() + 8.0}, Qt::ShiftModifier);
        const double left = xOf(32.0);
        const double right = xOf(128.0);
        // The pointer is at whole pixels, and zooming enlarges its rounding error.
        QVERIFY2(std::abs(left - area.left()) < 6.0, qPrintable(QString::number(left)));
        QVERIFY2(std::abs(right - area.right()) < 6.0, qPrintable(QString::number(right)));
        for (const bool logarithmic : {false, true}) {
            m_window.view()->setLogarithmic(logarithmic);
            QVERIFY2(std::abs(xOf(32.0) - left) < 6.0, qPrintable(QString::number(xOf(32.0))));
            QVERIFY2(std::abs(xOf(128.0) - right) < 6.0, qPrintable(QString::number(xOf(128.0))));
        }
    }

    void zoomsIntoABand()
    {
        const QRectF area = m_throughput->plotArea();
        const QPointF from = m_throughput->positionOf(64.0, 2300.0);
        drag(m_throughput, from, m_throughput->positionOf(256.0, 1800.0), Qt::ShiftModifier);
        QVERIFY((m_throughput->positionOf(64.0, 2300.0) - area.topLeft()).manhattanLength() < 6.0);
        QVERIFY((m_throughput->positionOf(256.0, 1800.0) - area.bottomRight()).manhattanLength() < 6.0);
        // Every part of the axis has labels, however small it is.
        QVERIFY(m_throughput->axisLabelCenters().size() >= 3);
        QCOMPARE(m_throughput->axisLabelCenters(), m_memory->axisLabelCenters());
    }

    void movesByDragging()
    {
        turnWheel(m_throughput, middle(), 5);
        turnWheel(m_throughput, middle(), 3, Qt::ControlModifier);
        const QPointF before = m_throughput->positionOf(32.0, 1500.0);
        QSignalSpy chosen(pair(), &ExplorationCharts::sizeSelected);
        drag(m_throughput, middle(), middle() + QPointF(40.0, 25.0));
        const QPointF moved = m_throughput->positionOf(32.0, 1500.0) - before;
        QVERIFY2((moved - QPointF(40.0, 25.0)).manhattanLength() < 2.0,
                 qPrintable(QStringLiteral("%1, %2").arg(moved.x()).arg(moved.y())));
        QVERIFY(chosen.isEmpty());
    }

    void ignoresDraggingWithoutZoom()
    {
        const QPointF before = m_throughput->positionOf(32.0, 1500.0);
        drag(m_throughput, middle(), middle() + QPointF(40.0, 25.0));
        QCOMPARE(m_throughput->positionOf(32.0, 1500.0), before);
        QVERIFY(isWhole());
    }

    void zoomsAndMovesByKeys()
    {
        const double before = xOf(128.0) - xOf(64.0);
        QTest::keyClick(m_throughput, Qt::Key_Plus);
        QTest::keyClick(m_throughput, Qt::Key_Plus);
        QVERIFY(xOf(128.0) - xOf(64.0) > 1.5 * before);
        const double at = xOf(64.0);
        QTest::keyClick(m_throughput, Qt::Key_Right, Qt::ControlModifier);
        QVERIFY(xOf(64.0) < at - 50.0);
        QTest::keyClick(m_throughput, Qt::Key_Left, Qt::ControlModifier);
        QVERIFY(std::abs(xOf(64.0) - at) < 1.0);
        QTest::keyClick(m_throughput, Qt::Key_Plus, Qt::ControlModifier);
        QVERIFY(m_throughput->hasValueWindow());
        QTest::keyClick(m_throughput, Qt::Key_Home);
        QVERIFY(isWhole());
        QTest::keyClick(m_throughput, Qt::Key_Plus);
        QTest::keyClick(m_throughput, Qt::Key_Minus);
        QVERIFY(isWhole());
    }

    void bringsASelectedSizeIntoView()
    {
        turnWheel(m_throughput, {xOf(200.0), middle().y()}, 8);
        QVERIFY(xOf(4.0) < m_throughput->plotArea().left());
        pair()->setSelectedSize(4);
        QVERIFY(m_throughput->plotArea().contains(QPointF(xOf(4.0), middle().y())));
        QVERIFY(pair()->isZoomed());
        emit m_throughput->placePointedAt(224);
        QVERIFY(m_throughput->plotArea().contains(QPointF(xOf(224.0), middle().y())));
        emit m_throughput->placePointedAt(std::nullopt);
    }

    void drawsNothingOutsideThePlotWhenZoomed()
    {
        turnWheel(m_throughput, {xOf(64.0), middle().y()}, 8);
        turnWheel(m_throughput, m_throughput->positionOf(64.0, 1900.0), 8, Qt::ControlModifier);
        for (ExplorationChart* chart : charts()) {
            const QImage image = chart->grab().toImage();
            const QRectF area = chart->plotArea();
            for (const QColor& hue :
                 {Theme::light().throughput, Theme::light().memory, Theme::light().good}) {
                for (int y = 4; y < image.height() - 4; y += 2) {
                    for (const double x : {area.left() - 9.0, area.right() + 8.0})
                        QVERIFY2(!hasColorNear(image, QPointF(x, y), hue, 1), qPrintable(hue.name()));
                }
            }
        }
    }
};

BATCHPEAK_TEST(ChartNavigationTest)
#include "tst_chart_navigation.moc"
