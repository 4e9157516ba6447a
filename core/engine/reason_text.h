// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

#include <optional>

namespace batchpeak::engine {

/// Why the recommended size is the best so far, and what comes next: one or two plain sentences made of
/// the search's own numbers. Empty without a recommendation.
/// \param finish  how the exploration ended: also one that was stopped in the middle of its search has
///                no next size
QString reasonText(const search::SearchState& searchState, const QLocale& locale = QLocale(),
                   std::optional<FinishStatus> finish = {});

} // namespace batchpeak::engine
