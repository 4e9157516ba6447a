// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QScrollArea;

namespace batchpeak::ui {

/// Has a scroll area show whatever in it the keyboard comes to. By itself it does so only where that comes
/// from within: from a tool bar it would get to a field that nobody sees, and change it.
void followFocus(QScrollArea* area);

} // namespace batchpeak::ui
