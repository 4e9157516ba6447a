// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/run_kind.h"
#include "model/tuning.h"

#include <QJsonObject>
#include <QLocale>
#include <QString>

#include <cstdint>

namespace batchpeak::engine {

/// What training changes of a network, in words for people and in words for files.

/// "LoRA of rank 16, alpha 32, dropout 0.05, on query and value"; empty without adapters.
QString adapterText(const model::Tuning& tuning, const QLocale& locale = QLocale());
/// "DPO on pairs of texts; reference: a second network"; empty if the network learns from texts alone.
QString preferenceText(model::Preference preference, const model::Tuning& tuning);
/// "output, layers.30"; empty unless some parts are trained in full beside others that are not.
QString trainedPartsText(const model::Tuning& tuning);
/// "nf4 with double quantization", "same dtype as trained weights"; empty if nothing is frozen.
QString frozenWeightsText(const model::Tuning& tuning);
/// "int4 weights in groups of 32, int8 activations"; empty if nothing is rounded.
QString fakeQuantizationText(const model::Tuning& tuning, const QLocale& locale = QLocale());
/// A word or two: "LoRA 16", "DoRA 8 on nf4", "partly trained", "QAT int4"; empty if everything is trained as
/// it is.
QString tuningWord(const model::Tuning& tuning);

/// "124,439,808 parameters", "trainable 4,194,304 of 6,742,609,920 parameters, 0.06 %", and words for a
/// network whose parameters are counted when it is loaded.
/// \param frozen  how many of \p all are frozen
QString parametersText(std::int64_t all, std::int64_t frozen, const QLocale& locale = QLocale());

/// Returns the tuning in the form of the trial protocol; empty if everything is trained as it is.
QJsonObject tuningObject(const model::Tuning& tuning);
/// Returns the same in one line, which distinguishes one tuning from another; empty if everything is trained
/// as it is.
QString tuningRecord(const model::Tuning& tuning);
/// Read what these functions have written; what is not understood, such as words of a later program, is at
/// its default.
model::Tuning tuningFrom(const QJsonObject& object);
model::Tuning tuningFromRecord(const QString& record);

} // namespace batchpeak::engine
