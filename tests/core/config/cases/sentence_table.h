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

/// Sentences about configs, each with an id, so that cases assert ids and values, and one file all sentences:
/// a sentence that is worded anew changes one line.
///
/// The file has lines "id  sentence", with {} for each value. A sentence that fits several is that with the
/// most characters of its own.
class SentenceTable
{
public:
    explicit SentenceTable(const QString& path);

    /// Returns "id", or "id: value | value"; a sentence that is not in the table, as it is.
    std::string shortened(const std::string& sentence);

    /// Returns the sentences that were asked for and are not in the table.
    const std::set<std::string>& missing() const { return m_missing; }
    /// Returns the ids that no sentence had.
    Lines unused() const;

private:
    struct Row
    {
        std::string id;
        QRegularExpression pattern;
        bool isUsed = false;
    };
    /// Those with the most characters of their own first.
    std::vector<Row> m_rows;
    std::set<std::string> m_missing;
};

} // namespace batchpeak::config
