// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trusted_code.h"

#include "model/model_spec.h"
#include "saved_file.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QStandardPaths>

#include <variant>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::TrustedCode)
};

/// A hash a line.
QString listPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/batchpeak/trusted-code");
}

QByteArray hashOf(const QString& path)
{
    QFile file(path);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    return file.open(QIODevice::ReadOnly) && hash.addData(&file) ? hash.result().toHex() : QByteArray();
}

QSet<QByteArray> trusted()
{
    QSet<QByteArray> hashes;
    QFile list(listPath());
    if (!list.open(QIODevice::ReadOnly))
        return hashes;
    for (const QByteArray& line : list.readAll().split('\n')) {
        if (!line.isEmpty())
            hashes.insert(line);
    }
    return hashes;
}

} // namespace

UntrustedCode::UntrustedCode(QString path)
    : ExplorationError(
          Translated::tr("The config names code that would run here, %1, and nobody has said that it "
                         "may. Read it, and then add --trust.")
              .arg(QDir::toNativeSeparators(path))),
      m_path(std::move(path))
{}

QString codeOf(const model::ModelSpec& spec)
{
    const auto* script = std::get_if<model::ScriptSpec>(&spec.architecture);
    return script ? QString::fromStdString(script->file) : QString();
}

bool isTrusted(const QString& path)
{
    return !QFileInfo::exists(path) || trusted().contains(hashOf(path));
}

bool trustCode(const QString& path)
{
    QSet<QByteArray> hashes = trusted();
    hashes.insert(hashOf(path));
    QByteArray lines;
    for (const QByteArray& hash : std::as_const(hashes))
        lines += hash + '\n';
    return !makeFolder(QFileInfo(listPath()).path()) && replaceFile(listPath(), lines).isEmpty();
}

void requireTrust(const QString& path, bool says)
{
    if (path.isEmpty() || isTrusted(path))
        return;
    if (!says)
        throw UntrustedCode(path);
    trustCode(path);
}

} // namespace batchpeak::engine
