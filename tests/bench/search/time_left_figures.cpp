// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "time_left_figures.h"

#include "statistics.h"
#include "table_text.h"

#include <algorithm>
#include <array>
#include <cmath>

using batchpeak::search::Estimate;

namespace {

constexpr std::size_t nameWidth = 34;
constexpr double aThird = 1.0 / 3.0;
constexpr std::array otherShares{0.2, 0.5, 0.67};
constexpr std::array afterTrials{6, 12};
/// Far from the seeds of the searches.
constexpr std::uint64_t continuationSeedStep = 122949823;

/// Returns the latest trial that had ended by then, except the last one of the search; null if there is none.
const SearchRecord::Moment* latestAt(const SearchRecord& record, double seconds)
{
    const SearchRecord::Moment* latest = nullptr;
    for (const SearchRecord::Moment& moment : record.moments) {
        if (moment.seconds <= seconds && &moment != &record.last())
            latest = &moment;
    }
    return latest;
}

TimeLeft timeLeft(const SearchRecord& record, const SearchRecord::Moment& moment, double now)
{
    const double since = now - moment.seconds;
    const auto devices = static_cast<double>(record.task.devices);
    const auto left = [&](double seconds) { return std::max(seconds / devices - since, 0.0); };
    const Estimate& said = *moment.forecast->seconds;
    return {.elapsed = now,
            .left = record.last().seconds - now,
            .said = {.likely = left(said.likely), .low = left(said.low), .high = left(said.high)}};
}

struct Errors
{
    std::vector<double> ofLeft;
    std::vector<double> ofWhole;
    std::vector<double> inBand;
    std::vector<double> width;
    std::vector<double> saidOverLeft;

    void add(const std::optional<TimeLeft>& told)
    {
        if (!told)
            return;
        ofLeft.push_back(100.0 * told->error());
        ofWhole.push_back(100.0 * told->errorOfWhole());
        inBand.push_back(told->isInBand() ? 100.0 : 0.0);
        width.push_back(told->said.high / std::max(told->said.low, 1e-3));
        saidOverLeft.push_back(told->said.likely / std::max(told->left, 1e-3));
    }
};

std::string quantileCell(const std::vector<double>& values, double share, int width, int decimals)
{
    return values.empty() ? std::string(static_cast<std::size_t>(width) - 1, ' ') + "-"
                          : cell(quantile(values, share), width, decimals);
}

std::string medianCell(const std::vector<double>& values, int width, int decimals)
{
    return quantileCell(values, 0.5, width, decimals);
}

std::string worstTenthCell(const std::vector<double>& values)
{
    return quantileCell(values, 0.9, 6, 1);
}

} // namespace

double TimeLeft::error() const
{
    return std::abs(said.likely - left) / left;
}

double TimeLeft::errorOfWhole() const
{
    return std::abs(said.likely - left) / (elapsed + left);
}

std::optional<TimeLeft> timeLeftAt(const SearchRecord& record, double share)
{
    if (record.moments.empty())
        return std::nullopt;
    const double now = share * record.last().seconds;
    const SearchRecord::Moment* moment = latestAt(record, now);
    return moment && moment->forecast && moment->forecast->seconds
               ? std::optional(timeLeft(record, *moment, now))
               : std::nullopt;
}

std::optional<TimeLeft> timeLeftAfter(const SearchRecord& record, int trials)
{
    if (static_cast<int>(record.moments.size()) <= trials)
        return std::nullopt;
    const SearchRecord::Moment& moment = record.moments[static_cast<std::size_t>(trials) - 1];
    return moment.forecast && moment.forecast->seconds
               ? std::optional(timeLeft(record, moment, moment.seconds))
               : std::nullopt;
}

std::vector<double> continuedSeconds(const SearchRecord& record, int continuations)
{
    const SearchRecord::Moment* moment = latestAt(record, aThird * record.last().seconds);
    if (!moment || !moment->forecast)
        return {};
    SearchTask task = record.task;
    task.trialsOfSeed = static_cast<int>(moment - record.moments.data()) + 1;
    std::vector<SearchTask> tasks;
    for (int continuation = 0; continuation < continuations; ++continuation) {
        task.otherSeed = task.seed + continuationSeedStep * static_cast<std::uint64_t>(continuation + 1);
        tasks.push_back(task);
    }
    std::vector<double> seconds;
    for (const SearchRecord& continued : runSearches(tasks))
        seconds.push_back(continued.last().seconds - moment->seconds);
    return seconds;
}

std::vector<double> errorsOfMedian(const std::vector<double>& seconds)
{
    const double median = quantile(seconds, 0.5);
    std::vector<double> errors;
    for (const double left : seconds)
        errors.push_back(std::abs(left - median) / left);
    return errors;
}

std::string timeLeftHeading()
{
    return "After a third of each search's own duration: median error of the time left in % of it (left), "
           "the same of a forecaster who\n"
           "says the median of how the search would go on from there by other chance (floor), median error "
           "in % of the whole search\n"
           "(whole), % of searches whose time left was in the band (in band; 80 would be right), how many "
           "times its lower end the upper\n"
           "one is (width), and how many times the time left is told, in the worst tenth (told). Left, at "
           "other shares; left, in band and\n"
           "told, right after 6 and 12 trials.\n" +
           nameCell("", nameWidth) +
           "    n |  left floor whole  in band width  told |  20 %  50 %  67 % | 6 tr. in band  told "
           "| 12 tr. in band  told";
}

std::string timeLeftRow(const std::string& name, std::span<const SearchRecord> searches,
                        const std::vector<double>& floor)
{
    Errors third;
    std::array<Errors, otherShares.size()> others;
    std::array<Errors, afterTrials.size()> after;
    for (const SearchRecord& search : searches) {
        third.add(timeLeftAt(search, aThird));
        for (std::size_t share = 0; share < otherShares.size(); ++share)
            others.at(share).add(timeLeftAt(search, otherShares.at(share)));
        for (std::size_t place = 0; place < afterTrials.size(); ++place)
            after.at(place).add(timeLeftAfter(search, afterTrials.at(place)));
    }
    std::vector<double> floorPercent;
    for (const double error : floor)
        floorPercent.push_back(100.0 * error);
    std::string row = nameCell(name, nameWidth) + cell(static_cast<double>(third.ofLeft.size()), 5, 0) +
                      " |" + medianCell(third.ofLeft, 6, 0) + medianCell(floorPercent, 6, 0) +
                      medianCell(third.ofWhole, 6, 0) + cell(mean(third.inBand), 9, 0) +
                      medianCell(third.width, 6, 1) + worstTenthCell(third.saidOverLeft) + " |";
    for (const Errors& errors : others)
        row += medianCell(errors.ofLeft, 6, 0);
    for (std::size_t place = 0; place < after.size(); ++place)
        row += " |" + medianCell(after.at(place).ofLeft, place == 0 ? 6 : 7, 0) +
               cell(mean(after.at(place).inBand), 8, 0) + worstTenthCell(after.at(place).saidOverLeft);
    return row;
}
