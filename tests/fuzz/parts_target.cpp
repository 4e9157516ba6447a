// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/format.h"
#include "fuzz_target.h"
#include "syntax/document_origin.h"
#include "syntax/text_check.h"

namespace batchpeak::fuzz {

namespace {

void checkSegments(const config::YamlDocument& document)
{
    const config::DocumentOrigin& origin = *document.origin();
    std::size_t end = 0;
    for (const config::OriginSegment& segment : origin.segments) {
        require(end <= segment.begin && segment.begin <= segment.end, "segments are in order");
        require(segment.end <= document.text().size(), "a segment lies in its document");
        require(segment.textBegin <= segment.textEnd && segment.textEnd <= origin.text.size(),
                "a segment comes from the text");
        require(segment.valueBegin <= origin.text.size(), "a value is written in the text");
        end = segment.end;
    }
}

} // namespace

/// Reads the configs in a text that is none itself: a script, TOML, a manifest.
void run(std::string_view text)
{
    mayRefuse<config::ConfigError>([&] {
        const config::ConfigText whole{std::string(text)};
        for (const auto& part : config::partsOf(whole)) {
            const config::YamlDocument& document = *part->document();
            require(document.origin() != nullptr, "a part knows the text that it comes from");
            checkSegments(document);
            const std::size_t lines = config::lineBegins(document.origin()->text).size();
            for (const config::YamlNode& node : document.nodes()) {
                const auto line = static_cast<std::size_t>(document.positionOf(node).line);
                require(line >= 1 && line <= lines, "a value has a line of the text");
            }
            const auto again = document.origin()->reread(document.origin()->text);
            require(again && again->text() == document.text(), "the same text has the same part");
        }
    });
}

} // namespace batchpeak::fuzz
