// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "json_text.h"

namespace batchpeak::engine {

QByteArray jsonText(const QJsonObject& object, QJsonDocument::JsonFormat format)
{
    // Such characters stand in texts alone.
    QByteArray text = QJsonDocument(object).toJson(format);
    text.replace('\x7f', "\\u007f");
    for (int code = 0x80; code <= 0x9f; ++code) {
        // Of them UTF-8 makes the byte 0xc2 and their own.
        const QByteArray encoded{"\xc2" + QByteArray(1, static_cast<char>(code))};
        text.replace(encoded, "\\u00" + QByteArray::number(code, 16));
    }
    return text;
}

} // namespace batchpeak::engine
