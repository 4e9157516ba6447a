// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/token_source.h"

#include <QByteArray>
#include <QFile>
#include <QString>

#include <cstdint>

namespace batchpeak::data {

/// Returns a header as numpy.lib.format writes it: padded to a multiple of 64 bytes, with a line feed at the
/// end.
///
/// \param text  the dictionary in the header
inline QByteArray npyHeader(const QByteArray& text, char version = 1)
{
    const qsizetype before = version == 1 ? 10 : 12;
    QByteArray padded = text;
    while ((before + padded.size() + 1) % 64 != 0)
        padded += ' ';
    padded += '\n';
    QByteArray bytes = QByteArray("\x93NUMPY") + version + '\0';
    for (qsizetype i = 0; i < before - 8; ++i)
        bytes += static_cast<char>(padded.size() >> (8 * i) & 0xff);
    return bytes + padded;
}

inline QByteArray npyDictionary(const QByteArray& type, const QByteArray& shape)
{
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

/// Returns an array of uint16 in little-endian order.
inline QByteArray npyOf(const QByteArray& shape, const QList<std::uint16_t>& numbers)
{
    QByteArray bytes = npyHeader(npyDictionary("<u2", shape));
    for (const std::uint16_t number : numbers)
        bytes.append(static_cast<char>(number & 0xff)).append(static_cast<char>(number >> 8));
    return bytes;
}

inline bool writeFile(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

/// Returns the message of the DataError that \p open throws; empty if it throws none.
template<typename Open>
QString refusalOf(const Open& open)
{
    try {
        open();
    } catch (const DataError& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

} // namespace batchpeak::data
