// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings_file.h"

#include "store/file_identity.h"
#include "text/translated.h"

#include <QDir>
#include <QFile>
#include <QSettings>
#include <QVariantMap>

namespace batchpeak::ui {

namespace {

// QSettings reads the whole file at once. The settings of many configs take some KiB.
constexpr qint64 maxBytes = qint64{16} << 20;

/// \return part of a sentence; empty if QSettings may read the file
QString readError()
{
    const auto status = store::statusOf(SettingsFile::path());
    // A missing file is created, and QSettings handles missing permissions.
    if (!status)
        return {};
    if (!S_ISREG(status->st_mode))
        return engine::Translated::tr("is not a regular file");
    return status->st_size > maxBytes ? engine::Translated::tr("is too large") : QString();
}

QVariantMap& inMemory()
{
    static QVariantMap values;
    return values;
}

} // namespace

QString SettingsFile::path()
{
    const QString folder = QFile::decodeName(qgetenv("XDG_CONFIG_HOME"));
    return (QDir::isAbsolutePath(folder) ? folder : QDir::home().filePath(QStringLiteral(".config"))) +
           QStringLiteral("/batchpeak/batchpeak.ini");
}

QString SettingsFile::problem()
{
    const QString why = readError();
    return why.isEmpty() ? QString()
                         : engine::Translated::tr("Settings are lost when the window closes, because the "
                                                  "settings file %1 %2. Move that file elsewhere.")
                               .arg(QDir::toNativeSeparators(path()), why);
}

QVariant SettingsFile::value(const QString& key, const QVariant& otherwise)
{
    return readError().isEmpty() ? QSettings(path(), QSettings::IniFormat).value(key, otherwise)
                                 : inMemory().value(key, otherwise);
}

void SettingsFile::setValue(const QString& key, const QVariant& value)
{
    if (readError().isEmpty())
        QSettings(path(), QSettings::IniFormat).setValue(key, value);
    else
        inMemory().insert(key, value);
}

void SettingsFile::remove(const QString& key)
{
    if (readError().isEmpty())
        QSettings(path(), QSettings::IniFormat).remove(key);
    else
        inMemory().remove(key);
}

} // namespace batchpeak::ui
