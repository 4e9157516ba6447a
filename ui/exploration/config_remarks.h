// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"

namespace batchpeak::ui {

class MessageBanner;

/// Returns what the user should know about a config that can be explored, a sentence per line: the first few,
/// as more would take the charts' room, and the number of the rest.
QString remarksText(const engine::ConfigFile& file);
/// Shows these remarks, and hides the banner if there are none.
void showRemarks(MessageBanner& banner, const engine::ConfigFile& file);

} // namespace batchpeak::ui
