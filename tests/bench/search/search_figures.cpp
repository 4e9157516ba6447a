// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_reports.h"

#include "search/random_source.h"
#include "statistics.h"
#include "table_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

using batchpeak::search::SearchState;

namespace {

constexpr std::size_t nameWidth = 34;
/// Number of sizes above which trying every size is impracticable.
constexpr std::int64_t manySizes = 1000;
constexpr int resamples = 400;

/// Searches of a figure; a resample may contain one of them several times.
using Searches = std::vector<const SearchRecord*>;

template<typename FigureOfOne>
std::vector<double> ofEach(const Searches& searches, FigureOfOne figure)
{
    std::vector<double> values;
    for (const SearchRecord* search : searches)
        values.push_back(figure(*search));
    return values;
}

double percentOf(bool is)
{
    return is ? 100.0 : 0.0;
}

/// Returns the regret of the recommendation at this cost, or of the last one if the search ended earlier.
double regretAt(const SearchRecord& search, double ramps)
{
    double regret = search.moments.front().regret;
    for (const SearchRecord::Moment& moment : search.moments) {
        if (moment.ramps <= ramps)
            regret = moment.regret;
    }
    return regret;
}

double calibrationError(const Searches& searches)
{
    std::vector<Statement> statements;
    for (const SearchRecord* search : searches) {
        for (const SearchRecord::Moment& moment : search->moments)
            statements.push_back({.stated = moment.stated, .isRight = search->isRight(moment)});
    }
    return 100.0 * expectedCalibrationError(statements);
}

/// Returns the percentage of searches that were right when they first stated at least \p stated; nothing if
/// none did.
std::optional<double> rightAtFirstPassage(const Searches& searches, double stated)
{
    std::vector<double> right;
    for (const SearchRecord* search : searches) {
        const auto first = std::ranges::find_if(search->moments,
                                                [=](const auto& moment) { return moment.stated >= stated; });
        if (first != search->moments.end())
            right.push_back(percentOf(search->isRight(*first)));
    }
    return right.empty() ? std::nullopt : std::optional(mean(right));
}

std::optional<double> exhaustiveShare(const Searches& searches, std::int64_t atLeast)
{
    std::vector<double> shares;
    for (const SearchRecord* search : searches) {
        if (search->largestFit >= atLeast)
            shares.push_back(100.0 * search->exhaustiveShare);
    }
    return shares.empty() ? std::nullopt : std::optional(quantile(shares, 0.5));
}

double median(const std::vector<double>& values)
{
    return quantile(values, 0.5);
}

double high(const std::vector<double>& values)
{
    return quantile(values, 0.95);
}

double average(const std::vector<double>& values)
{
    return mean(values);
}

template<auto overall, auto ofOne>
double figureOf(const Searches& searches)
{
    return overall(ofEach(searches, ofOne));
}

constexpr auto regret = [](const SearchRecord& s) { return 100.0 * s.last().regret; };
constexpr auto isWithin = [](const SearchRecord& s) { return percentOf(s.isRight(s.last())); };
constexpr auto stated = [](const SearchRecord& s) { return 100.0 * s.last().stated; };
constexpr auto isSure = [](const SearchRecord& s) {
    return percentOf(s.searchState.status == SearchState::Status::Confident);
};
template<int ramps>
constexpr auto regretAfter = [](const SearchRecord& s) { return 100.0 * regretAt(s, ramps); };
constexpr auto coversSpeed = [](const SearchRecord& s) {
    const SearchRecord::Moment& last = s.last();
    return percentOf(last.samplesPerSecond > 0.0 &&
                     std::abs(std::log(last.longRunSpeed / last.samplesPerSecond)) <=
                         1.96 * last.relativeError);
};
constexpr auto expectedLoss = [](const SearchRecord& s) { return 100.0 * s.last().expectedLoss; };

/// Column whose figure depends on the sample of searches.
struct Column
{
    double (*figure)(const Searches&);
    int width;
    int decimals;
    bool isOfConfidence = false;
};

constexpr std::array<Column, 12> columns{
    {{figureOf<median, [](const SearchRecord& s) { return s.last().ramps; }>, 6, 2},
     {figureOf<median, [](const SearchRecord& s) { return s.last().seconds; }>, 6, 0},
     {figureOf<average, regret>, 7, 2},
     {figureOf<high, regret>, 6, 2},
     {figureOf<average, regretAfter<1>>, 6, 2},
     {figureOf<average, regretAfter<2>>, 6, 2},
     {figureOf<average, isWithin>, 7, 1},
     {figureOf<average, stated>, 7, 1, true},
     {figureOf<average, expectedLoss>, 6, 2, true},
     {figureOf<average, coversSpeed>, 7, 1, true},
     {figureOf<average, isSure>, 7, 0, true},
     {calibrationError, 5, 1, true}}};

std::string absent(int width)
{
    return std::string(static_cast<std::size_t>(width - 1), ' ') + "-";
}

std::string cellOf(const std::optional<double>& value, int width, int decimals)
{
    return value ? cell(*value, width, decimals) : absent(width);
}

bool stateConfidence(const Searches& searches)
{
    return std::ranges::all_of(searches, [](const SearchRecord* search) { return search->statesConfidence; });
}

Searches pointersTo(const std::vector<SearchRecord>& searches)
{
    Searches pointers;
    for (const SearchRecord& search : searches)
        pointers.push_back(&search);
    return pointers;
}

} // namespace

std::string figuresHeading()
{
    return "Cost: trials, ramps (time over that of 1, 2, 4, ... to the limit), seconds, all (percent of "
           "trying every "
           "size), "
           ">1000 (the\nsame where over 1000 fit): medians. Percent below the best: regret (mean), p95, at "
           "1r and "
           "2r (mean when 1 and 2 ramps\nwere spent). Percent of searches: within (the tolerance), stated "
           "(confidence, mean), loss (that is said to be expected, mean), in95 (the long-run speed lies in "
           "the stated interval of 95 %), sure (ended "
           "by it), ece (error of\nall stated confidences), @50..@95 (right "
           "when "
           "the confidence first passes that). Out of memory: mean, most.\nMilliseconds an update: median, "
           "most.\n" +
           nameCell("", nameWidth) +
           " ramps  secs regret   p95 at 1r at 2r within stated  loss   in95   sure  ece  @50 @80 @90 @95 "
           "trials   "
           "all "
           ">1000    "
           "oom "
           "max     ms max";
}

std::string figuresRow(const std::string& name, const std::vector<SearchRecord>& records)
{
    const Searches searches = pointersTo(records);
    const bool isStated = stateConfidence(searches);
    std::string row = nameCell(name, nameWidth);
    for (const Column& column : columns) {
        row += column.isOfConfidence && !isStated
                   ? absent(column.width)
                   : cell(column.figure(searches), column.width, column.decimals);
    }
    row += " ";
    for (const double passage : {0.5, 0.8, 0.9, 0.95})
        row += cellOf(isStated ? rightAtFirstPassage(searches, passage) : std::nullopt, 4, 0);
    row +=
        cell(quantile(ofEach(searches, [](const auto& s) { return double(s.moments.size()); }), 0.5), 7, 0);
    row += cellOf(exhaustiveShare(searches, 1), 6, 1) + cellOf(exhaustiveShare(searches, manySizes), 6, 2);

    const auto failures = ofEach(searches, [](const auto& s) { return double(s.outOfMemory); });
    std::vector<double> updates;
    for (const SearchRecord& search : records)
        updates.insert(updates.end(), search.updateMilliseconds.begin(), search.updateMilliseconds.end());
    row += cell(mean(failures), 7, 3) + cell(std::ranges::max(failures), 4, 0);
    return row + cell(quantile(updates, 0.5), 7, 1) + cell(std::ranges::max(updates), 4, 0);
}

std::string intervalRows(const std::vector<SearchRecord>& records)
{
    const Searches searches = pointersTo(records);
    const bool isStated = stateConfidence(searches);
    batchpeak::search::RandomSource random(1);
    std::array<std::vector<double>, columns.size()> values;
    for (int resample = 0; resample < resamples; ++resample) {
        Searches drawn;
        for (std::size_t i = 0; i < searches.size(); ++i)
            drawn.push_back(searches[static_cast<std::size_t>(random.uniform() * double(searches.size()))]);
        for (std::size_t column = 0; column < columns.size(); ++column)
            values.at(column).push_back(columns.at(column).figure(drawn));
    }
    std::string low = nameCell("    from", nameWidth);
    std::string high = nameCell("    to", nameWidth);
    for (std::size_t place = 0; place < columns.size(); ++place) {
        const Column& column = columns.at(place);
        const bool isShown = isStated || !column.isOfConfidence;
        low += isShown ? cell(quantile(values.at(place), 0.025), column.width, column.decimals)
                       : absent(column.width);
        high += isShown ? cell(quantile(values.at(place), 0.975), column.width, column.decimals)
                        : absent(column.width);
    }
    return low + "\n" + high;
}

std::string truthLines(const std::vector<SearchRecord>& records)
{
    std::vector<double> within;
    std::vector<double> regrets;
    std::vector<double> states;
    std::vector<double> perfect;
    std::vector<double> leads;
    for (const SearchRecord& search : records) {
        if (const auto& judgment = search.judgment) {
            within.push_back(100.0 * judgment->shareWithin);
            regrets.push_back(100.0 * judgment->regret);
            states.push_back(stated(search));
            perfect.push_back(100.0 * judgment->perfectShare);
        }
        if (search.falseLead)
            leads.push_back(100.0 * *search.falseLead);
    }
    std::string text;
    if (!within.empty()) {
        text += "    by all curves that the sweeps leave possible: within" + cell(mean(within), 6, 1) +
                " %, regret" + cell(mean(regrets), 5, 2) + " %, stated" + cell(mean(states), 6, 1) +
                " %; a perfect forecaster:" + cell(mean(perfect), 6, 1) + " %\n";
    }
    if (!leads.empty()) {
        text += "    over runner-ups that are as fast, in" + cell(double(leads.size()), 5, 0) +
                " searches: a lead of" + cell(mean(leads), 5, 2) + " % claimed (p95" +
                cell(quantile(leads, 0.95), 5, 2) + " %)\n";
    }
    return text;
}
