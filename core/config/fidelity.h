// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

struct ConfigContents;

/// How closely the trials match the run that a config describes: the one label of every number.
///
/// It combines what was found when the config was read (Warning::approximation), what a person has replaced
/// in the config (ConfigContents::replaced, and options), and what a worker reports about itself. It does not
/// judge noise: a number may be as configured and uncertain.
struct Fidelity
{
    enum class Kind {
        /// The trained parameters, the arithmetic and the memory are those of the run.
        AsConfigured,
        /// Trials do something differently from the run.
        Approximate,
        /// Trials measure another run than the config describes, because a person asked for it. It may be
        /// approximate too.
        AnotherRun
    };
    Kind kind = Kind::AsConfigured;
    /// What trials do differently: short noun phrases, each once, in the order in which they were found.
    std::vector<std::string> reasons;
    /// What a person has replaced, in the same form.
    std::vector<std::string> replaced;
    /// What the run leaves to its data, so that trials had to choose it: "samples of 2048 tokens". A number
    /// is correct for data of this kind, so assumptions do not change the kind; but they are shown wherever
    /// the label is.
    std::vector<std::string> assumed;

    void addReason(std::string_view reason);
    void addReplaced(std::string_view part);
    void addAssumed(std::string_view data);
    /// Removes a reason that was found in the config and does not apply to the requested run.
    void dropReason(std::string_view reason);
    /// Whether any reason affects memory, not only speed.
    bool isMemoryApproximate() const;
    /// Kind of a memory peak: as configured if all reasons affect only speed, and nothing is replaced.
    Kind memoryKind() const;
    /// Whether a number differs from the config in any way: by its kind, or because data were assumed.
    bool hasCaveat() const;
    bool operator==(const Fidelity&) const = default;
};

/// Returns the fidelity of the config as it is, including what a person has replaced in it.
Fidelity fidelityOf(const ConfigContents& contents);

/// Returns the full label: "measured as configured", "approximate because of packed samples and an optimizer
/// that is not run here", "memory as configured, speed approximate because of another kernel for 4-bit
/// weights", "another run, with another network", "another run, with another precision; approximate because
/// of packed samples". Each may end in ", for samples of 2048 tokens".
std::string toText(const Fidelity& fidelity);
/// Returns a short label: "as configured", "approximate", "speed approximate", "another run". If trials have
/// assumed data, the first becomes "as configured, assumed data", since nothing else would show it there.
std::string nameOf(const Fidelity& fidelity);
/// Returns the word for a kind in files: "as_configured", "approximate", "another_run".
std::string_view wordOf(Fidelity::Kind kind);

} // namespace batchpeak::config
