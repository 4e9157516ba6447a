// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "entry_change.h"
#include "shell_script.h"

#include <string>
#include <string_view>

namespace batchpeak::config {

/// The script with another value of an argument: the one word changes that the value comes from, be it that
/// of the argument, of an assignment, or a default. Where it is that value already, nothing changes. An
/// absent argument is inserted beside another one, in a line of its own where the other has one.
///
/// \param name    "--micro-batch-size"
/// \param beside  nothing is inserted without it
/// \throws ConfigError where the argument stands several times, so that it is not known which one counts, or
/// neither of the two is there
SplicedText withArgument(const ShellScript& script, std::string_view name, const std::string& value,
                         std::string_view beside);

} // namespace batchpeak::config
