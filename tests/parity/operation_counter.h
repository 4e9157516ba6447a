// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/record_function.h>

#include <cstdint>
#include <map>
#include <string>

/// Counts the operations of libtorch that run while it lives, on every thread, those inside others too.
/// There may be one at a time.
class OperationCounter
{
public:
    OperationCounter();
    ~OperationCounter();
    OperationCounter(const OperationCounter&) = delete;
    OperationCounter& operator=(const OperationCounter&) = delete;

    /// Calls by name, such as "aten::addmm".
    static std::map<std::string, std::int64_t> counts();

private:
    at::CallbackHandle m_handle;
};
