// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "calibration_picture.h"

#include "svg_canvas.h"
#include "table_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

using Point = SvgCanvas::Point;

namespace {

constexpr std::array passages{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95};
/// Minimum number of searches of a passage that is shown.
constexpr int fewestSearches = 10;
/// Quantile of the normal distribution at 97.5 %.
constexpr double twoSided = 1.96;

constexpr std::size_t panelsBesideEachOther = 4;
constexpr double panelWidth = 240.0;
constexpr double panelHeight = 260.0;
constexpr double plotLeft = 44.0;
constexpr double plotTop = 34.0;
constexpr double plotSize = 180.0;
/// Lower end of both axes. Smaller probabilities are stated only after few trials, and are ignored.
constexpr double lowest = 0.2;
constexpr double fontSize = 12.0;
constexpr double smallFontSize = 9.0;

constexpr std::string_view ink = "#808080";
constexpr std::string_view grid = "#80808040";
constexpr std::string_view dots = "#1f77b4";

/// Returns null if the search never states this probability.
const SearchRecord::Moment* firstPassage(const SearchRecord& search, double probability)
{
    const auto place = std::ranges::find_if(
        search.moments, [&](const SearchRecord::Moment& moment) { return moment.stated >= probability; });
    return place == search.moments.end() ? nullptr : &*place;
}

void drawPanel(SvgCanvas& canvas, const CalibrationPanel& panel, Point corner)
{
    const auto place = [&](double stated, double right) {
        const auto along = [](double probability) {
            return plotSize * (std::max(probability, lowest) - lowest) / (1.0 - lowest);
        };
        return Point{.x = corner.x + plotLeft + along(stated),
                     .y = corner.y + plotTop + plotSize - along(right)};
    };
    canvas.text({corner.x + plotLeft, corner.y + plotTop - 12.0},
                panel.title + ", " + cell(static_cast<double>(panel.searches.size()), 0, 0) + " searches",
                ink, fontSize);
    for (const double tick : {0.2, 0.4, 0.6, 0.8, 1.0}) {
        canvas.line(place(tick, lowest), place(tick, 1.0), grid, 1.0);
        canvas.line(place(lowest, tick), place(1.0, tick), grid, 1.0);
        const Point below = place(tick, lowest);
        const Point beside = place(lowest, tick);
        canvas.text({below.x, below.y + 14.0}, cell(100.0 * tick, 0, 0), ink, smallFontSize, "middle");
        canvas.text({beside.x - 5.0, beside.y + 3.0}, cell(100.0 * tick, 0, 0), ink, smallFontSize, "end");
    }
    canvas.line(place(lowest, lowest), place(1.0, 1.0), ink, 1.0, "4 3");
    const Point middle = place(0.5 * (lowest + 1.0), lowest);
    canvas.text({middle.x, middle.y + 28.0}, "stated, %; upward: right, %", ink, smallFontSize, "middle");
    for (const FirstPassage& passage : firstPassagesOf(panel.searches)) {
        canvas.line(place(passage.stated, passage.low), place(passage.stated, passage.high), dots, 1.5);
        canvas.circle(place(passage.stated, passage.right), 3.5, dots);
    }
}

} // namespace

std::vector<FirstPassage> firstPassagesOf(const std::vector<SearchRecord>& searches)
{
    std::vector<FirstPassage> all;
    for (const double probability : passages) {
        FirstPassage passage;
        for (const SearchRecord& search : searches) {
            if (const SearchRecord::Moment* moment = firstPassage(search, probability)) {
                ++passage.searches;
                passage.stated += moment->stated;
                passage.right += search.isRight(*moment) ? 1.0 : 0.0;
            }
        }
        if (passage.searches < fewestSearches)
            continue;
        const auto count = static_cast<double>(passage.searches);
        passage.stated /= count;
        passage.right /= count;
        const double square = twoSided * twoSided / count;
        const double center = passage.right + 0.5 * square;
        const double half =
            twoSided * std::sqrt((passage.right * (1.0 - passage.right) + 0.25 * square) / count);
        passage.low = (center - half) / (1.0 + square);
        passage.high = (center + half) / (1.0 + square);
        all.push_back(passage);
    }
    return all;
}

std::string calibrationPicture(std::span<const CalibrationPanel> panels)
{
    const std::size_t rows = (panels.size() + panelsBesideEachOther - 1) / panelsBesideEachOther;
    const std::size_t columns = std::min(panels.size(), panelsBesideEachOther);
    SvgCanvas canvas(panelWidth * static_cast<double>(columns), panelHeight * static_cast<double>(rows));
    for (std::size_t panel = 0; panel < panels.size(); ++panel) {
        drawPanel(canvas, panels[panel],
                  {.x = panelWidth * static_cast<double>(panel % panelsBesideEachOther),
                   .y = panelHeight * static_cast<double>(panel / panelsBesideEachOther)});
    }
    return canvas.document();
}
