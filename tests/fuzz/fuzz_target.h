// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace batchpeak::fuzz {

/// Runs a fuzz target on a text. It ends the program if a requirement does not hold.
void run(std::string_view text);

/// Ends the program unless \p holds, which reports a finding to libFuzzer.
inline void require(bool holds, const char* what, const std::string& text = {})
{
    if (holds)
        return;
    std::fprintf(stderr, "It does not hold that %s:\n%s\n", what, text.c_str());
    std::abort();
}

/// Runs \p action, which may refuse only with an \p Error that holds a sentence.
template<typename Error, typename Action>
void mayRefuse(Action action)
{
    try {
        action();
    } catch (const Error& error) {
        require(std::string_view(error.what()).ends_with('.'), "an error is a sentence", error.what());
    }
}

} // namespace batchpeak::fuzz
