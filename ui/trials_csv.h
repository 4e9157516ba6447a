// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/snapshot.h"

#include <QByteArray>

#include <vector>

namespace batchpeak::ui {

/// The finished trials as a table for other programs, in the order of their starts: comma-separated as
/// RFC 4180 has it, with a header; numbers in full and in the C locale, bytes and seconds as they are.
/// The columns are named as the fields of the events. A value that is not known is an empty field.
QByteArray trialsCsv(const std::vector<engine::TrialSnapshot>& trials);

} // namespace batchpeak::ui
