// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/readable_text.h"
#include "engine/snapshot.h"
#include "table_model.h"

namespace batchpeak::ui {

/// The trials of a Snapshot, newest first, every state and every flag as a sign and a word. Bold is the trial
/// behind the recommendation: the newest sound one of that size. A trial that compares sizes has a row for
/// each of them, all with its number, so that every measurement of a size is found in the column of sizes.
class TrialsModel : public TableModel
{
    Q_OBJECT

public:
    enum Column { Number, Size, Result, Rate, Memory, Took, Device };

    explicit TrialsModel(QObject* parent = nullptr);

    void display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit);
};

} // namespace batchpeak::ui
