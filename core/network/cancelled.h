// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdexcept>

namespace batchpeak::network {

/// Thrown out of a step when the question of setCancelled was answered with yes.
class Cancelled : public std::runtime_error
{
public:
    Cancelled() : std::runtime_error("The step was cancelled.") {}
};

} // namespace batchpeak::network
