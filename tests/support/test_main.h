// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <functional>
#include <memory>

namespace batchpeak::testing {

/// Registers one of several test classes of a program. The program runs the class whose file name is its
/// first argument, as ctest passes it ("engine_tests tst_event_log", followed by options of Qt Test), or all
/// classes if no name is given.
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
