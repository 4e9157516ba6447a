// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/exploration.h"
#include "support/processes.h"

#include <QRegularExpression>
#include <QTemporaryDir>

#include <algorithm>
#include <string>
#include <vector>

/// Parts of explorations and training runs on the fake worker.
namespace batchpeak::test {

/// Returns a command line of the fake worker.
///
/// \param words  words of the command line, see fake_behavior.h; "once" and "starts" get files in \p folder
inline QString fakeWorkerCommand(const QString& words, const QTemporaryDir& folder)
{
    QStringList command{QStringLiteral(BATCHPEAK_FAKE_WORKER)};
    for (const QString& word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const bool isFile = word == QLatin1String("once") || word == QLatin1String("starts");
        command.append(isFile ? word + QLatin1Char('=') + folder.filePath(word) : word);
    }
    return command.join(QLatin1Char(' '));
}

/// Returns parts with one CPU, on which the kernel kills nothing.
inline engine::ExplorationParts fakeParts()
{
    engine::ExplorationParts parts;
    parts.localDevices = [] { return device::LocalDevices{.devices = {{.kind = "cpu", .name = "Test"}}}; };
    parts.memoryKills = [] { return device::MemoryKills("/nowhere"); };
    return parts;
}

/// Replaces the devices by a GPU for each of the identifiers.
inline void setGpus(engine::ExplorationParts& parts, const std::vector<std::string>& uuids)
{
    parts.localDevices = [uuids] {
        device::LocalDevices local;
        for (const std::string& uuid : uuids)
            local.devices.push_back(
                {.kind = "cuda", .index = static_cast<int>(local.devices.size()), .uuid = uuid});
        return local;
    };
}

/// Returns the id of the process that \p text reports as stuck; 0 for none.
inline qint64 stuckProcessIn(const QString& text)
{
    static const QRegularExpression sentence(QStringLiteral("process (\\d+) is stuck"));
    return sentence.match(text).captured(1).toLongLong();
}

template<typename Snapshot>
QString logOf(const Snapshot& snapshot)
{
    QStringList lines;
    for (const engine::LogLine& line : snapshot.log)
        lines.append(line.text);
    return lines.join(QLatin1Char('\n'));
}

} // namespace batchpeak::test
