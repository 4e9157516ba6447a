// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>

class QFile;

namespace batchpeak::cli {

/// Where --events writes.

/// \param target  "-" for stdout
/// \throws UsageError with the system's reason
void openEvents(QFile& events, const std::string& target);

/// \param problem  why lines are missing, as the system says it; empty where none is
/// \throws UsageError  that says so
void checkEvents(const QString& problem);

} // namespace batchpeak::cli
