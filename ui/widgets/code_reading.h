// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace batchpeak::ui {

/// Reads code that a config names before a run loads it. If that takes long, such as for a module of some
/// gigabytes, windows continue to paint meanwhile and accept no input. Later requests for its content are
/// answered at once.
///
/// \param path  empty for no code
/// \throws engine::ExplorationError if the code cannot be read to its end
void readCode(const QString& path);

} // namespace batchpeak::ui
