// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/held_memory.h"
#include "trial/trial_request.h"

#include <ATen/cpu/Utils.h>

#include <QByteArray>

#include <algorithm>
#include <array>

namespace batchpeak::network {

/// Whether oneDNN computes products of two bytes on a matrix unit here (Intel AMX), as ATen finds it. A user
/// may keep oneDNN below it by ONEDNN_MAX_CPU_ISA.
inline bool usesMatrixUnit()
{
    const auto abilities = at::cpu::get_cpu_capabilities();
    const bool hasUnit = std::ranges::all_of(std::array{"amx_tile", "amx_bf16"}, [&](const char* ability) {
        const auto place = abilities.find(ability);
        return place != abilities.end() && place->second.isBool() && place->second.toBool();
    });
    const QByteArray most = qgetenv("ONEDNN_MAX_CPU_ISA").toUpper();
    return hasUnit && (most.isEmpty() || most == "ALL" || most == "DEFAULT" || most.contains("AMX"));
}

/// How far two losses of the same step may be from each other, relative to them: 0, but for products on a
/// matrix unit, which oneDNN may sum in another order the second time. A logit at the edge between two
/// numbers of its type then becomes the other one, which is off by eps of itself. In a network that has
/// learnt little logits are below an eighth of the loss, the logarithm of the number of choices, and so the
/// loss moves by less than an eighth of eps.
inline double differenceOfLosses(const trial::LoadRequest& request, bool hasMatrixUnit)
{
    constexpr double epsOfBf16 = 0x1p-7;
    const model::ElementBytes bytes = model::elementBytes(request.precision, request.tuning);
    const bool isNarrow = bytes.product < 4.0 || bytes.frozen < 4.0;
    return hasMatrixUnit && isNarrow ? epsOfBf16 / 8.0 : 0.0;
}

} // namespace batchpeak::network
