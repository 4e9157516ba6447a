// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace batchpeak::ui {

/// Gives a table the look of all tables here: whole rows, no grid, no frame, a header that only names.
/// \return the height of its rows [pixels]
int makePlain(QTableView& table);

} // namespace batchpeak::ui
