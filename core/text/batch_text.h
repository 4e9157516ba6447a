// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "model/model_spec.h"
#include "model/tuning.h"

#include <QString>
#include <QStringList>

#include <cstdint>

namespace batchpeak::engine {

/// Texts about a config's network, and about sizes and batches by the names that their trainer gives them.

/// "llama with 1,235,814,400 parameters", "llama, trainable 4,194,304 of 1,240,008,704 parameters, 0.34 %"
QString networkText(const model::ModelSpec& spec, const model::Tuning& tuning = {});

/// Returns what to write for a size: "per_device_train_batch_size: 24", "--micro-batch-size 24".
QString sizeText(const config::BatchPlan& plan, std::int64_t microBatchSize);

/// Returns what the config contains: "micro_batch_size: explore"; "per_device_train_batch_size: 16 now" if
/// the trainer has no word for what is asked.
QString settingText(const config::BatchPlan& plan);

/// Whether the batch of one optimizer step consists of micro-batches. Otherwise the size is the batch itself,
/// as in the evaluation of most trainers.
bool hasMicroBatches(const config::BatchPlan& plan);

/// Returns a sentence if the devices take different numbers of samples; else none.
QStringList spreadOverDevices(const config::BatchPlan& plan);

} // namespace batchpeak::engine
