// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QScrollArea;

namespace batchpeak::ui {

/// Makes a scroll area show any widget in it that gets the keyboard focus. By itself it does so only if the
/// focus comes from within: coming from a tool bar, the focus would reach a field that is not visible, and
/// the user would change it unknowingly.
void followFocus(QScrollArea* area);

} // namespace batchpeak::ui
