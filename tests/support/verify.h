// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QTest>

#include <string>

/// Checks that print the checked values if they fail. Texts may be QString, QByteArray, std::string or
/// literals.
///
///     VERIFY_CONTAINS(harness.log(), "was confirmed");
///     VERIFY_STARTS_WITH(error, path);
///     VERIFY_BELOW(relativeDifference(actual, expected), 1e-5);
#define VERIFY_CONTAINS(text, part) BATCHPEAK_VERIFY(contains, text, part)
#define VERIFY_STARTS_WITH(text, part) BATCHPEAK_VERIFY(startsWith, text, part)
#define VERIFY_BELOW(value, bound) BATCHPEAK_VERIFY(isBelow, value, bound)

#define BATCHPEAK_VERIFY(check, actual, wanted)                                                              \
    do {                                                                                                     \
        const auto batchpeakChecked = batchpeak::test::check(actual, wanted);                                \
        if (!QTest::qVerify(batchpeakChecked.holds, #check "(" #actual ", " #wanted ")",                     \
                            qPrintable(batchpeakChecked.found), __FILE__, __LINE__))                         \
            return;                                                                                          \
    } while (false)

/// Checks that process events until a condition holds. They wait longer than those of Qt (QTRY_VERIFY), which
/// fail after five seconds: a test with a sanitizer on a busy machine can take that long.
#define TRY_VERIFY(condition) QTRY_VERIFY_WITH_TIMEOUT(condition, batchpeak::test::longestWaitMilliseconds)
#define TRY_VERIFY2(condition, text)                                                                         \
    QTRY_VERIFY2_WITH_TIMEOUT(condition, text, batchpeak::test::longestWaitMilliseconds)
#define TRY_COMPARE(actual, expected)                                                                        \
    QTRY_COMPARE_WITH_TIMEOUT(actual, expected, batchpeak::test::longestWaitMilliseconds)

namespace batchpeak::test {

constexpr int longestWaitMilliseconds = 60'000;

struct Checked
{
    bool holds = false;
    QString found;
};

inline QString shown(const QString& text)
{
    return text;
}
inline QString shown(const std::string& text)
{
    return QString::fromStdString(text);
}
inline QString shown(const char* text)
{
    return QString::fromUtf8(text);
}
inline QString shown(const QByteArray& text)
{
    return QString::fromUtf8(text);
}

template<typename Whole, typename Part>
Checked contains(const Whole& text, const Part& part)
{
    return {shown(text).contains(shown(part)), shown(text) + QLatin1String("\nin it is no ") + shown(part)};
}

template<typename Whole, typename Part>
Checked startsWith(const Whole& text, const Part& part)
{
    return {shown(text).startsWith(shown(part)),
            shown(text) + QLatin1String("\nit does not start with ") + shown(part)};
}

inline Checked isBelow(double value, double bound)
{
    return {value < bound, QString::number(value) + QLatin1String(" is not below ") + QString::number(bound)};
}

} // namespace batchpeak::test
