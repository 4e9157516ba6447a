// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/settings.h"
#include "syntax/words.h"

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Phrases of UnsupportedModel::reason: why a run is not measured. The same reason has the same phrase for
/// every trainer.
namespace reason {

// Networks.
inline constexpr std::string_view family = "a network family that is not run here";
inline constexpr std::string_view networkPart = "a part of a network that is not run here";
inline constexpr std::string_view otherInputs = "a network of more than texts";
inline constexpr std::string_view unknownId = "a hub id that is not known";
inline constexpr std::string_view networkElsewhere = "a network that the config does not describe";

// Trained parts of the network. The phrase of another adapter ends with its kind.
inline constexpr std::string_view otherAdapter = "an adapter of another kind ({})";
inline constexpr std::string_view adapterOnEmbeddings = "adapters on embeddings";
inline constexpr std::string_view adapterOnExperts = "adapters on experts";
inline constexpr std::string_view adapterOnOtherModules = "adapters on modules that have none here";
inline constexpr std::string_view adaptersOfSeveralKinds = "adapters of several kinds";
inline constexpr std::string_view partialTraining = "a part of a network that is trained alone";
inline constexpr std::string_view quantizedTraining = "quantized weights that are trained";
inline constexpr std::string_view namePattern = "a pattern of names that is not read";

// Runs.
inline constexpr std::string_view preferences = "preferences or rewards";
inline constexpr std::string_view secondNetwork = "a second network beside the trained one";
inline constexpr std::string_view overDevices = "a network or texts cut over devices";
inline constexpr std::string_view quantizationAware = "quantization-aware training";
inline constexpr std::string_view noTraining = "a config that trains nothing";
inline constexpr std::string_view otherRun = "a run of another kind";

} // namespace reason

/// Thrown by readers of networks if trials cannot run the network.
struct NotRun : std::exception
{
    /// Sets one of the two most common reasons if \p model has none.
    explicit NotRun(UnsupportedModel model) : why(std::move(model))
    {
        if (why.reason.empty())
            why.reason = why.isElsewhere ? reason::networkElsewhere : reason::family;
    }
    const char* what() const noexcept override { return why.sentence.c_str(); }

    /// \param phrase  phrase for UnsupportedModel::reason
    NotRun because(std::string_view phrase) &&
    {
        why.reason = phrase;
        return std::move(*this);
    }

    UnsupportedModel why;
};

/// Returns the network that \p read returns, or why it cannot be run.
template<typename Read>
Network networkOrError(const Read& read)
{
    try {
        return read();
    } catch (const NotRun& notRun) {
        return notRun.why;
    }
}

/// \param text  text in the format of sentence(), here and below
template<typename... Values>
NotRun notRun(TextPosition position, std::string_view text, const Values&... values)
{
    return NotRun({.sentence = sentence(text, values...), .position = position});
}

/// For a config whose network another file must provide.
template<typename... Values>
NotRun networkElsewhere(TextPosition position, std::string_view text, const Values&... values)
{
    return NotRun({.sentence = sentence(text, values...), .position = position, .isElsewhere = true});
}

/// Takes a network as a noun phrase.
inline constexpr std::string_view cannotBeRun =
    "Batchpeak cannot run {}. A size can still be written into this config.";

/// Refuses a run that freezes most of the network in a way that trials do not support.
/// \param what  "some layers (freeze)"
/// \param why   phrase for UnsupportedModel::reason
/// \throws NotRun always
[[noreturn]] void refusePartialTraining(TextPosition position, std::string_view what,
                                        std::string_view why = reason::partialTraining);
/// \param kind  kind of the adapter, as a config names it: "lora"
/// \throws NotRun always
[[noreturn]] void refuseAdapter(TextPosition position, std::string_view kind);

/// Refuses a run because a trial would measure another run altogether.
/// \param does  what this run does, as the end of a sentence about the config
/// \param why   phrase for UnsupportedModel::reason
/// \throws NotRun always
[[noreturn]] void refuseRun(TextPosition position, std::string_view does,
                            std::string_view why = reason::otherRun);

template<typename... Values>
void warn(std::vector<Warning>& warnings, TextPosition position, std::string_view text,
          const Values&... values)
{
    warnings.push_back({.sentence = sentence(text, values...), .position = position});
}

/// Warns of something that affects speed or memory and that trials do differently from the run.
/// \param approximation  phrase for Warning::approximation
template<typename... Values>
void warnOfApproximation(std::vector<Warning>& warnings, TextPosition position,
                         std::string_view approximation, std::string_view text, const Values&... values)
{
    warn(warnings, position, text, values...);
    warnings.back().approximation = approximation;
}

/// A feature of a run or its network that trials do not have. Each is a row in a table of a format or a kind
/// of network; the function that takes the table decides what follows from a row.
struct UnmodeledFeature
{
    enum class When {
        /// The value is on: Settings::isOn().
        On,
        /// The key has a value.
        There,
        True,
        False,
        AboveOne,
        /// The value is written, and is none of the known words.
        NoneOf
    };
    std::string_view key;
    /// A sentence or a part of one, as the function requires. {} is replaced by the key as the config writes
    /// it, and {value} by the value.
    std::string_view text;
    When when = When::On;
    /// The words that trials know, for NoneOf, separated by blanks.
    std::string_view known = {};
    /// Warning::approximation, if the row becomes a warning; empty if speed and memory equal those of the
    /// run.
    std::string_view approximation = {};
    /// The reason for refuseRun(), if the row refuses a run.
    std::string_view why = reason::otherRun;
};

/// Returns the text of the first row that applies, filled in, and the position of its value.
/// \throws ConfigError if a value is of another kind than the row requires
std::optional<Warning> firstOf(const Settings& settings, std::span<const UnmodeledFeature> differences);

/// Adds a warning for each row that applies. Each row holds a sentence; trials run anyway.
void warnOf(const Settings& settings, std::span<const UnmodeledFeature> differences,
            std::vector<Warning>& warnings);

/// Returns what a run on pairs of texts does, as refuseRun() takes it: "trains on preference pairs (DPO,
/// rl)".
std::string onPreferencePairs(std::string_view method, std::string_view key);
/// Returns the same for each method: "trains on unpaired preferences (KTO, rl)".
/// \return nothing for rewards, and if there is no method
std::optional<std::string> onPreferences(model::Preference method, std::string_view key);

/// Notes a run on preferences, which only the user's Python can run.
/// \param does  what the run does, as refuseRun() takes it
void noteRunOnPreferences(TextPosition position, std::string_view does, model::Preference preference,
                          ConfigContents& contents);

/// Does the same as the next function, but rows about preferences are noted with noteRunOnPreferences(), in
/// the words of onPreferences() if it has any.
/// \param preference  None for a kind that Python does not run either
void refuseOtherRun(const Settings& settings, std::span<const UnmodeledFeature> differences,
                    model::Preference preference, ConfigContents& contents);

/// Refuses a run by the first row that applies. Rows hold what the run does, as refuseRun() takes it.
/// \throws NotRun if a row applies
void refuseOtherRun(const Settings& settings, std::span<const UnmodeledFeature> differences);

/// Refuses a network by the first row that applies. Rows hold noun phrases for what changes the network's
/// speed or memory.
/// \throws NotRun if a row applies
void refuseOtherNetwork(const Settings& settings, std::span<const UnmodeledFeature> differences);

/// Refuses a network as refuseOtherNetwork() does for a row.
/// \throws NotRun always
[[noreturn]] void refuseNetwork(const Settings& settings, std::string_view key, const std::string& feature);

} // namespace batchpeak::config
