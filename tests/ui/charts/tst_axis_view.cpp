// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/axis_scales.h"
#include "charts/axis_view.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

const AxisView logarithmic{.whole = {1.0, 1024.0}, .logarithmic = true};
const AxisView linear{.whole = {0.0, 1000.0}, .logarithmic = false};

bool near(const std::optional<AxisRange>& range, double minimum, double maximum)
{
    return range && std::abs(range->minimum - minimum) < 1e-6 * maximum &&
           std::abs(range->maximum - maximum) < 1e-6 * maximum;
}

} // namespace

class AxisViewTest : public QObject
{
    Q_OBJECT

private slots:
    void zoomsAroundAFixedPlace_data()
    {
        rows<AxisView, double, double, double>(
            {{"ratios", {logarithmic, 32.0, std::sqrt(32.0), 32.0 * std::sqrt(32.0)}},
             {"differences", {linear, 500.0, 250.0, 750.0}},
             {"beside the middle", {linear, 100.0, 50.0, 550.0}},
             {"at the left end", {linear, 0.0, 0.0, 500.0}},
             {"at the right end", {linear, 1000.0, 500.0, 1000.0}}});
    }
    void zoomsAroundAFixedPlace()
    {
        const auto& [view, fixed, minimum, maximum] = row<AxisView, double, double, double>();
        const auto shown = view.zoomed(view.whole, 0.5, fixed);
        QVERIFY(near(shown, minimum, maximum));
        QVERIFY(!view.zoomed(*shown, 2.0, fixed));
    }

    void keepsAMinimumSpan()
    {
        std::optional<AxisRange> shown = logarithmic.whole;
        for (int i = 0; i < 100; ++i)
            shown = logarithmic.zoomed(*shown, 0.8, 100.0);
        QVERIFY(shown->maximum - shown->minimum >= logarithmic.minSpan);
        QVERIFY(shown->minimum < 100.0 && shown->maximum > 100.0);
    }

    void movesOnlyWithinTheWhole_data()
    {
        rows<AxisView, double, double, double>({{"on", {linear, 0.5, 450.0, 650.0}},
                                                {"back", {linear, -0.5, 250.0, 450.0}},
                                                {"to the end", {linear, 9.0, 800.0, 1000.0}},
                                                {"to the beginning", {linear, -9.0, 0.0, 200.0}}});
    }
    void movesOnlyWithinTheWhole()
    {
        const auto& [view, share, minimum, maximum] = row<AxisView, double, double, double>();
        QVERIFY(near(view.moved({350.0, 550.0}, share), minimum, maximum));
    }

    void movesByRatios() { QVERIFY(near(logarithmic.moved({8.0, 32.0}, 0.5), 16.0, 64.0)); }

    void limitsTheRequestedRange_data()
    {
        rows<AxisRange, bool, AxisRange>(
            {{"a part", {AxisRange{20.0, 200.0}, true, AxisRange{20.0, 200.0}}},
             {"beyond the end", {AxisRange{900.0, 4000.0}, true, AxisRange{900.0, 1000.0}}},
             {"too little", {AxisRange{500.0, 500.1}, true, AxisRange{499.05, 501.05}}},
             {"all", {AxisRange{-5.0, 4000.0}, false, {}}}});
    }
    void limitsTheRequestedRange()
    {
        const auto& [asked, isPart, expected] = row<AxisRange, bool, AxisRange>();
        const auto limited = linear.limited(asked);
        QCOMPARE(limited.has_value(), isPart);
        if (isPart)
            QVERIFY(near(limited, expected.minimum, expected.maximum));
    }

    void bringsAPlaceIntoView()
    {
        const AxisRange shown{400.0, 500.0};
        QCOMPARE(linear.revealing(shown, 450.0), shown);
        QVERIFY(near(linear.revealing(shown, 600.0), 510.0, 610.0));
        QVERIFY(near(linear.revealing(shown, 300.0), 290.0, 390.0));
        QVERIFY(near(linear.revealing(shown, 0.0), 0.0, 100.0));
    }

    void labelsBetweenPowersIfThereAreTooFew_data()
    {
        using Ticks = std::vector<std::int64_t>;
        rows<AxisRange, double, Ticks>(
            {{"powers suffice", {AxisRange{8.0, 40.0}, 900.0, Ticks{}}},
             {"one power", {AxisRange{90.0, 200.0}, 600.0, Ticks{100, 120, 140, 160, 180, 200}}},
             {"none",
              {AxisRange{180.0, 200.0}, 900.0, Ticks{180, 182, 184, 186, 188, 190, 192, 194, 196, 198, 200}}},
             {"single sizes", {AxisRange{5.2, 7.4}, 900.0, Ticks{6, 7}}},
             {"a narrow plot", {AxisRange{90.0, 200.0}, 150.0, Ticks{100, 200}}}});
    }
    void labelsBetweenPowersIfThereAreTooFew()
    {
        const auto& [range, pixels, ticks] = row<AxisRange, double, std::vector<std::int64_t>>();
        QCOMPARE(ticksBetweenPowers(range, 2, pixels, 60.0), ticks);
    }

    void scalesToTheExactRange()
    {
        const ValueScale scale = valueScaleBetween(2100.0, 2300.0, 6);
        QCOMPARE(scale.bottom, 2100.0);
        QCOMPARE(scale.top, 2300.0);
        QCOMPARE(scale.step, 50.0);
    }
};

BATCHPEAK_TEST(AxisViewTest)
#include "tst_axis_view.moc"
