// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/enum_names.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace batchpeak::engine {

/// Returns the word of a value in files, events and on the command line.
template<model::HasWords Value>
QString enumText(Value value)
{
    return QString::fromUtf8(model::toText(value));
}

/// Returns nothing for an unknown word.
template<model::HasWords Value>
std::optional<Value> enumFromText(const QString& text)
{
    return model::fromText<Value>(text.toStdString());
}

/// The values that JSON represents directly or by a word; all others are objects, written by their
/// visitFields().
template<typename Value>
concept IsPlainField =
    std::is_arithmetic_v<Value> || std::is_same_v<Value, QString> || std::is_same_v<Value, QStringList> ||
    std::is_same_v<Value, QDateTime> || std::is_same_v<Value, std::string> || model::HasWords<Value>;

/// Writes members into a JSON object, as a visitor of visitFields(): those of a network, of its tuning, of a
/// search's call or of a trial.
class JsonWriter
{
public:
    template<typename Value>
    void value(const char* key, Value& member)
    {
        m_object.insert(QLatin1String(key), valueOf(member));
    }
    template<typename Value>
    void word(const char* key, const Value& member)
    {
        m_object.insert(QLatin1String(key), enumText(member));
    }
    template<typename Value>
    void sizes(const char* key, Value& member)
    {
        value(key, member);
    }
    template<typename Value>
    void texts(const char* key, Value& member)
    {
        value(key, member);
    }
    template<typename Value>
    void list(const char* key, Value& member)
    {
        value(key, member);
    }

    const QJsonObject& object() const { return m_object; }

private:
    static QJsonValue valueOf(bool value) { return value; }
    static QJsonValue valueOf(int value) { return value; }
    static QJsonValue valueOf(double value) { return value; }
    static QJsonValue valueOf(std::int64_t value) { return QJsonValue(static_cast<qint64>(value)); }
    // JSON's whole numbers end at 2^63.
    static QJsonValue valueOf(std::uint64_t value) { return QString::number(value); }
    static QJsonValue valueOf(const QString& value) { return value; }
    static QJsonValue valueOf(const std::string& value) { return QString::fromStdString(value); }
    static QJsonValue valueOf(const QStringList& value) { return QJsonArray::fromStringList(value); }
    static QJsonValue valueOf(const QDateTime& value) { return value.toUTC().toString(Qt::ISODateWithMs); }
    template<model::HasWords Value>
    static QJsonValue valueOf(Value value)
    {
        return enumText(value);
    }
    template<typename Value>
    static QJsonValue valueOf(std::optional<Value>& value)
    {
        return value ? valueOf(*value) : QJsonValue();
    }
    template<typename Value>
    static QJsonValue valueOf(std::vector<Value>& values)
    {
        QJsonArray array;
        for (Value& value : values)
            array.append(valueOf(value));
        return array;
    }
    template<typename Value>
    requires(!IsPlainField<Value>) static QJsonValue valueOf(Value& value)
    {
        JsonWriter fields;
        visitFields(value, fields);
        return fields.object();
    }

    QJsonObject m_object;
};

/// Reads what JsonWriter has written; members that the object does not contain stay as they are. A null means
/// that an optional member has no value.
class JsonReader
{
public:
    explicit JsonReader(QJsonObject object) : m_object(std::move(object)) {}

    template<typename Value>
    void value(const char* key, Value& member)
    {
        const QJsonValue found = m_object.value(QLatin1String(key));
        if (found.isNull())
            takeNull(member);
        else if (!found.isUndefined())
            take(found, member);
    }
    template<typename Value>
    void word(const char* key, Value& member)
    {
        if (const auto value = enumFromText<Value>(m_object.value(QLatin1String(key)).toString()))
            member = *value;
        else
            m_understands = false;
    }
    template<typename Value>
    void sizes(const char* key, Value& member)
    {
        value(key, member);
    }
    template<typename Value>
    void texts(const char* key, Value& member)
    {
        value(key, member);
    }
    template<typename Value>
    void list(const char* key, Value& member)
    {
        value(key, member);
    }

    /// Whether every word was a known one.
    bool understands() const { return m_understands; }

private:
    void take(const QJsonValue& value, bool& member) { member = value.toBool(member); }
    void take(const QJsonValue& value, int& member) { member = value.toInt(member); }
    void take(const QJsonValue& value, double& member) { member = value.toDouble(member); }
    void take(const QJsonValue& value, std::int64_t& member) { member = value.toInteger(member); }
    void take(const QJsonValue& value, std::uint64_t& member) { member = value.toString().toULongLong(); }
    void take(const QJsonValue& value, QString& member) { member = value.toString(); }
    void take(const QJsonValue& value, std::string& member) { member = value.toString().toStdString(); }
    void take(const QJsonValue& value, QStringList& member)
    {
        member.clear();
        for (const auto& element : value.toArray())
            member.append(element.toString());
    }
    void take(const QJsonValue& value, QDateTime& member)
    {
        member = QDateTime::fromString(value.toString(), Qt::ISODateWithMs);
    }
    template<model::HasWords Value>
    void take(const QJsonValue& value, Value& member)
    {
        if (const auto word = enumFromText<Value>(value.toString()))
            member = *word;
        else
            m_understands = false;
    }
    template<typename Value>
    void takeNull(Value& /*member*/)
    {}
    template<typename Value>
    void takeNull(std::optional<Value>& member)
    {
        member.reset();
    }
    template<typename Value>
    void take(const QJsonValue& value, std::optional<Value>& member)
    {
        take(value, member.emplace());
    }
    template<typename Value>
    void take(const QJsonValue& value, std::vector<Value>& member)
    {
        member.clear();
        for (const auto& element : value.toArray())
            take(element, member.emplace_back());
    }
    template<typename Value>
    requires(!IsPlainField<Value>) void take(const QJsonValue& value, Value& member)
    {
        JsonReader fields(value.toObject());
        visitFields(member, fields);
        m_understands = m_understands && fields.understands();
    }

    QJsonObject m_object;
    bool m_understands = true;
};

} // namespace batchpeak::engine
