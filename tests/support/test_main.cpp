// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "test_main.h"

#include <QtGlobal>
#ifdef QT_WIDGETS_LIB
#include <QApplication>
using Application = QApplication;
#else
#include <QCoreApplication>
using Application = QCoreApplication;
#endif
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

namespace batchpeak::testing {

namespace {

using Classes = std::map<std::string, std::function<std::unique_ptr<QObject>()>>;

/// A function's own, since the registrations of other files may come first.
Classes& classes()
{
    static Classes all;
    return all;
}

} // namespace

Registration::Registration(const char* file, std::function<std::unique_ptr<QObject>()> make)
{
    classes().emplace(std::filesystem::path(file).stem().string(), std::move(make));
}

} // namespace batchpeak::testing

int main(int argc, char** argv)
{
    using batchpeak::testing::classes;
    const auto chosen = argc > 1 ? classes().find(argv[1]) : classes().end();
    const bool isNamed = argc > 1 && argv[1][0] != '-';
    if (isNamed && chosen == classes().end()) {
        std::fprintf(stderr, "%s has no test %s. It has:\n", argv[0], argv[1]);
        for (const auto& [name, make] : classes())
            std::fprintf(stderr, "  %s\n", name.c_str());
        return 1;
    }

    // What is in the cache of whoever runs the tests plays no part in them, nor in programs that they start.
    qputenv("HF_HUB_CACHE", "/nonexistent");
    // Nor do their explorations, and theirs stay out of that history.
    const QTemporaryDir dataHome;
    qputenv("XDG_DATA_HOME", dataHome.path().toUtf8());
    const Application application(argc, argv);
    QStringList arguments = Application::arguments();
    if (isNamed) {
        arguments.removeAt(1);
        return QTest::qExec(chosen->second().get(), arguments);
    }
    int failures = 0;
    for (const auto& [name, make] : classes())
        failures += QTest::qExec(make().get(), arguments);
    return failures;
}
