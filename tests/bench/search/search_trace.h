// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search_record.h"

#include <string>

/// A search trial by trial, beside what is true: for finding out why one fails.
std::string traceText(const SearchRecord& record);
