// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::engine {

/// The kinds of values that an option may have, derived from its placeholder in the help
/// (OptionWords::values). A field of the window and a shell's completion offer them.
struct ValueKinds
{
    /// Parts without capital letters, which stand for themselves.
    std::vector<std::string> words;
    bool takesNumbers = false;
    bool takesFiles = false;
    bool takesFolders = false;
    bool takesCommands = false;
    /// Whether it takes something other than one of the words.
    bool takesOthers = false;
};

/// \param values  such as "explore|auto|N|null"
ValueKinds valueKindsOf(std::string_view values);

} // namespace batchpeak::engine
