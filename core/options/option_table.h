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
    /// What an option concerns, in the order of the help.
    enum class Subject {
        /// Which sizes are asked about.
        Question,
        /// What runs, and on what; the same for a training run.
        Run,
        /// The samples of trials alone.
        Samples,
        /// How long the search takes, and how it proceeds.
        Search
    };

    Subject subject = Subject::Run;
};

/// Returns all options, in the order of the help.
const std::vector<ExplorationOption>& explorationOptions();
/// \param name  name of an existing option
const ExplorationOption& explorationOption(std::string_view name);

/// Returns the words after "batchpeak explore FILE" that ask for the same.
QStringList wordsFor(const ExplorationOptions& options);
/// Returns the command that explores a config in a terminal, as a shell reads it.
/// \param model  network in place of the config's; empty for none
/// \param words  as returned by wordsFor()
QString exploreCommand(const QString& path, const QString& model, const QStringList& words);
/// Returns the names of the options that ask for something else than their default.
QStringList givenNames(const ExplorationOptions& options);
/// Returns those of \p names for which both ask for the same.
QStringList sameNames(const QStringList& names, const ExplorationOptions& one,
                      const ExplorationOptions& other);
/// Returns \p options, with the options of these names taken from \p given.
ExplorationOptions overlaid(ExplorationOptions options, const ExplorationOptions& given,
                            const QStringList& names);
/// Returns what words of wordsFor() ask for; words that are not understood, such as those of a later program,
/// are ignored.
ExplorationOptions optionsFrom(const QStringList& words);

} // namespace batchpeak::engine
