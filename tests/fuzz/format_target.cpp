// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/format.h"
#include "fuzz_target.h"

namespace batchpeak::fuzz {

void run(std::string_view text)
{
    mayRefuse<config::ConfigError>([&] {
        const auto shared = std::make_shared<const config::ConfigText>(std::string(text));
        // CMake builds one program for each format.
        const config::Format& format = config::BATCHPEAK_FUZZED_FORMAT;
        if (!format.fits(*shared))
            return;
        const config::ConfigContents contents = config::ConfigDocument(format, shared).read();
        require(!contents.formatName.empty(), "a format has a name");
        for (const config::Warning& warning : contents.warnings)
            require(warning.sentence.ends_with('.'), "a warning is a sentence", warning.sentence);
    });
}

} // namespace batchpeak::fuzz
