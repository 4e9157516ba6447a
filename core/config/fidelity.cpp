// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fidelity.h"

#include "approximations.h"
#include "config_document.h"

#include <algorithm>

namespace batchpeak::config {

namespace {

/// Returns "a, b and c".
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

void addOnce(std::vector<std::string>& phrases, std::string_view phrase)
{
    if (!phrase.empty() && std::ranges::find(phrases, phrase) == phrases.end())
        phrases.emplace_back(phrase);
}

} // namespace

void Fidelity::addReason(std::string_view reason)
{
    addOnce(reasons, reason);
    if (kind == Kind::AsConfigured && !reasons.empty())
        kind = Kind::Approximate;
}

void Fidelity::addReplaced(std::string_view part)
{
    addOnce(replaced, part);
    if (!replaced.empty())
        kind = Kind::AnotherRun;
}

void Fidelity::addAssumed(std::string_view data)
{
    addOnce(assumed, data);
}

void Fidelity::dropReason(std::string_view reason)
{
    std::erase(reasons, reason);
    if (kind == Kind::Approximate && reasons.empty())
        kind = Kind::AsConfigured;
}

bool Fidelity::isMemoryApproximate() const
{
    return !std::ranges::all_of(
        reasons, [](std::string_view reason) { return approximation::traitsOf(reason).isOfSpeedAlone; });
}

Fidelity::Kind Fidelity::memoryKind() const
{
    return kind == Kind::Approximate && !isMemoryApproximate() ? Kind::AsConfigured : kind;
}

bool Fidelity::hasCaveat() const
{
    return kind != Kind::AsConfigured || !assumed.empty();
}

Fidelity fidelityOf(const ConfigContents& contents)
{
    Fidelity fidelity;
    for (const Warning& warning : contents.warnings)
        fidelity.addReason(warning.approximation);
    for (const std::string& part : contents.replaced)
        fidelity.addReplaced(part);
    return fidelity;
}

namespace {

std::string ofData(const Fidelity& fidelity)
{
    return fidelity.assumed.empty() ? std::string() : ", for " + enumerated(fidelity.assumed);
}

} // namespace

std::string toText(const Fidelity& fidelity)
{
    const std::string approximate =
        fidelity.reasons.empty() ? std::string() : "approximate because of " + enumerated(fidelity.reasons);
    switch (fidelity.kind) {
    case Fidelity::Kind::AsConfigured:
        break;
    case Fidelity::Kind::Approximate:
        return (fidelity.isMemoryApproximate() ? "" : "memory as configured, speed ") + approximate +
               ofData(fidelity);
    case Fidelity::Kind::AnotherRun:
        return "another run, with " + enumerated(fidelity.replaced) +
               (approximate.empty() ? approximate : "; " + approximate) + ofData(fidelity);
    }
    return "measured as configured" + ofData(fidelity);
}

std::string nameOf(const Fidelity& fidelity)
{
    std::string name(wordOf(fidelity.kind));
    std::ranges::replace(name, '_', ' ');
    if (fidelity.kind == Fidelity::Kind::Approximate && !fidelity.isMemoryApproximate())
        return "speed " + name;
    const bool isConditional = fidelity.kind == Fidelity::Kind::AsConfigured && !fidelity.assumed.empty();
    return isConditional ? name + ", assumed data" : name;
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
