// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_options.h"
#include "option.h"

#include <QStringList>

#include <string_view>
#include <vector>

namespace batchpeak::engine {

/// An option of an exploration.
struct ExplorationOption : Option<ExplorationOptions>
{
    /// What it concerns, in the order of the help.
    enum class Subject {
        /// Which sizes are asked about.
        Question,
        /// What runs, and on what: the same for a training run.
        Run,
        /// Of the samples of trials alone.
        Samples,
        /// How long, and by which way.
        Search
    };

    Subject subject = Subject::Run;
};

/// In the order of the help.
const std::vector<ExplorationOption>& explorationOptions();
/// \param name  of one that there is
const ExplorationOption& explorationOption(std::string_view name);

/// The words behind "batchpeak explore FILE" that ask for the same.
QStringList wordsFor(const ExplorationOptions& options);
/// \p options with all that \p given asks for in its place.
ExplorationOptions overlaid(ExplorationOptions options, const ExplorationOptions& given);
/// What words of wordsFor() ask for; words that are not understood, as those of a later program, are left
/// out.
ExplorationOptions optionsFrom(const QStringList& words);

} // namespace batchpeak::engine
