// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "test_main.h"

#include <QtGlobal>
#ifdef QT_WIDGETS_LIB
#include <QApplication>
#include <QFontDatabase>
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

/// Exit code of a skipped test, the same as SKIP_RETURN_CODE in tests/ui/CMakeLists.txt.
constexpr int skippedCode = 77;

using Classes = std::map<std::string, std::function<std::unique_ptr<QObject>()>>;

/// Returns all registered classes. The variable is a local static, since the registrations of other files may
/// run before the static initializers of this one.
Classes& classes()
{
    static Classes all;
    return all;
}

/// Returns the first font family of BATCHPEAK_TEST_FONTS, the fonts that a test needs, that is not installed;
/// empty if all are installed.
QString missingFont()
{
#ifdef QT_WIDGETS_LIB
    const QStringList installed = QFontDatabase::families();
    for (const QString& family : qEnvironmentVariable("BATCHPEAK_TEST_FONTS").split(QLatin1Char(':'))) {
        if (!family.isEmpty() && !installed.contains(family))
            return family;
    }
#endif
    return {};
}

/// Returns the exit code for a number of failures. The number itself could be 256, of which the system keeps
/// 0, or skippedCode.
int codeOf(int failures)
{
    return failures == 0 ? 0 : 1;
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

    // The user's cache must affect neither the tests nor the programs that they start.
    qputenv("HF_HUB_CACHE", "/nonexistent");
    // The user's explorations must not affect the tests either, and those of the tests must not enter the
    // user's history.
    const QTemporaryDir dataHome;
    qputenv("XDG_DATA_HOME", dataHome.path().toUtf8());
    const Application application(argc, argv);
    if (const QString family = batchpeak::testing::missingFont(); !family.isEmpty()) {
        std::fprintf(stderr, "Skipped: the font %s is not installed; scripts/setup.sh installs it.\n",
                     qPrintable(family));
        return batchpeak::testing::skippedCode;
    }
    QStringList arguments = Application::arguments();
    if (isNamed) {
        arguments.removeAt(1);
        return batchpeak::testing::codeOf(QTest::qExec(chosen->second().get(), arguments));
    }
    int failures = 0;
    for (const auto& [name, make] : classes())
        failures += QTest::qExec(make().get(), arguments);
    return batchpeak::testing::codeOf(failures);
}
