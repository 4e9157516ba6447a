// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fidelity.h"

#include <algorithm>

namespace batchpeak::config {

namespace {

/// "a, b and c"
std::string enumerated(const std::vector<std::string>& phrases)
{
    std::string text;
    for (std::size_t i = 0; i < phrases.size(); ++i) {
        if (i > 0)
            text += i + 1 == phrases.size() ? " and " : ", ";
        text += phrases[i];
    }
    return text;
}

} // namespace

Fidelity fidelityOf(const ConfigContents& contents)
{
    Fidelity fidelity;
    for (const Warning& warning : contents.warnings) {
        if (!warning.approximation.empty() &&
            std::ranges::find(fidelity.reasons, warning.approximation) == fidelity.reasons.end())
            fidelity.reasons.push_back(warning.approximation);
    }
    if (!fidelity.reasons.empty())
        fidelity.kind = Fidelity::Kind::Approximate;
    return fidelity;
}

std::string toText(const Fidelity& fidelity)
{
    switch (fidelity.kind) {
    case Fidelity::Kind::AsConfigured:
        break;
    case Fidelity::Kind::Approximate:
        return "approximate because of " + enumerated(fidelity.reasons);
    case Fidelity::Kind::AnotherRun:
        return fidelity.reasons.empty() ? "another run" : "another run, with " + enumerated(fidelity.reasons);
    }
    return "measured as configured";
}

std::string_view wordOf(Fidelity::Kind kind)
{
    switch (kind) {
    case Fidelity::Kind::AsConfigured:
        break;
    case Fidelity::Kind::Approximate:
        return "approximate";
    case Fidelity::Kind::AnotherRun:
        return "another_run";
    }
    return "as_configured";
}

} // namespace batchpeak::config
