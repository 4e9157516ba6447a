// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_reports.h"

#include "search_world.h"
#include "svg_canvas.h"
#include "table_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

using namespace batchpeak::search;
using Point = SvgCanvas::Point;

namespace {

constexpr double width = 1200.0;
constexpr double height = 900.0;
constexpr double left = 60.0;
constexpr double right = width - 20.0;
constexpr double fontSize = 13.0;
constexpr double smallFontSize = 9.0;

constexpr std::string_view ink = "#202020";
constexpr std::string_view truthColor = "#202020";
constexpr std::string_view beliefColor = "#1f77b4";
constexpr std::string_view bandColor = "#c6dbef";
constexpr std::string_view trialColor = "#d95f02";
constexpr std::string_view failureColor = "#c00000";
constexpr std::string_view answerColor = "#1a9850";
constexpr std::string_view gridColor = "#dddddd";

/// One of the two halves: the same curve from a smallest size on and between two speeds, relative to the
/// best.
struct Panel
{
    double top = 0.0;
    double bottom = 0.0;
    double smallest = 1.0;
    double lowest = 0.0;
    double highest = 1.0;
    double tick = 0.1;
};
constexpr Panel wholeCurve{.top = 60.0, .bottom = 420.0, .lowest = 0.0, .highest = 1.15, .tick = 0.2};
constexpr Panel topOfCurve{.top = 450.0, .bottom = 870.0, .lowest = 0.85, .highest = 1.08, .tick = 0.02};

class Picture
{
public:
    explicit Picture(const SearchRecord& record)
        : m_record(record), m_world(record.task), m_canvas(width, height)
    {
        std::int64_t largest = m_world.largestFit();
        for (const SearchRecord::Moment& moment : record.moments)
            largest = std::max(largest, moment.size);
        m_logLargest = std::log2(1.1 * static_cast<double>(largest));
        m_bestSpeed = m_world.speed(m_world.bestSize());
        while (m_firstOfTop < m_world.largestFit() / 2 &&
               m_world.speed(m_firstOfTop) < topOfCurve.lowest * m_bestSpeed)
            ++m_firstOfTop;
    }

    std::string draw()
    {
        drawTitle();
        Panel top = topOfCurve;
        top.smallest = static_cast<double>(m_firstOfTop);
        for (const Panel& panel : {wholeCurve, top}) {
            drawBelief(panel);
            drawGrid(panel);
            drawTruth(panel);
            drawMarks(panel);
            drawTrials(panel);
        }
        return m_canvas.document();
    }

private:
    // Points outside of a panel are drawn on its edge.
    double xOf(const Panel& panel, double size) const
    {
        const double from = std::log2(panel.smallest);
        return left + (right - left) * std::max(std::log2(size) - from, 0.0) / (m_logLargest - from);
    }
    static double yOf(const Panel& panel, double part)
    {
        part = std::clamp(part, panel.lowest, panel.highest);
        return panel.bottom -
               (panel.bottom - panel.top) * (part - panel.lowest) / (panel.highest - panel.lowest);
    }
    Point pointAt(const Panel& panel, double size, double speed) const
    {
        return {xOf(panel, size), yOf(panel, speed / m_bestSpeed)};
    }

    void drawTitle()
    {
        const SearchRecord::Moment& last = m_record.last();
        m_canvas.text({left, 22.0},
                      m_record.task.strategy + " on " + m_record.task.family + ", seed " +
                          std::to_string(m_record.task.seed) + ": recommends " +
                          std::to_string(last.recommended) + ", " + cell(100.0 * last.regret, 0, 2) +
                          " % below the best (" + std::to_string(m_world.bestSize()) + "), stated " +
                          cell(100.0 * last.stated, 0, 0) + " %, after " +
                          std::to_string(m_record.moments.size()) + " trials, " + cell(last.ramps, 0, 2) +
                          " ramps",
                      ink, fontSize + 2.0);
        const ReplayDevice::Truth& truth = m_world.truth();
        m_canvas.text(
            {left, 42.0},
            "black: true; blue: believed at the end, 5 to 95 %; numbers: trials; green: recommended; "
            "red: largest fit " +
                std::to_string(m_world.largestFit()) + "; noise of steps " +
                cell(100.0 * truth.stepNoise, 0, 2) + " %, of runs " + cell(100.0 * truth.runNoise, 0, 2) +
                " %, drift " + cell(100.0 * truth.drift, 0, 2) + " %",
            ink, fontSize);
    }

    void drawGrid(const Panel& panel)
    {
        for (double size = std::exp2(std::ceil(std::log2(panel.smallest))); std::log2(size) <= m_logLargest;
             size *= 2.0) {
            m_canvas.line({xOf(panel, size), panel.top}, {xOf(panel, size), panel.bottom}, gridColor, 1.0);
            m_canvas.text({xOf(panel, size), panel.bottom + 15.0}, cell(size, 0, 0), ink, fontSize, "middle");
        }
        const int ticks = static_cast<int>((panel.highest - panel.lowest) / panel.tick);
        for (int tick = 0; tick <= ticks; ++tick) {
            const double part = panel.lowest + tick * panel.tick;
            const double y = yOf(panel, part);
            m_canvas.line({left, y}, {right, y}, gridColor, 1.0);
            m_canvas.text({left - 6.0, y + 4.0}, cell(100.0 * part, 0, 0) + " %", ink, fontSize, "end");
        }
    }

    void drawBelief(const Panel& panel)
    {
        std::vector<Point> median;
        std::vector<Point> outline;
        std::vector<Point> upper;
        for (const CurvePoint& point : m_record.searchState.curve) {
            median.push_back(pointAt(panel, point.size, point.samplesPerSecond));
            outline.push_back(pointAt(panel, point.size, point.low));
            upper.push_back(pointAt(panel, point.size, point.high));
        }
        outline.insert(outline.end(), upper.rbegin(), upper.rend());
        m_canvas.area(outline, bandColor);
        m_canvas.polyline(median, beliefColor, 1.2);
    }

    void drawTruth(const Panel& panel)
    {
        std::vector<Point> points;
        for (std::int64_t size = 1; size <= m_world.largestFit(); ++size)
            points.push_back(pointAt(panel, static_cast<double>(size), m_world.speed(size)));
        m_canvas.polyline(points, truthColor, 1.0);
    }

    void drawMarks(const Panel& panel)
    {
        const double fit = xOf(panel, static_cast<double>(m_world.largestFit()) + 0.5);
        m_canvas.line({fit, panel.top}, {fit, panel.bottom}, failureColor, 1.5);
        const double enough = yOf(panel, 1.0 - m_record.task.tolerance);
        m_canvas.line({left, enough}, {right, enough}, ink, 1.0, "6 4");
        const auto answer = static_cast<double>(m_record.last().recommended);
        m_canvas.line({xOf(panel, answer), panel.top}, {xOf(panel, answer), panel.bottom}, answerColor, 1.5);
    }

    void drawTrials(const Panel& panel)
    {
        int number = 0;
        for (const SearchRecord::Moment& moment : m_record.moments) {
            ++number;
            const auto size = static_cast<double>(moment.size);
            if (size < panel.smallest)
                continue;
            const bool isTimed = moment.measuredSpeed > 0.0;
            const Point place = pointAt(panel, size, isTimed ? moment.measuredSpeed : 0.0);
            const bool isGood = isTimed && !moment.thrashes;
            m_canvas.circle(place, 2.5, isGood ? trialColor : failureColor);
            // Shifts the numbers vertically, so that those of successive trials of a size do not overlap.
            m_canvas.text({place.x + 3.0, place.y - 3.0 - 7.0 * (number % 3)}, std::to_string(number),
                          isGood ? ink : failureColor, smallFontSize);
        }
    }

    const SearchRecord& m_record;
    SearchWorld m_world;
    SvgCanvas m_canvas;
    double m_logLargest = 1.0;
    double m_bestSpeed = 1.0;
    std::int64_t m_firstOfTop = 1;
};

} // namespace

std::string searchPicture(const SearchRecord& record)
{
    return Picture(record).draw();
}
