// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/readable_text.h"
#include "engine/snapshot.h"
#include "theme/glyphs.h"
#include "theme/theme.h"

#include <QString>

#include <array>

namespace batchpeak::ui {

/// One trial as the table shows it: every state and every flag as a sign and a word, so that colour is
/// never the only one to tell.
struct TrialRow
{
    enum Column { Number, Size, Result, Rate, Memory, Took, Device, ColumnCount };

    std::array<QString, ColumnCount> texts;
    Glyph glyph = Glyph::Check;
    Tone tone = Tone::Muted;
    /// The trial behind the recommendation.
    bool best = false;
    QString toolTip;

    bool operator==(const TrialRow&) const = default;
};

/// \param best         it is the newest sound trial of the recommended size
/// \param recommended  that recommendation is not merely "leading"
TrialRow trialRowOf(const engine::TrialSnapshot& trial, bool best, bool recommended,
                    const engine::MemoryUnit& unit);

} // namespace batchpeak::ui
