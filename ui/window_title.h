// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/snapshot.h"

#include <QString>

namespace batchpeak::ui {

/// "● 192 – gpt-medium.yaml – Batchpeak": what was found, so that a task bar tells it, and of which config.
QString windowTitleOf(const engine::Snapshot& snapshot);

} // namespace batchpeak::ui
