// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QTest>

#include <any>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>

/// Rows of a data-driven test. What one row holds is a plain struct, or a tuple where few values need no
/// names:
///
///     struct Division { std::int64_t batch, devices = 1, size; std::string problem; };
///     void divides_data()
///     {
///         rows<Division>({
///             {"whole", {.batch = 48, .size = 12}},
///             {"a rest", {.batch = 48, .devices = 2, .size = 20, .problem = "no multiple"}},
///         });
///     }
///     void divides()
///     {
///         const auto& [batch, devices, size, problem] = row<Division>();
///
/// rows<std::string, int>({{"a word", {"auto", 0}}}) is read by row<std::string, int>() alike. What rows()
/// returns adds rows one by one, in a loop or where they are long:
/// `const auto add = rows<Division>(); add(name, {.batch = n});`.
namespace batchpeak::test {

/// A text of a row for tests of code that takes a QString: the row can hold a plain literal.
struct Text : QString
{
    Text() = default;
    Text(const char* utf8) : QString(QString::fromUtf8(utf8)) {}
    Text(QString text) : QString(std::move(text)) {}
};

template<typename... Values>
struct RowOf
{
    using Type = std::tuple<Values...>;
};
template<typename Value>
struct RowOf<Value>
{
    using Type = Value;
};

/// The only column of such a test. Qt identifies the type of a column by its name, and types in anonymous
/// namespaces of one program may share a name; std::any tells them apart.
struct RowColumn
{
    std::any row;
};

/// Adds rows to the test whose _data function is running.
template<typename... Values>
class Rows
{
public:
    using Row = typename RowOf<Values...>::Type;
    struct NamedRow
    {
        std::string name;
        Row row;
    };

    Rows() { QTest::addColumn<RowColumn>("row"); }

    void operator()(const std::string& name, Row row) const
    {
        QTest::newRow(name.c_str()) << RowColumn{std::move(row)};
    }
};

template<typename... Values>
Rows<Values...> rows(std::initializer_list<typename Rows<Values...>::NamedRow> all = {})
{
    const Rows<Values...> add;
    for (const auto& [name, row] : all)
        add(name, row);
    return add;
}

/// Returns the row that the running test function is called for; takes the types that rows() was called with.
template<typename... Values>
const typename Rows<Values...>::Row& row()
{
    const auto* column = static_cast<const RowColumn*>(QTest::qData("row", qMetaTypeId<RowColumn>()));
    return std::any_cast<const typename Rows<Values...>::Row&>(column->row);
}

} // namespace batchpeak::test

using batchpeak::test::row;
using batchpeak::test::rows;
using batchpeak::test::Text;

/// Makes QCOMPARE print both values if they differ.
template<>
inline char* QTest::toString(const std::string& text)
{
    return toString(QString::fromStdString(text));
}
template<>
inline char* QTest::toString(const Text& text)
{
    return toString(QString(text));
}
