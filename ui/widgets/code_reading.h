// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace batchpeak::ui {

/// Reads code that a config names before a run is to load it. Where that takes long, as of a module of some
/// gigabytes, windows go on drawing meanwhile and take no input. Whoever asks for its content afterward has
/// it at once.
///
/// \param path  empty for no code
/// \throws engine::ExplorationError  where it cannot be read to its end
void readCode(const QString& path);

} // namespace batchpeak::ui
