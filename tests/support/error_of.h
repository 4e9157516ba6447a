// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <exception>

namespace batchpeak::test {

/// What the exception says that an action ends with; empty where there is none. Exceptions that are no
/// \p Error go on.
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
