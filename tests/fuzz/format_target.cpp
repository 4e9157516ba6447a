// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_text.h"
#include "fuzz_target.h"
// Of the one format that this program is for.
#include BATCHPEAK_FUZZED_HEADER

namespace batchpeak::fuzz {

void run(std::string_view text)
{
    try {
        const auto shared = std::make_shared<const config::ConfigText>(std::string(text));
        const auto format = config::BATCHPEAK_FUZZED_FORMAT::entry().recognise(shared);
        if (!format)
            return;
        const config::ConfigContents contents = format->read();
        require(!contents.formatName.empty(), "a format has a name");
        for (const config::Warning& warning : contents.warnings)
            require(warning.sentence.ends_with('.'), "a warning is a sentence", warning.sentence);
    } catch (const config::ConfigError& error) {
        require(std::string_view(error.what()).ends_with('.'), "an error is a sentence", error.what());
    }
}

} // namespace batchpeak::fuzz
