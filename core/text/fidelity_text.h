// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/fidelity.h"

#include <QString>

namespace batchpeak::engine {

/// The one label that every number has, in the words that stand beside numbers.

/// Returns the words after "measured": "as configured", "approximate because of ...", "another run, with
/// ...".
QString fidelityText(const config::Fidelity& fidelity);
/// Returns the same as a sentence: "Measured as configured.", "Approximate because of ...".
QString fidelitySentence(const config::Fidelity& fidelity);
/// "as configured", "as configured, assumed data", "approximate", "speed approximate", "another run"
QString fidelityName(const config::Fidelity& fidelity);

/// Returns the mark before a speed or an energy: "~" if it is approximate, "*" if it is exact but of another
/// run; empty if it is the config's own.
QString speedMark(const config::Fidelity& fidelity);
/// Returns the mark before a measured peak of memory, which is exact if all reasons concern speed alone.
QString memoryMark(const config::Fidelity& fidelity);
/// Returns what the marks mean: "~ approximate", "~ speed approximate", "~ approximate, of another run";
/// empty without a mark.
QString markLegend(const config::Fidelity& fidelity);

} // namespace batchpeak::engine
