// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <exception>

namespace batchpeak::test {

/// Returns the message of the exception that an action ends with; empty if it ends without one. Exceptions
/// that are not an \p Error propagate.
template<typename Error = std::exception, typename Action>
QString errorOf(const Action& action)
{
    try {
        action();
    } catch (const Error& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

} // namespace batchpeak::test
