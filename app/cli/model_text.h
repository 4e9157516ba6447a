// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"

#include <QStringList>

#include <vector>

namespace batchpeak::cli {

/// What a network is made of, as rows of a name and a text: its sizes, then its parts.
std::vector<QStringList> modelRows(const model::ModelSpec& spec);

} // namespace batchpeak::cli
