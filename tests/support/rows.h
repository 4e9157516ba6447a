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

/// Rows of a data-driven test. A row is a plain struct, or a tuple if its few values need no names:
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
/// row<std::string, int>() reads the rows of rows<std::string, int>({{"a word", {"auto", 0}}}) in the same
/// way. The object that rows() returns adds single rows, in a loop or if they are long:
/// `const auto add = rows<Division>(); add(name, {.batch = n});`.
namespace batchpeak::test {

/// String of a row for tests of code that takes a QString. It converts from a plain literal.
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

/// Only column of a test that uses rows(). Qt identifies the type of a column by its name, and types in
/// anonymous namespaces of one program may share a name; std::any distinguishes them.
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

/// Returns the current row of the running test function. The template arguments are those of rows().
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
