// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_figures.h"

#include "table_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

using batchpeak::search::Outlook;

namespace {

double mean(std::span<const double> values)
{
    double sum = 0.0;
    for (const double value : values)
        sum += value;
    return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double share)
{
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(std::round(share * static_cast<double>(values.size() - 1)))];
}

std::vector<double> ofEach(const std::vector<SearchRecord>& searches,
                           const std::function<double(const SearchRecord&)>& figure)
{
    std::vector<double> values;
    std::ranges::transform(searches, std::back_inserter(values), figure);
    return values;
}

/// Regret of what was recommended when this much was spent; of the last word where the search ended before.
double regretAt(const SearchRecord& search, double ramps)
{
    double regret = search.moments.front().regret;
    for (const SearchRecord::Moment& report : search.moments) {
        if (report.ramps <= ramps)
            regret = report.regret;
    }
    return regret;
}

/// Mean over ten bins of |stated - right|, weighted by the reports in them.
double expectedCalibrationError(const std::vector<SearchRecord>& searches)
{
    std::array<double, 10> excess{};
    double reports = 0.0;
    for (const SearchRecord& search : searches) {
        for (const SearchRecord::Moment& report : search.moments) {
            excess.at(std::min<std::size_t>(static_cast<std::size_t>(report.stated * 10.0), 9)) +=
                report.stated - (search.isRight(report) ? 1.0 : 0.0);
            reports += 1.0;
        }
    }
    double error = 0.0;
    for (const double value : excess)
        error += std::abs(value);
    return error / reports;
}

/// Share of the searches that were right when they first stated at least this; nothing where none did.
std::optional<double> rightAtFirstPassage(const std::vector<SearchRecord>& searches, double stated)
{
    std::vector<double> right;
    for (const SearchRecord& search : searches) {
        const auto first =
            std::ranges::find_if(search.moments, [=](const auto& report) { return report.stated >= stated; });
        if (first != search.moments.end())
            right.push_back(search.isRight(*first) ? 1.0 : 0.0);
    }
    return right.empty() ? std::nullopt : std::optional(mean(right));
}

} // namespace

std::string figuresHeading()
{
    return "                         trials ramps exhst regret   p95  at 1  at 2 within stated confid   ece  "
           "p50 p80 p90 p95    oom max     ms  max";
}

std::string figuresRow(const std::string& name, const std::vector<SearchRecord>& searches)
{
    const auto regrets = ofEach(searches, [](const auto& s) { return 100.0 * s.last().regret; });
    const auto failures = ofEach(searches, [](const auto& s) { return double(s.outOfMemory); });
    std::vector<double> updates;
    for (const SearchRecord& search : searches)
        updates.insert(updates.end(), search.updateMilliseconds.begin(), search.updateMilliseconds.end());

    std::string row = nameCell(name, 24);
    row +=
        cell(quantile(ofEach(searches, [](const auto& s) { return double(s.moments.size()); }), 0.5), 7, 0);
    row += cell(quantile(ofEach(searches, [](const auto& s) { return s.last().ramps; }), 0.5), 6, 2);
    row +=
        cell(100.0 * quantile(ofEach(searches, [](const auto& s) { return s.exhaustiveShare; }), 0.5), 6, 1);
    row += cell(mean(regrets), 7, 2) + cell(quantile(regrets, 0.95), 6, 2);
    for (const double ramps : {1.0, 2.0})
        row += cell(100.0 * mean(ofEach(searches, [=](const auto& s) { return regretAt(s, ramps); })), 6, 2);
    row += cell(100.0 * mean(ofEach(searches, [](const auto& s) { return s.isRight(s.last()) ? 1.0 : 0.0; })),
                7, 1);
    row += cell(100.0 * mean(ofEach(searches, [](const auto& s) { return s.last().stated; })), 7, 1);
    row += cell(100.0 * mean(ofEach(searches,
                                    [](const auto& s) {
                                        return s.outlook.status == Outlook::Status::Confident ? 1.0 : 0.0;
                                    })),
                7, 0);
    row += cell(100.0 * expectedCalibrationError(searches), 6, 1) + " ";
    for (const double stated : {0.5, 0.8, 0.9, 0.95}) {
        const auto right = rightAtFirstPassage(searches, stated);
        row += right ? cell(100.0 * *right, 4, 0) : std::string("   -");
    }
    row += cell(mean(failures), 7, 3) + cell(std::ranges::max(failures), 4, 0);
    row += cell(quantile(updates, 0.5), 7, 1) + cell(std::ranges::max(updates), 5, 0);
    return row;
}
