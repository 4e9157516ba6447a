// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::engine {

/// What the value of an option may be, by what stands for it in the help (OptionWords::values): a field of
/// the window and a shell's completion offer it.
struct ValueKinds
{
    /// Small letters stand for themselves.
    std::vector<std::string> words;
    bool takesNumbers = false;
    bool takesFiles = false;
    bool takesFolders = false;
    bool takesCommands = false;
    /// Something else than one of the words.
    bool takesOthers = false;
};

/// \param values  as "explore|auto|N|null"
ValueKinds valueKindsOf(std::string_view values);

} // namespace batchpeak::engine
