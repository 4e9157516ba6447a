// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "training_options.h"

#include <QStringList>

#include <cstdint>
#include <optional>

namespace batchpeak::training {

/// The micro-batch size that training begins with, and why.
struct SizeChoice
{
    /// At most in one micro-batch, spread evenly.
    std::int64_t size = 1;
    /// Before it was spread evenly.
    std::int64_t asked = 1;
    /// Halved when memory runs out; else it is fixed.
    bool halves = false;
    /// The batch may be cut at all.
    bool accumulates = true;
    QStringList notes;
};

/// \param plan  of training; its batch is cut
SizeChoice chooseSize(const config::ConfigContents& contents, const config::BatchPlan& plan,
                      const TrainingOptions& options);

/// That of evaluation: what the config writes, at most a batch, else that of training.
std::int64_t evaluationSize(const config::ConfigContents& contents, std::int64_t batchSize,
                            std::int64_t trainingSize);

} // namespace batchpeak::training
