// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/word_table.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace batchpeak::engine {

/// Writes the members of a network, or of what training changes of it, into an object of JSON, as a visitor
/// of visitFields().
class FieldObject
{
public:
    void value(const char* key, const std::string& member) { insert(key, QString::fromStdString(member)); }
    void value(const char* key, double member) { insert(key, member); }
    void value(const char* key, std::int64_t member) { insert(key, QJsonValue(static_cast<qint64>(member))); }
    void value(const char* key, bool member) { insert(key, member); }

    template<typename Value>
    void word(const char* key, const Value& member)
    {
        insert(key, QString::fromUtf8(model::toText(member)));
    }

    void sizes(const char* key, const std::vector<std::int64_t>& member)
    {
        QJsonArray sizes;
        for (const std::int64_t size : member)
            sizes.append(static_cast<qint64>(size));
        insert(key, sizes);
    }

    void texts(const char* key, const std::vector<std::string>& member)
    {
        QJsonArray texts;
        for (const std::string& text : member)
            texts.append(QString::fromStdString(text));
        insert(key, texts);
    }

    template<typename Value>
    void list(const char* key, std::vector<Value>& member)
    {
        QJsonArray values;
        for (Value& value : member) {
            FieldObject fields;
            visitFields(value, fields);
            values.append(fields.object());
        }
        insert(key, values);
    }

    const QJsonObject& object() const { return m_object; }

private:
    void insert(const char* key, const QJsonValue& value) { m_object.insert(QString::fromUtf8(key), value); }

    QJsonObject m_object;
};

} // namespace batchpeak::engine
