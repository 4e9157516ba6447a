// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "survey_table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace {

/// Number of files of one repository, or of all, by outcome.
struct Counts
{
    int files = 0;
    int recognized = 0;
    int exact = 0;
    int approximate = 0;

    int explorable() const { return exact + approximate; }
    int refused() const { return recognized - explorable(); }

    void add(const SurveyedFile& file, RoadOf roadOf)
    {
        ++files;
        if (!file.isRecognized())
            return;
        ++recognized;
        const SurveyedRoad& road = roadOf(file);
        exact += road.isExact() ? 1 : 0;
        approximate += road.isOpen() && !road.isExact() ? 1 : 0;
    }
};

/// Returns "12 (34 %)": a count and its share of the recognized files.
std::string shareText(int count, const Counts& counts)
{
    const double share = counts.recognized > 0 ? 100.0 * count / counts.recognized : 0.0;
    return std::to_string(count) + " (" + std::to_string(std::lround(share)) + " %)";
}

using Row = std::vector<std::string>;

std::string padded(const std::string& text, std::size_t width, bool isLeft)
{
    const std::string blanks(width - text.size(), ' ');
    return isLeft ? text + blanks : blanks + text;
}

/// Returns a Markdown table. The first row is the header; the first column is left-aligned, the others are
/// right-aligned.
std::string tableText(const std::vector<Row>& rows)
{
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], row[column].size());
    }
    std::string text;
    for (const Row& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column)
            text += "| " + padded(row[column], widths[column], column == 0) + " ";
        text += "|\n";
        for (std::size_t column = 0; &row == &rows.front() && column < row.size(); ++column) {
            const std::string dashes(widths[column] + 1, '-');
            text += column == 0 ? "|" + dashes + "-" : "|" + dashes + ":";
        }
        text += &row == &rows.front() ? "|\n" : "";
    }
    return text;
}

Row countsRow(const std::string& name, const Counts& counts)
{
    return {name,
            std::to_string(counts.files),
            std::to_string(counts.recognized),
            shareText(counts.exact, counts),
            shareText(counts.approximate, counts),
            shareText(counts.refused(), counts),
            shareText(counts.explorable(), counts)};
}

std::string repositoriesTable(const std::vector<SurveyedFile>& files, RoadOf roadOf)
{
    std::map<QString, Counts> repositories;
    Counts all;
    for (const SurveyedFile& file : files) {
        repositories[file.repository].add(file, roadOf);
        all.add(file, roadOf);
    }
    std::vector<Row> rows{
        {"repository", "files", "recognized", "as configured", "approximate", "refused", "explorable"}};
    for (const auto& [name, counts] : repositories)
        rows.push_back(countsRow(name.toStdString(), counts));
    rows.push_back(countsRow("all", all));
    return tableText(rows);
}

using Reasons = std::map<std::string, int>;

/// Returns a table of reasons, the most frequent first.
std::string reasonsTable(const std::string& title, const Reasons& reasons)
{
    if (reasons.empty())
        return {};
    std::vector<std::pair<std::string, int>> sorted(reasons.begin(), reasons.end());
    std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, int>::second);
    std::vector<Row> rows{{title, "configs"}};
    for (const auto& [reason, count] : sorted)
        rows.push_back({reason, std::to_string(count)});
    return "\n" + tableText(rows);
}

} // namespace

const SurveyedRoad& roadOfWorker(const SurveyedFile& file)
{
    return file.worker;
}

const SurveyedRoad& roadOfPython(const SurveyedFile& file)
{
    return file.python.value();
}

const SurveyedRoad& roadOfEither(const SurveyedFile& file)
{
    return file.either();
}

std::string surveyText(const std::vector<SurveyedFile>& files, RoadOf roadOf)
{
    Reasons approximations;
    Reasons assumptions;
    Reasons refusals;
    int unreadable = 0;
    for (const SurveyedFile& file : files) {
        if (!file.isRecognized()) {
            ++unreadable;
            continue;
        }
        const SurveyedRoad& road = roadOf(file);
        if (!road.isOpen()) {
            ++refusals[road.refusal];
            continue;
        }
        for (const std::string& reason : road.fidelity.reasons)
            ++approximations[reason];
        for (const std::string& data : road.fidelity.assumed)
            ++assumptions[data];
    }
    std::string text = repositoriesTable(files, roadOf) +
                       reasonsTable("approximate because of", approximations) +
                       reasonsTable("the data decide, trials take", assumptions) +
                       reasonsTable("refused because of", refusals);
    if (unreadable > 0)
        text += "\n" + std::to_string(unreadable) + " of " + std::to_string(files.size()) +
                " files are no config that is recognized.\n";
    return text;
}

std::string filesText(const std::vector<SurveyedFile>& files, RoadOf roadOf)
{
    std::string text;
    for (const SurveyedFile& file : files) {
        std::string verdict;
        if (!file.isRecognized())
            verdict = "not recognized: " + file.unreadable.toStdString();
        else if (const SurveyedRoad& road = roadOf(file); !road.isOpen())
            verdict = "refused: " + road.refusal + ": " + road.sentence.toStdString();
        else
            verdict = batchpeak::config::toText(road.fidelity);
        text += file.path.toStdString() + "\t" + verdict + "\n";
    }
    return text;
}
