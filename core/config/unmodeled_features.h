// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "refusal_reasons.h"
#include "syntax/settings.h"
#include "syntax/words.h"

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Thrown by readers of networks where they find one that trials cannot run.
struct NotRun : std::exception
{
    /// Without a reason, it is one of the two that most have.
    explicit NotRun(UnsupportedModel model) : why(std::move(model))
    {
        if (why.reason.empty())
            why.reason = why.isElsewhere ? reason::networkElsewhere : reason::family;
    }
    const char* what() const noexcept override { return why.sentence.c_str(); }

    /// \param phrase  of reason
    NotRun because(std::string_view phrase) &&
    {
        why.reason = phrase;
        return std::move(*this);
    }

    UnsupportedModel why;
};

/// The network that \p read returns, or why it cannot be run.
template<typename Read>
Network networkOrError(const Read& read)
{
    try {
        return read();
    } catch (const NotRun& notRun) {
        return notRun.why;
    }
}

/// \param text  as sentence() takes it, here and below
template<typename... Values>
NotRun notRun(TextPosition position, std::string_view text, const Values&... values)
{
    return NotRun({.sentence = sentence(text, values...), .position = position});
}

/// Of a config whose network is to come from another file.
template<typename... Values>
NotRun networkElsewhere(TextPosition position, std::string_view text, const Values&... values)
{
    return NotRun({.sentence = sentence(text, values...), .position = position, .isElsewhere = true});
}

/// Of a network, as a noun phrase.
inline constexpr std::string_view cannotBeRun =
    "Batchpeak cannot run {}. A size can still be written into this config.";

/// Of a run that leaves most of the network as it is, in a way that trials do not have.
/// \param what  "some layers (freeze)"
/// \param why  of reason
/// \throws NotRun
[[noreturn]] void refusePartialTraining(TextPosition position, std::string_view what,
                                        std::string_view why = reason::partialTraining);
/// \param kind  of the adapter, as a config names it: "lora"
/// \throws NotRun
[[noreturn]] void refuseAdapter(TextPosition position, std::string_view kind);

/// A trial would measure another run altogether.
/// \param does  what this one does, as the end of a sentence on the config
/// \param why  of reason
/// \throws NotRun
[[noreturn]] void refuseRun(TextPosition position, std::string_view does,
                            std::string_view why = reason::otherRun);

template<typename... Values>
void warn(std::vector<Warning>& warnings, TextPosition position, std::string_view text,
          const Values&... values)
{
    warnings.push_back({.sentence = sentence(text, values...), .position = position});
}

/// The same of something that decides speed or memory and that trials have otherwise than the run.
/// \param approximation  what it is, as Warning has it
template<typename... Values>
void warnOfApproximation(std::vector<Warning>& warnings, TextPosition position,
                         std::string_view approximation, std::string_view text, const Values&... values)
{
    warn(warnings, position, text, values...);
    warnings.back().approximation = approximation;
}

/// Something that a run or its network has and trials do not have: a row of a table that a format or a kind
/// of network keeps. What follows from it is for the function that is given the table.
struct UnmodeledFeature
{
    enum class When {
        /// The value is switched on: Settings::isOn().
        On,
        /// There is a value.
        There,
        True,
        False,
        AboveOne,
        /// The value is written, and none of those that trials know.
        NoneOf
    };
    std::string_view key;
    /// A sentence or a part of one, as the function wants it. In it, {} stands for the key as the config has
    /// it, and {value} for the value.
    std::string_view text;
    When when = When::On;
    /// The words that trials know, for NoneOf, with blanks between.
    std::string_view known = {};
    /// Of a row that becomes a warning, as Warning has it: empty where speed and memory are the run's.
    std::string_view approximation = {};
    /// Of a row that refuses a run, as refuseRun() takes it.
    std::string_view why = reason::otherRun;
};

/// The text of the first row that applies, filled in, and where its value stands.
/// \throws ConfigError where a value is of another kind than the row asks for
std::optional<Warning> firstOf(const Settings& settings, std::span<const UnmodeledFeature> differences);

/// Rows hold sentences, and each that applies becomes a warning: trials run all the same.
void warnOf(const Settings& settings, std::span<const UnmodeledFeature> differences,
            std::vector<Warning>& warnings);

/// What a run does that learns from pairs of texts, as refuseRun() takes it: "trains on preference pairs
/// (DPO, rl)".
std::string onPreferencePairs(std::string_view method, std::string_view key);
/// The same of each method: "trains on unpaired preferences (KTO, rl)".
/// \return nothing of rewards, and where there is no method
std::optional<std::string> onPreferences(model::Preference method, std::string_view key);

/// A run on preferences, which the user's Python alone can run.
/// \param does  as of refuseRun()
void noteRunOnPreferences(TextPosition position, std::string_view does, model::Preference preference,
                          ConfigContents& contents);

/// The same as below, but that rows of preferences are noted so, in the words of onPreferences() where it has
/// any.
/// \param preference  None for a kind that Python does not run either
void refuseOtherRun(const Settings& settings, std::span<const UnmodeledFeature> differences,
                    model::Preference preference, ConfigContents& contents);

/// Rows hold what the run does, as refuseRun() takes it.
/// \throws NotRun
void refuseOtherRun(const Settings& settings, std::span<const UnmodeledFeature> differences);

/// Rows hold noun phrases of what the network uses that changes its speed or memory.
/// \throws NotRun
void refuseOtherNetwork(const Settings& settings, std::span<const UnmodeledFeature> differences);

/// As refuseOtherNetwork() does for a row.
/// \throws NotRun
[[noreturn]] void refuseNetwork(const Settings& settings, std::string_view key, const std::string& feature);

} // namespace batchpeak::config
