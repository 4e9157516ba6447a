// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "reading_text.h"

#include <string>
#include <vector>

namespace batchpeak::config {

/// An expectation about a config, below a line "--- header": "reads", "refused", "writes train 8", "refuses
/// train 6", "file PATH".
struct CasePart
{
    std::string header;
    Lines lines;

    bool operator==(const CasePart&) const = default;
};

struct ConfigCase
{
    std::string name;
    /// Lines of the config, as they are in the file.
    Lines text;
    std::vector<CasePart> parts;
};

/// Cases of one subject in one plain file; tests/data/cases/config/README.md says how they are written.
struct CaseFile
{
    /// Lines above the first case, which are about all cases.
    Lines about;
    /// The text that encloses the texts of all cases, and the default of what they read.
    ConfigCase all;
    std::vector<ConfigCase> cases;
};

CaseFile caseFileFromText(const std::string& text);
std::string toText(const CaseFile& file);

/// Returns the bytes of a case's config, enclosed by the text that all cases of its file share.
std::string configText(const ConfigCase& all, const ConfigCase& one);

/// Returns the key of a line: "network" of "network: llama".
std::string keyOf(const std::string& line);

/// Returns the lines of a text as they are written in a file of cases.
Lines escapedLines(const std::string& text);

/// Returns the lines "key: value" of \p all, except for those of keys that a case has its own lines for, or
/// declares "absent". A value that is "none" as a whole has no parts.
Lines readingWith(const Lines& all, const Lines& own);

/// Returns the fewest lines that make \p reading of \p all in readingWith().
Lines ownReading(const Lines& all, const Lines& reading);

/// Returns what most of several readings have in common.
Lines commonReading(const std::vector<Lines>& readings);

} // namespace batchpeak::config
