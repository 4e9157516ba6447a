// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "events_file.h"

#include "usage_error.h"

#include <QFile>

namespace batchpeak::cli {

void openEvents(QFile& events, const std::string& target)
{
    const bool opened =
        target == "-" ? events.open(stdout, QIODevice::WriteOnly) : events.open(QIODevice::WriteOnly);
    if (!opened) {
        throw UsageError(QStringLiteral("%1 cannot be written: %2. Name another file for the events.")
                             .arg(events.fileName(), events.errorString())
                             .toStdString());
    }
}

void checkEvents(const QString& problem)
{
    if (!problem.isEmpty())
        throw UsageError(
            QStringLiteral("the events could not all be written: %1.").arg(problem).toStdString());
}

} // namespace batchpeak::cli
