// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"

#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// How near what trials measure is to the run that a config describes: the one label of every number.
///
/// It is made of what reading the config has found (Warning::approximation), and of what a person has
/// replaced. It does not judge noise: a number may be as configured and unsure.
struct Fidelity
{
    enum class Kind {
        /// What is trained, its arithmetic and its memory are the run's.
        AsConfigured,
        /// The run has something that trials have otherwise.
        Approximate,
        /// Not the run that the config describes: a person asked for other parts of it.
        AnotherRun
    };
    Kind kind = Kind::AsConfigured;
    /// Short noun phrases, each once, in the order in which they were found: of an approximation what
    /// differs, of another run what was replaced.
    std::vector<std::string> reasons;

    bool operator==(const Fidelity&) const = default;
};

/// Of the config as it is.
Fidelity fidelityOf(const ConfigContents& contents);

/// "measured as configured", "approximate because of packed samples and an optimizer that is not run here",
/// "another run, with another network".
std::string toText(const Fidelity& fidelity);
/// The word of its kind in files: "as_configured", "approximate", "another_run".
std::string_view wordOf(Fidelity::Kind kind);

} // namespace batchpeak::config
