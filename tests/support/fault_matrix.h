// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/rows.h"

#include <QMap>
#include <QString>
#include <QStringList>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

/// The fault matrix: every message of a worker, spoiled in every way, in every command.
namespace batchpeak::test {

/// A fault after which the run ends differently than after other faults.
struct Particular
{
    Text fault;
    /// Text in the log; empty if the fault does no harm that is reported.
    Text said;
    bool doesHarm = false;
};

/// A place in a run at which a worker sends a message, or is told to end, and how the run ends after faults
/// there.
struct Station
{
    /// The command, such as "explore", and the type of the message.
    Text command;
    Text message;
    /// Which of the messages are spoiled: "@size", "#number", or both.
    Text place = {};
    /// Text in the log if no message comes, or comes too late.
    Text silence = {};
    /// Numbers in the message, as JSON pointers.
    QStringList numbers = {};
    std::vector<Particular> particulars = {};
};

/// One spoiled line of a worker.
struct LineFault
{
    /// Name of the fault in fake_behavior.h.
    QString name;
    /// JSON pointer of the number that the fault spoils; empty for other faults.
    QString number;
    /// Text in the log, and whether the fault does harm that is reported.
    QString said;
    bool doesHarm = true;

    /// Whether the message does not come in time, or the answer that should follow it does not.
    bool isSilence() const
    {
        return name == QLatin1String("hang") || name == QLatin1String("late") ||
               name == QLatin1String("endless");
    }
    QString title() const { return number.isEmpty() ? name : name + QLatin1Char(' ') + number; }
    /// Returns the word for the command line of the fake worker.
    QString wordAt(const Station& station) const
    {
        const QString field = number.isEmpty() ? QString() : QLatin1Char(':') + number;
        return QStringLiteral("line=%1:%2%3%4").arg(name, station.message, field, station.place);
    }
};

namespace faults {

struct Ending
{
    const char* fault;
    const char* said;
};

// A worker that ends sends no more messages, whichever message was due.
inline constexpr Ending ends[] = {
    {"exit0", "ended with exit code 0"},       {"exit1", "ended with exit code 1"},
    {"exit42", "only a fresh process clears"}, {"signal6", "ended by signal 6"},
    {"signal9", "ended by signal 9"},          {"signal11", "ended by signal 11"},
};
inline constexpr Ending lines[] = {
    {"half", "ended with exit code 0"},
    {"end-after", "ended with exit code 0"},
    {"garbage", "does not keep to the trial protocol. The line is not JSON"},
    {"long-line", "does not keep to the trial protocol. It wrote a line of more than 1 MiB."},
};
inline constexpr Ending numbers[] = {
    {"nan", "does not keep to the trial protocol. The line is not JSON"},
    {"infinite", "does not keep to the trial protocol. The line holds a number that is too large"},
    {"negative", "does not keep to the trial protocol. The field"},
    {"huge", "does not keep to the trial protocol. The field"},
};

} // namespace faults

/// Returns all faults that can happen at a station.
inline std::vector<LineFault> faultsAt(const Station& station)
{
    std::vector<LineFault> all;
    const bool isBye = station.message == QLatin1String("bye");
    for (const auto& [name, said] : faults::ends)
        all.push_back({.name = QLatin1String(name), .said = isBye ? QString() : QLatin1String(said)});
    for (const char* name : {"hang", "late"})
        all.push_back({.name = QLatin1String(name), .said = station.silence});
    if (isBye) {
        // A worker that is told to end may end in any way.
        for (LineFault& fault : all)
            fault.doesHarm = false;
        return all;
    }
    for (const auto& [name, said] : faults::lines)
        all.push_back({.name = QLatin1String(name), .said = QLatin1String(said)});
    all.push_back({.name = QStringLiteral("whole-line"), .doesHarm = false});
    for (const QString& number : station.numbers) {
        for (const auto& [name, said] : faults::numbers)
            all.push_back({.name = QLatin1String(name), .number = number, .said = QLatin1String(said)});
    }
    for (const Particular& particular : station.particulars) {
        const auto place = std::ranges::find(all, QString(particular.fault), &LineFault::title);
        const LineFault fault{.name = particular.fault.section(QLatin1Char(' '), 0, 0),
                              .number = particular.fault.section(QLatin1Char(' '), 1),
                              .said = particular.said,
                              .doesHarm = particular.doesHarm};
        if (place == all.end())
            all.push_back(fault);
        else
            *place = fault;
    }
    return all;
}

/// Counts how many rows of a test ended as expected, for each command, message and fault.
class FaultTable
{
public:
    void add(const Station& station, const LineFault& fault, bool hasPassed)
    {
        const QString line = station.command + QLatin1Char(' ') + station.message;
        if (!m_lines.contains(line))
            m_lines.append(line);
        if (!m_faults.contains(fault.name))
            m_faults.append(fault.name);
        Count& count = m_counts[{line, fault.name}];
        ++count.all;
        count.passed += hasPassed ? 1 : 0;
    }

    /// Returns a line for each message, a column for each fault, and the total.
    QString text() const
    {
        QString text = cell({}, widest(m_lines));
        for (const QString& fault : m_faults)
            text += cell(fault, 11);
        Count all;
        for (const QString& line : m_lines) {
            text += QLatin1Char('\n') + cell(line, widest(m_lines));
            for (const QString& fault : m_faults) {
                const Count count = m_counts.value({line, fault});
                text += cell(count.all > 0 ? count.text() : QStringLiteral("-"), 11);
                all.passed += count.passed;
                all.all += count.all;
            }
        }
        return text + QLatin1String("\n%1 end as they should.").arg(all.text());
    }

private:
    struct Count
    {
        int passed = 0;
        int all = 0;
        QString text() const { return QStringLiteral("%1 of %2").arg(passed).arg(all); }
    };

    static QString cell(const QString& text, qsizetype width) { return text.leftJustified(width + 1); }
    static qsizetype widest(const QStringList& texts)
    {
        qsizetype width = 0;
        for (const QString& text : texts)
            width = std::max(width, text.size());
        return width;
    }

    QStringList m_lines;
    QStringList m_faults;
    QMap<std::pair<QString, QString>, Count> m_counts;
};

} // namespace batchpeak::test
