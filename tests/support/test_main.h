// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <functional>
#include <memory>

namespace batchpeak::testing {

/// Registers a test class of a program that has several. It runs if the program is given the name of its
/// file, as ctest does ("engine_tests tst_event_log", followed by options of Qt Test), or with all others if
/// no name is given.
class Registration
{
public:
    /// \param file  __FILE__ of the test class
    Registration(const char* file, std::function<std::unique_ptr<QObject>()> make);
};

} // namespace batchpeak::testing

/// Registers a test class; used once in its file, below the class.
#define BATCHPEAK_TEST(Class)                                                                                \
    static const batchpeak::testing::Registration registered(__FILE__,                                       \
                                                             [] { return std::make_unique<Class>(); });
