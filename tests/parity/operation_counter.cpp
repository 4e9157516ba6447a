// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation_counter.h"

#include <memory>
#include <mutex>

namespace {

std::mutex mutex;
std::map<std::string, std::int64_t> calls;

std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& function)
{
    const std::lock_guard lock(mutex);
    ++calls[function.name()];
    return nullptr;
}

} // namespace

OperationCounter::OperationCounter()
{
    calls.clear();
    m_handle = at::addGlobalCallback(at::RecordFunctionCallback(count).scopes({at::RecordScope::FUNCTION}));
}

OperationCounter::~OperationCounter()
{
    at::removeCallback(m_handle);
}

std::map<std::string, std::int64_t> OperationCounter::counts()
{
    const std::lock_guard lock(mutex);
    return calls;
}
