// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace batchpeak::trial {

/// How a trial ended. A worker says all but Crashed, which is what its parent makes of a worker that
/// went away.
enum class Outcome { Ok, OutOfMemory, Unsupported, Failed, Timeout, Cancelled, Crashed };

/// The words of the protocol: "ok", "oom", "unsupported", ...
std::string_view toText(Outcome outcome);
std::optional<Outcome> outcomeFromText(std::string_view text);

} // namespace batchpeak::trial
