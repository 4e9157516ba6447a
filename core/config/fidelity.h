// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

struct ConfigContents;

/// How near what trials measure is to the run that a config describes: the one label of every number.
///
/// It is made of what reading the config has found (Warning::approximation), of what a person has put in the
/// place of the config's own (ConfigContents::replaced, and options), and of what a worker says of itself. It
/// does not judge noise: a number may be as configured and unsure.
struct Fidelity
{
    enum class Kind {
        /// What is trained, its arithmetic and its memory are the run's.
        AsConfigured,
        /// The run has something that trials have otherwise.
        Approximate,
        /// Not the run that the config describes: a person asked for other parts of it. It may be approximate
        /// too.
        AnotherRun
    };
    Kind kind = Kind::AsConfigured;
    /// What trials have otherwise: short noun phrases, each once, in the order in which they were found.
    std::vector<std::string> reasons;
    /// What a person has replaced, in the same way.
    std::vector<std::string> replaced;
    /// What the run leaves to its data, and trials had to choose: "samples of 2048 tokens". A number is true
    /// of data like that, so it makes no other kind; but it is told wherever the label is.
    std::vector<std::string> assumed;

    void addReason(std::string_view reason);
    void addReplaced(std::string_view part);
    void addAssumed(std::string_view data);
    /// Of what was found of the config and does not hold for the run that is asked for.
    void dropReason(std::string_view reason);
    /// A reason touches memory too, and not speed alone.
    bool isMemoryApproximate() const;
    /// Of a peak of memory: as configured where reasons are of speed alone, and nothing is replaced.
    Kind memoryKind() const;
    /// Something stands between a number and the config: its kind, or data that were assumed.
    bool hasCaveat() const;
    bool operator==(const Fidelity&) const = default;
};

/// Of the config as it is, and with what has taken the place of its own.
Fidelity fidelityOf(const ConfigContents& contents);

/// "measured as configured", "approximate because of packed samples and an optimizer that is not run here",
/// "memory as configured, speed approximate because of another kernel for 4-bit weights", "another run, with
/// another network", "another run, with another precision; approximate because of packed samples"; each may
/// end in ", for samples of 2048 tokens".
std::string toText(const Fidelity& fidelity);
/// In a few words: "as configured", "approximate", "speed approximate", "another run"; of the first "as
/// configured, assumed data" where trials have assumed some, since nothing else would tell that beside it.
std::string nameOf(const Fidelity& fidelity);
/// The word of its kind in files: "as_configured", "approximate", "another_run".
std::string_view wordOf(Fidelity::Kind kind);

} // namespace batchpeak::config
