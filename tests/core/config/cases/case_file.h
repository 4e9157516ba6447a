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

/// Cases of one subject in one text file; tests/data/cases/config/README.md documents the syntax.
struct CaseFile
{
    /// Lines above the first case, which describe all cases.
    Lines about;
    /// Text that encloses the texts of all cases, and the defaults of their readings.
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

/// Returns the lines "key: value" of a case: \p own, and those of \p all whose keys have no line in \p own. A
/// line "key: absent" removes a key. If a value is "none", its parts in \p all are left out.
Lines readingWith(const Lines& all, const Lines& own);

/// Returns the fewest lines \p own for which readingWith(all, own) has the lines of \p reading.
Lines ownReading(const Lines& all, const Lines& reading);

/// Returns the most frequent lines of each key in several readings. A part of a value is included only if
/// most readings that have the value have the part.
Lines commonReading(const std::vector<Lines>& readings);

} // namespace batchpeak::config
