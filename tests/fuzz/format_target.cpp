// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/format.h"
#include "fuzz_target.h"

namespace batchpeak::fuzz {

namespace {

void readIfItFits(const std::shared_ptr<const config::ConfigText>& text)
{
    // CMake builds one program for each format.
    const config::Format& format = config::BATCHPEAK_FUZZED_FORMAT;
    if (!format.fits(*text))
        return;
    const config::ConfigContents contents = config::ConfigDocument(format, text).read();
    require(!contents.formatName.empty(), "a format has a name");
    for (const config::Warning& warning : contents.warnings)
        require(warning.sentence.ends_with('.'), "a warning is a sentence", warning.sentence);
}

} // namespace

void run(std::string_view text)
{
    mayRefuse<config::ConfigError>([&] {
        const auto shared = std::make_shared<const config::ConfigText>(std::string(text));
        readIfItFits(shared);
        for (const auto& part : config::partsOf(*shared))
            mayRefuse<config::ConfigError>([&] { readIfItFits(part); });
    });
}

} // namespace batchpeak::fuzz
