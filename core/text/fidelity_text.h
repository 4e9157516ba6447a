// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/fidelity.h"

#include <QString>

namespace batchpeak::engine {

/// The one label of every number, in the words that stand beside numbers.

/// Behind "measured": "as configured", "approximate because of ...", "another run, with ...".
QString fidelityText(const config::Fidelity& fidelity);
/// The same as a sentence: "Measured as configured.", "Approximate because of ...".
QString fidelitySentence(const config::Fidelity& fidelity);
/// "as configured", "as configured, assumed data", "approximate", "speed approximate", "another run"
QString fidelityName(const config::Fidelity& fidelity);

/// What stands before a speed or an energy: "~" where it is approximate, "*" where it is exact, but that of
/// another run; nothing where it is the config's own.
QString speedMark(const config::Fidelity& fidelity);
/// The same before a measured peak of memory, which is exact where all reasons are of speed alone.
QString memoryMark(const config::Fidelity& fidelity);
/// What they mean: "~ approximate", "~ speed approximate", "~ approximate, of another run"; empty without a
/// mark.
QString markLegend(const config::Fidelity& fidelity);

} // namespace batchpeak::engine
