// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "reading_text.h"

#include <QRegularExpression>
#include <QString>

#include <set>
#include <string>
#include <vector>

namespace batchpeak::config {

/// Sentences about configs, each with an id. Cases assert ids and values, and one file contains all
/// sentences, so rewording a sentence changes one line.
///
/// The file has lines "id  sentence", with {} for each value. If a sentence matches several lines, the line
/// with the most characters outside {} applies.
class SentenceTable
{
public:
    explicit SentenceTable(const QString& path);

    /// Returns "id" or "id: value | value", or the sentence itself if it is not in the table.
    std::string shortened(const std::string& sentence);

    /// Returns the sentences that were passed to shortened() and are not in the table.
    const std::set<std::string>& missing() const { return m_missing; }
    /// Returns the ids that matched no sentence.
    Lines unused() const;

private:
    struct Row
    {
        std::string id;
        QRegularExpression pattern;
        bool isUsed = false;
    };
    /// Rows in descending order of their characters outside {}.
    std::vector<Row> m_rows;
    std::set<std::string> m_missing;
};

} // namespace batchpeak::config
