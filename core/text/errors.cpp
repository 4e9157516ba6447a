// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "errors.h"

namespace batchpeak::engine {

QString located(const QString& path, config::TextPosition place, const QString& sentence)
{
    if (place.line == 0)
        return path + QLatin1String(": ") + sentence;
    return path + QLatin1Char(':') + QString::number(place.line) + QLatin1Char(':') +
           QString::number(place.column) + QLatin1String(": ") + sentence;
}

config::ConfigError located(const QString& path, const config::ConfigError& error)
{
    const config::TextPosition place = error.position();
    return config::ConfigError(located(path, place, QString::fromUtf8(error.what())).toStdString(), place);
}

config::BatchNotKept located(const QString& path, const config::BatchNotKept& error)
{
    return {located(path, static_cast<const config::ConfigError&>(error)), error};
}

} // namespace batchpeak::engine
