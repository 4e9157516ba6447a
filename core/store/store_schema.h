// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QSqlDatabase;

namespace batchpeak::store {

/// The version of the tables that this program writes; it stands in the file itself (user_version).
inline constexpr int schemaVersion = 3;

/// Makes the tables where the file is new, and adds what they lack where an older program wrote it.
/// \throws StoreError where the file was written by a newer program, or is none of ours
void prepareSchema(const QSqlDatabase& database);

} // namespace batchpeak::store
