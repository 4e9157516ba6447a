// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_fixture.h"
#include "charts/chart_scene.h"
#include "charts/legend.h"
#include "charts/phase_strip.h"
#include "pixels.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QApplication>
#include <QImage>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>

using namespace batchpeak;
using namespace batchpeak::ui;
using batchpeak::test::difference;
using batchpeak::test::hasColorNear;
using batchpeak::test::nearEnough;
using batchpeak::test::viewportOf;

namespace {

/// Counts the paint requests to a window and its parts.
class PaintCounter : public QObject
{
public:
    explicit PaintCounter(QWidget* window)
    {
        window->installEventFilter(this);
        for (QWidget* part : window->findChildren<QWidget*>())
            part->installEventFilter(this);
    }
    QStringList painted;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Paint)
            painted << QString::fromLatin1(watched->metaObject()->className());
        return false;
    }
};

void click(ExplorationChart* chart, const QPointF& at)
{
    QTest::mouseClick(viewportOf(chart), Qt::LeftButton, {}, viewportOf(chart)->mapFrom(chart, at.toPoint()));
}

} // namespace

class ChartsTest : public test::ChartFixture
{
    Q_OBJECT

    const ChartScene m_scene = chartSceneOf(m_running);

    QPointF positionOf(const MeasuredPoint& point) const
    {
        return m_throughput->positionOf(static_cast<double>(point.size), point.samplesPerSecond);
    }

private slots:
    void paintsEveryMeasurementAsARing()
    {
        const QImage image = m_throughput->grab().toImage();
        for (const auto& point : m_scene.points) {
            if (point.size == 192 || point.size == 64)
                continue;
            const QColor hue =
                point.kind == MeasuredPoint::Kind::Plain ? Theme::light().throughput : Theme::light().warn;
            const QPointF center = positionOf(point);
            QVERIFY2(hasColorNear(image, center + QPointF(4, 0), hue, 1),
                     qPrintable(QString::number(point.size)));
            QVERIFY2(difference(image.pixelColor(center.toPoint()), Theme::light().card) < nearEnough,
                     qPrintable(QString::number(point.size)));
        }
    }

    void centersRingsOnTheirGridLine()
    {
        const QImage image = m_throughput->grab().toImage();
        // At this height, only the grid line itself is at size 4.
        const QPointF ring = m_throughput->positionOf(4.0, 0.0);
        const double y = m_throughput->plotArea().top() + 0.3 * m_throughput->plotArea().height();
        int darkest = 0;
        int darkestX = -1;
        for (int x = static_cast<int>(ring.x()) - 4; x <= static_cast<int>(ring.x()) + 4; ++x) {
            const int contrast = difference(image.pixelColor(x, static_cast<int>(y)), Theme::light().card);
            if (contrast > darkest) {
                darkest = contrast;
                darkestX = x;
            }
        }
        QVERIFY(darkest > 0);
        QVERIFY2(std::abs(darkestX + 0.5 - (std::floor(ring.x()) + 0.5)) <= 1.0,
                 qPrintable(QStringLiteral("line at %1, ring at %2").arg(darkestX).arg(ring.x())));
    }

    void clipsAnIntervalToThePlot()
    {
        engine::Snapshot unsure = test::runningSnapshot();
        for (auto& trial : unsure.trials)
            trial.relativeError = 0.9;
        test::SampleWindow window(Theme::light(), QSize(1440, 900));
        window.display(unsure);
        window.grab();
        auto* chart = window.findChild<ThroughputChart*>();
        const QImage image = chart->grab().toImage();
        const auto x = static_cast<int>(chart->positionOf(4.0, 0.0).x());
        const auto axis = static_cast<int>(chart->plotArea().bottom());
        QVERIFY(hasColorNear(image, QPointF(x, axis - 8), Theme::light().throughput, 1));
        for (int below = 3; below < 20; ++below)
            QVERIFY2(!hasColorNear(image, QPointF(x, axis + below), Theme::light().throughput, 1),
                     qPrintable(QString::number(below)));
    }

    void connectsComparedSizes()
    {
        for (const Theme& theme : {Theme::light(), Theme::dark()}) {
            test::SampleWindow window(theme, QSize(1440, 900));
            engine::Snapshot snapshot = test::comparingSnapshot();
            // Far apart and off the curve, so that nothing else is painted between them.
            snapshot.trials[16] = test::comparisonOf(trial::Outcome::Ok, 17, {2, 8, 32}, {3.0, 1.0, -0.3});
            window.display(snapshot);
            window.grab();
            auto* chart = window.findChild<ThroughputChart*>();
            const QImage image = chart->grab().toImage();
            std::vector<QPointF> points;
            for (const auto& point : chartSceneOf(snapshot).points) {
                if (point.comparison == 17)
                    points.push_back(
                        chart->positionOf(static_cast<double>(point.size), point.samplesPerSecond));
            }
            QCOMPARE(points.size(), std::size_t{3});
            for (std::size_t i = 0; i < points.size(); ++i) {
                const QColor edge = image.pixelColor((points[i] + QPointF(2.5, 2.5)).toPoint());
                QVERIFY(difference(edge, theme.throughput) < difference(edge, theme.card));
                QVERIFY(difference(image.pixelColor(points[i].toPoint()), theme.card) < nearEnough);
                if (i > 0)
                    QVERIFY(hasColorNear(image, (points[i - 1] + points[i]) / 2.0, theme.text, 1));
            }
        }
    }

    void drawsNoComparisonsInTheMemoryChart()
    {
        engine::Snapshot snapshot = test::comparingSnapshot();
        test::SampleWindow window(Theme::light(), QSize(1440, 900));
        auto* memory = window.findChild<MemoryChart*>();
        window.display(snapshot);
        const QImage compared = memory->grab().toImage();
        snapshot.trials.erase(snapshot.trials.begin() + 16);
        window.display(snapshot);
        QCOMPARE(memory->grab().toImage(), compared);
    }

    void fillsTheRecommendedPointGreen()
    {
        const auto& lead = *m_scene.lead;
        const QPointF dot = m_throughput->positionOf(static_cast<double>(lead.size), lead.samplesPerSecond);
        const QImage image = m_throughput->grab().toImage();
        QVERIFY(difference(image.pixelColor(dot.toPoint()), Theme::light().good) < nearEnough);
        const QPointF peak =
            m_memory->positionOf(static_cast<double>(lead.size), m_scene.unit.of(lead.peakBytes));
        QVERIFY(difference(m_memory->grab().toImage().pixelColor(peak.toPoint()), Theme::light().good) <
                nearEnough);
    }

    void shadesTheBandAroundTheCurve()
    {
        const auto widest = *std::ranges::max_element(m_scene.curve, {}, [](const ModelPoint& point) {
            return point.size < 64.0 ? point.high - point.low : 0.0;
        });
        const QPointF inside = m_throughput->positionOf(widest.size, (3.0 * widest.high + widest.low) / 4.0);
        const QPointF outside =
            m_throughput->positionOf(widest.size, widest.high + (widest.high - widest.low));
        const QImage image = m_throughput->grab().toImage();
        QVERIFY(difference(image.pixelColor(inside.toPoint()), Theme::light().card) > 15);
        QVERIFY(difference(image.pixelColor(outside.toPoint()), Theme::light().card) < 15);
    }

    void marksTheSizesBeyondMemoryInBothCharts()
    {
        for (ExplorationChart* chart : charts()) {
            const QImage image = chart->grab().toImage();
            const QRectF area = chart->plotArea();
            const int y = static_cast<int>(area.center().y()) + 9;
            int tinted = 0;
            for (int x = static_cast<int>(chart->positionOf(m_scene.memoryZones.wall, 0.0).x()) + 4;
                 x < area.right() - 4; ++x) {
                const QColor pixel = image.pixelColor(x, y);
                tinted += pixel.red() > pixel.green() + 5 ? 1 : 0;
            }
            QVERIFY2(tinted > 60, qPrintable(QString::number(tinted)));
            const QColor before = image.pixelColor(static_cast<int>(chart->positionOf(20.0, 0.0).x()), y);
            QVERIFY(before.red() <= before.green() + 5);
        }
    }

    void drawsTheLimitAndTheHeadroomWhereTheyAre()
    {
        const QImage image = m_memory->grab().toImage();
        const QPointF limit = m_memory->positionOf(20.0, m_scene.unit.of(m_scene.limitBytes));
        const QPointF usable = m_memory->positionOf(20.0, m_scene.unit.of(m_scene.usableBytes));
        QVERIFY(hasColorNear(image, limit, Theme::light().bad, 2));
        QVERIFY(hasColorNear(image, usable, Theme::light().warn, 6));
        QVERIFY(usable.y() > limit.y() + 2.0);
    }

    void alignsTheSizesOfBothCharts_data()
    {
        rows<QSize, bool>({{"large", {QSize(1440, 900), true}},
                           {"small", {QSize(1100, 680), true}},
                           {"evenly spread", {QSize(1440, 900), false}}});
    }
    void alignsTheSizesOfBothCharts()
    {
        const auto& [size, logarithmic] = row<QSize, bool>();
        m_window.resize(size);
        m_window.view()->setLogarithmic(logarithmic);
        m_window.grab();
        const auto above = m_throughput->axisLabelCenters();
        const auto below = m_memory->axisLabelCenters();
        QVERIFY(above.size() >= 4);
        QCOMPARE(above, below);
        if (logarithmic) {
            for (std::size_t i = 0; i < above.size(); ++i) {
                const double tick = m_throughput->positionOf(std::pow(2.0, static_cast<double>(i)), 0.0).x();
                QVERIFY2(std::abs(above[i] - tick) < 2.0, qPrintable(QString::number(tick)));
            }
        }
        for (ExplorationChart* chart : charts()) {
            for (const QString& label : chart->tickLabels())
                QVERIFY2(!label.contains(QStringLiteral("…")) && !label.contains(QStringLiteral("...")),
                         qPrintable(label));
        }
        m_window.resize(1440, 900);
        m_window.view()->setLogarithmic(true);
        m_window.grab();
    }

    void hoversTheNearestMeasuredSizeInBothCharts()
    {
        const QPointF near = m_throughput->positionOf(100.0, 1000.0);
        m_window.show();
        QWidget* viewport = m_throughput->findChild<QAbstractScrollArea*>()->viewport();
        QTest::mouseMove(viewport, viewport->mapFrom(m_throughput, near.toPoint()));
        TRY_VERIFY(!m_throughput->calloutBox().isEmpty());
        QVERIFY(!m_memory->calloutBox().isEmpty());
        const QPointF point = m_throughput->positionOf(96.0, 2047.0);
        const QImage image = m_throughput->grab().toImage();
        QVERIFY(difference(image.pixelColor(point.toPoint()), Theme::light().throughput) < nearEnough);

        emit m_throughput->placePointedAt(std::nullopt);
        QVERIFY(m_throughput->calloutBox().isEmpty());
        m_window.hide();
    }

    void keepsTheCalloutOffTheData()
    {
        for (const auto& hovered : m_scene.points) {
            emit m_throughput->placePointedAt(hovered.size);
            const QRectF box = m_throughput->calloutBox();
            QVERIFY(m_throughput->plotArea().contains(box));
            for (const auto& other : m_scene.points)
                QVERIFY2(!box.contains(positionOf(other)),
                         qPrintable(QStringLiteral("%1 hides %2").arg(hovered.size).arg(other.size)));
        }
        emit m_throughput->placePointedAt(std::nullopt);
    }

    void walksThroughTheSizesByArrowKeys()
    {
        QTest::keyClick(m_throughput, Qt::Key_Right);
        const QRectF first = m_throughput->calloutBox();
        QVERIFY(!first.isEmpty());
        QTest::keyClick(m_throughput, Qt::Key_Right);
        QVERIFY(m_throughput->calloutBox() != first);
        QTest::keyClick(m_throughput, Qt::Key_Left);
        QCOMPARE(m_throughput->calloutBox(), first);
        emit m_throughput->placePointedAt(std::nullopt);
    }

    void describesItsContentToScreenReaders()
    {
        QCOMPARE(m_throughput->accessibleDescription(), throughputSummary(m_scene));
        QCOMPARE(m_memory->accessibleDescription(), memorySummary(m_scene));
    }

    void selectsTheSizeThatIsClicked()
    {
        QSignalSpy selected(pair(), &ExplorationCharts::sizeSelected);
        click(m_throughput, {xOf(96.0) + 6.0, middle().y()});
        QCOMPARE(selected.size(), 1);
        QCOMPARE(selected.last().first().value<std::optional<std::int64_t>>(),
                 std::optional<std::int64_t>(96));
        QCOMPARE(pair()->selectedSize(), std::optional<std::int64_t>(96));
        // Both charts draw a halo around its point.
        const auto hasHalo = [](ExplorationChart* chart, const QPointF& point) {
            return hasColorNear(chart->grab().toImage(), point + QPointF(9.0, 0.0), Theme::light().text, 1);
        };
        const MeasuredPoint& point = *m_scene.newestOf(96);
        const QPointF peak = m_memory->positionOf(96.0, m_scene.unit.of(point.peakBytes));
        QVERIFY(hasHalo(m_throughput, positionOf(point)));
        QVERIFY(hasHalo(m_memory, peak));
        // A click between sizes selects none.
        click(m_memory, {xOf(23.0), m_memory->plotArea().center().y()});
        QCOMPARE(selected.size(), 2);
        QVERIFY(!pair()->selectedSize());
        QVERIFY(!hasHalo(m_throughput, positionOf(point)));
    }

    void emitsNothingWhenTheSelectionIsSet()
    {
        QSignalSpy selected(pair(), &ExplorationCharts::sizeSelected);
        pair()->setSelectedSize(128);
        QCOMPARE(pair()->selectedSize(), std::optional<std::int64_t>(128));
        QVERIFY(selected.isEmpty());
    }

    void clearsTheSelectionByEscape()
    {
        QTest::keyClick(m_throughput, Qt::Key_Right);
        QTest::keyClick(m_throughput, Qt::Key_Return);
        QCOMPARE(pair()->selectedSize(), std::optional<std::int64_t>(1));
        QKeyEvent asks(QEvent::ShortcutOverride, Qt::Key_Escape, Qt::NoModifier);
        asks.ignore();
        QCoreApplication::sendEvent(m_throughput, &asks);
        QVERIFY(asks.isAccepted());
        QTest::keyClick(m_throughput, Qt::Key_Escape);
        QVERIFY(!pair()->selectedSize());
        emit m_throughput->placePointedAt(std::nullopt);
    }

    void showsTheSpeedsInAnotherQuantity()
    {
        const double before = m_throughput->positionOf(96.0, 0.0).y();
        const auto curve = m_throughput->positionOf(32.0, 1500.0);
        pair()->setQuantity(engine::SpeedQuantity::TokensPerSecond);
        QCOMPARE(m_throughput->positionOf(96.0, 0.0).y(), before);
        // The scale changes, so that the points stay nearly where they were.
        const QPointF converted = m_throughput->positionOf(32.0, 1024.0 * 1500.0);
        QVERIFY2(std::abs(converted.y() - curve.y()) < 2.0, qPrintable(QString::number(converted.y())));
        QVERIFY(m_throughput->accessibleDescription().contains(QStringLiteral("tokens/s")));
        const QImage image = m_throughput->grab().toImage();
        const MeasuredPoint& point = *m_scene.newestOf(96);
        const QPointF center = m_throughput->positionOf(96.0, 1024.0 * point.samplesPerSecond);
        QVERIFY(hasColorNear(image, center + QPointF(4, 0), Theme::light().throughput, 1));
    }

    void offersTheAvailableQuantities()
    {
        QToolButton* button = nullptr;
        for (auto* candidate : m_window.findChildren<QToolButton*>()) {
            if (candidate->accessibleName() == QStringLiteral("Quantity of the throughput chart"))
                button = candidate;
        }
        QVERIFY(button && button->menu());
        QStringList offered;
        for (const QAction* action : button->menu()->actions())
            offered << action->text();
        // The peak of this GPU is not known, and nothing measured its energy.
        QCOMPARE(offered, (QStringList{QStringLiteral("Samples/s"), QStringLiteral("Tokens/s"),
                                       QStringLiteral("Effective samples/s")}));
        button->menu()->actions().at(2)->trigger();
        QCOMPARE(button->text(), QStringLiteral("effective samples/s"));
        QVERIFY2(button->toolTip().contains(QStringLiteral("1,536")), qPrintable(button->toolTip()));
        QVERIFY(m_throughput->accessibleDescription().contains(QStringLiteral("effective samples/s")));
        m_window.display(test::pairsSnapshot());
        QCOMPARE(button->menu()->actions().size(), 5);
        QCOMPARE(pair()->scene().quantity, engine::SpeedQuantity::EffectiveSamplesPerSecond);
    }

    // The legend shows every mark, however narrow it is.
    void legendHasEveryMark()
    {
        engine::Snapshot failed = m_running;
        failed.trials.push_back({.number = 99, .microBatchSize = 7, .outcome = trial::Outcome::Failed});
        m_window.display(failed);
        auto* legend = m_window.findChild<ExplorationLegend*>();
        const QStringList words = legend->accessibleDescription().split(QStringLiteral(", "));
        for (const char* word : {"measured", "recommended", "out of memory", "failed", "model", "running"})
            QVERIFY2(words.contains(QLatin1String(word)), qPrintable(legend->accessibleDescription()));
        const int line = legend->heightForWidth(10'000);
        QVERIFY(legend->heightForWidth(200) >= 3 * line);
        // The dot of the recommended size and the cross of sizes out of memory have colors of the theme.
        for (const int width : {10'000, 200}) {
            QImage image(width, legend->heightForWidth(width), QImage::Format_RGB32);
            image.fill(Theme::light().card);
            ExplorationLegend other;
            other.setTheme(Theme::light());
            other.setScene(pair()->scene());
            other.resize(image.size());
            other.render(&image);
            for (const QColor& color : {Theme::light().good, Theme::light().bad})
                QVERIFY(test::hasColorNear(image, QRectF(image.rect()).center(), color, width));
        }
        m_window.display(m_running);
    }

    void omitsTheModelIfItCannotBeConverted()
    {
        engine::Snapshot measured = m_running;
        for (auto& trial : measured.trials) {
            if (trial.outcome == trial::Outcome::Ok && trial.microBatchSize < 100)
                trial.joulesPerSample = 0.5 / static_cast<double>(trial.microBatchSize);
        }
        m_window.display(measured);
        pair()->setQuantity(engine::SpeedQuantity::JoulesPerSample);
        QVERIFY2(m_throughput->accessibleDescription().contains(QStringLiteral(
                     "size 96 uses the least energy, 5.21 mJ/sample. The model is not shown in J/sample.")),
                 qPrintable(m_throughput->accessibleDescription()));
        const QString legend = m_window.findChild<ExplorationLegend*>()->accessibleDescription();
        QVERIFY2(legend.contains(QStringLiteral("no model in J/sample")), qPrintable(legend));
        QVERIFY(!legend.contains(QStringLiteral("band")));
        // A size without a measured energy has no ring, so only the other chart has a callout for it.
        emit m_throughput->placePointedAt(160);
        QVERIFY(m_throughput->calloutBox().isEmpty());
        QVERIFY(!m_memory->calloutBox().isEmpty());
        emit m_throughput->placePointedAt(std::nullopt);
        // A quantity that is no longer available is replaced by samples/s, and shown again once it is
        // available.
        m_window.display(m_running);
        QCOMPARE(pair()->scene().quantity, engine::SpeedQuantity::SamplesPerSecond);
        m_window.display(measured);
        QCOMPARE(pair()->scene().quantity, engine::SpeedQuantity::JoulesPerSample);
    }

    void drawsTheModelPalerThanMeasurements()
    {
        const QImage image = m_throughput->grab().toImage();
        // Between two rings, only the model is drawn.
        const double size = std::sqrt(8.0 * 16.0);
        const QPointF onCurve = m_throughput->positionOf(size, test::throughputAt(size));
        QVERIFY(!hasColorNear(image, onCurve, Theme::light().throughput, 2));
        QVERIFY(hasColorNear(image, onCurve, mixed(Theme::light().throughput, Theme::light().card, 0.4), 2));
    }

    // The trial of a size may have another speed than the estimate from all trials.
    void showsTheSameEstimateEverywhere()
    {
        engine::Snapshot snapshot = m_running;
        auto& estimates = snapshot.searchState.estimates;
        std::erase_if(estimates, [](const search::SizeEstimate& estimate) { return estimate.size == 16; });
        estimates.push_back({16, 600.0, 0.1, 0.01});
        m_window.display(snapshot);
        const QImage image = m_throughput->grab().toImage();
        const QPointF mean = m_throughput->positionOf(16.0, 600.0);
        QVERIFY(hasColorNear(image, mean, Theme::light().throughput, 1));
        // The interval of the estimate reaches this far; that of the trial does not reach beyond its ring.
        QVERIFY(hasColorNear(image, m_throughput->positionOf(16.0, 510.0), Theme::light().throughput, 1));
        const MeasuredPoint& trial = *pair()->scene().newestOf(16);
        const QPointF below = m_throughput->positionOf(16.0, trial.samplesPerSecond) + QPointF(0, 12);
        QVERIFY(!hasColorNear(image, below, Theme::light().throughput, 1));

        struct ExposedChart : ThroughputChart
        {
            using ThroughputChart::calloutLines;
        } chart;
        chart.setScene(std::make_shared<ChartScene>(pair()->scene()), {});
        const QStringList lines = chart.calloutLines(trial);
        QCOMPARE(lines.at(1), engine::quantityText(engine::SpeedQuantity::SamplesPerSecond, 600.0, 0.1));
        QVERIFY2(lines.at(2).endsWith(engine::quantityText(engine::SpeedQuantity::SamplesPerSecond,
                                                           trial.samplesPerSecond, trial.relativeError)),
                 qPrintable(lines.at(2)));
        pair()->setSelectedSize(16);
        const QString parts = m_window.findChild<PhaseStrip*>()->accessibleDescription();
        QVERIFY2(
            parts.startsWith(QStringLiteral("Size 16: an optimizer step takes 2.6 s in 96 micro-batches")),
            qPrintable(parts));
    }

    void showsThePartsOfAStep()
    {
        auto* strip = m_window.findChild<PhaseStrip*>();
        QVERIFY2(strip->accessibleDescription().startsWith(QStringLiteral(
                     "Size 192, recommended: an optimizer step takes 703 ms in 8 micro-batches: "
                     "forward 31 %, 220 ms; backward 67 %")),
                 qPrintable(strip->accessibleDescription()));
        pair()->setSelectedSize(16);
        QVERIFY2(strip->accessibleDescription().startsWith(
                     QStringLiteral("Size 16: an optimizer step takes 1.4 s in 96 micro-batches")),
                 qPrintable(strip->accessibleDescription()));
        pair()->setSelectedSize(288);
        QCOMPARE(strip->accessibleDescription(),
                 QStringLiteral("Size 288: the parts of a step were not measured"));
    }

    void paintsNothingWhenNothingChanged()
    {
        m_window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&m_window));
        engine::Snapshot snapshot = m_running;
        m_window.display(snapshot);
        QApplication::processEvents();
        PaintCounter counter(m_window.view());
        for (int i = 0; i < 3; ++i) {
            snapshot.trials.back().timedSteps += 1;
            snapshot.trials.back().wallSeconds += 0.001;
            m_window.display(snapshot);
            QApplication::processEvents();
        }
        counter.painted.removeIf([](const QString& name) {
            return name == QStringLiteral("QWidget") || name == QStringLiteral("QTableView");
        });
        QVERIFY2(counter.painted.isEmpty(), qPrintable(counter.painted.join(QLatin1Char(' '))));
        m_window.hide();
    }

    void turnsDarkAndBack()
    {
        const QImage light = m_throughput->grab().toImage();
        m_window.setTheme(Theme::dark());
        const QImage dark = m_throughput->grab().toImage();
        const QPoint corner = m_throughput->plotArea().topLeft().toPoint() + QPoint(20, 20);
        QVERIFY(dark.pixelColor(corner).lightness() < 128);
        m_window.setTheme(Theme::light());
        QCOMPARE(m_throughput->grab().toImage(), light);
    }
};

BATCHPEAK_TEST(ChartsTest)
#include "tst_charts.moc"
