// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

#include <QLocale>
#include <QString>

namespace batchpeak::engine {

/// Why the recommended size is the best so far, and what comes next: one or two plain sentences made of
/// the search's own numbers. Empty without a recommendation.
QString reasonText(const search::Outlook& outlook, const QLocale& locale = QLocale());

} // namespace batchpeak::engine
