// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "reading_text.h"

#include <string>
#include <vector>

namespace batchpeak::config {

/// What is expected of a config, below a line "--- header": "reads", "refused", "writes train 8", "refuses
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
    /// Of the config, as the file has them.
    Lines text;
    std::vector<CasePart> parts;
};

/// Cases of one subject in one plain file; tests/data/cases/config/README.md says how they are written.
struct CaseFile
{
    /// What stands above the first case: about them all.
    Lines about;
    /// What the texts of all cases stand in, and what all of them read that say nothing else.
    ConfigCase all;
    std::vector<ConfigCase> cases;
};

CaseFile caseFileFromText(const std::string& text);
std::string toText(const CaseFile& file);

/// The bytes of a case's config, in what all of its file stand in.
std::string configText(const ConfigCase& all, const ConfigCase& one);

/// "network" of "network: llama".
std::string keyOf(const std::string& line);

/// Lines of a text as they are written in a file of cases.
Lines escapedLines(const std::string& text);

/// The lines "key: value" of \p all, but for those of keys that a case has lines of its own for, or says
/// "absent" of. Of what is "none" as a whole there are no parts.
Lines readingWith(const Lines& all, const Lines& own);

/// The least that makes \p reading of \p all in readingWith().
Lines ownReading(const Lines& all, const Lines& reading);

/// What most of several readings have in common.
Lines commonReading(const std::vector<Lines>& readings);

} // namespace batchpeak::config
