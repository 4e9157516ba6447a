// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <functional>
#include <memory>

namespace batchpeak::testing {

/// A test class of a program that has several: it runs when the program is given the name of its file, as
/// ctest does
/// ("engine_tests tst_event_log", with the options of Qt Test behind it), or with all others when no name is
/// given.
class Registration
{
public:
    /// \param file  __FILE__ of the class
    Registration(const char* file, std::function<std::unique_ptr<QObject>()> make);
};

} // namespace batchpeak::testing

/// Below a test class, once in its file.
#define BATCHPEAK_TEST(Class)                                                                                \
    static const batchpeak::testing::Registration registered(__FILE__,                                       \
                                                             [] { return std::make_unique<Class>(); });
