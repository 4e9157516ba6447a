// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"

namespace batchpeak::ui {

class MessageBanner;

/// What a person should know about a config that can be explored, a sentence a line: the first few of them,
/// as more would take the charts' room, and how many there are besides.
QString remarksText(const engine::ConfigFile& file);
/// Shows them, and hides the banner where there is nothing.
void showRemarks(MessageBanner& banner, const engine::ConfigFile& file);

} // namespace batchpeak::ui
