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
/// A word as a POSIX shell takes it (2.2 Quoting), in quotes only where it needs them.
QString shellWord(const QString& word);
/// The command that explores a config in a terminal, as a shell reads it.
/// \param model  network in place of the config's; empty for none
/// \param words  as of wordsFor()
QString exploreCommand(const QString& path, const QString& model, const QStringList& words);
/// Names of the options by which something else is asked than what is usual.
QStringList givenNames(const ExplorationOptions& options);
/// Those of \p names by which both ask for the same.
QStringList sameNames(const QStringList& names, const ExplorationOptions& one,
                      const ExplorationOptions& other);
/// \p options with the options of these names as \p given has them.
ExplorationOptions overlaid(ExplorationOptions options, const ExplorationOptions& given,
                            const QStringList& names);
/// What words of wordsFor() ask for; words that are not understood, as those of a later program, are left
/// out.
ExplorationOptions optionsFrom(const QStringList& words);

} // namespace batchpeak::engine
