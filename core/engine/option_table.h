// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_options.h"

#include <QStringList>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::engine {

/// One thing that a person may ask of an exploration: its name and its words, and how it is read from a text
/// and written as one. The command line and the window have their options from here, so that both have all
/// of them and take the same texts.
///
/// What a value means to a config is not checked here: planExploration() does that.
struct ExplorationOption
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

    /// As it is typed: "--tolerance".
    std::string name;
    /// What stands for its value in the help: "PERCENT", or the words that there are, "train|eval"; empty
    /// where it is on or off.
    std::string values;
    /// A line of the help, without the usual value.
    std::string help;
    Subject subject = Subject::Run;
    /// It can be given several times.
    bool isRepeated = false;
    /// Reads a value into the options; "on" or "off" where there are no values.
    /// \throws UsageError
    std::function<void(ExplorationOptions&, const std::string&)> take;
    /// What take() would have to be given for the options as they are; nothing where they say nothing.
    std::function<std::vector<std::string>(const ExplorationOptions&)> texts;

    /// Puts it back to what is usual.
    std::function<void(ExplorationOptions&)> clear;

    bool isSwitch() const { return values.empty(); }
    /// The options hold something else than what is usual.
    bool isGiven(const ExplorationOptions& options) const;
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
