// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "name_pattern.h"
#include "unmodeled_features.h"

#include <string>

namespace batchpeak::config {

/// A value that names parts of a network, for messages about it.
struct NamedValue
{
    /// Path of its key: "lora_target_modules".
    std::string path;
    TextPosition position;
};

/// Returns what \p work returns, which matches patterns of that value.
/// \throws NotRun if a pattern is not supported here
/// \throws ConfigError if a pattern is illegal
template<typename Work>
auto withPatternsOf(const NamedValue& value, const Work& work)
{
    try {
        return work();
    } catch (const NamePatternError& error) {
        if (error.isIllegal)
            throw errorAt(value.position, "The value of {} {}.", value.path, error.what());
        throw notRun(value.position,
                     "The value of {} {}, so what is trained is not known. A size can still be written into "
                     "this config.",
                     value.path, error.what())
            .because(reason::namePattern);
    }
}

} // namespace batchpeak::config
