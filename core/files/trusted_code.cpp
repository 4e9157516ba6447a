// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trusted_code.h"

#include "code_hash.h"
#include "model/model_spec.h"
#include "saved_file.h"
#include "text/translated.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QSet>
#include <QStandardPaths>

#include <variant>

namespace batchpeak::engine {

namespace {

/// Hash of what this program has run or been told to trust, by path; empty for a file that did not exist.
QHash<QString, QByteArray>& letRun()
{
    static QHash<QString, QByteArray> hashes;
    return hashes;
}

QSet<QByteArray> trusted()
{
    QSet<QByteArray> hashes;
    QFile list(trustListPath());
    if (!list.open(QIODevice::ReadOnly))
        return hashes;
    for (const QByteArray& line : list.readAll().split('\n')) {
        if (!line.isEmpty())
            hashes.insert(line);
    }
    return hashes;
}

QString untrustedText(const CodeContent& code)
{
    const QString path = QDir::toNativeSeparators(code.path());
    if (!code.isThere())
        return Translated::tr(
                   "The config names code that would run, %1, which is not on this computer, so that "
                   "nobody can say once and for all that it may. Correct the path; or, where a "
                   "launcher or another worker has it, add --trust each time.")
            .arg(path);
    if (path.endsWith(QLatin1String(".py")))
        return Translated::tr("The config names code that would run here, %1, and nobody has said that it "
                              "may, with the Python files beside it that it can import. Read them, and then "
                              "add --trust.")
            .arg(path);
    return Translated::tr("The config names code that would run here, %1, and nobody has said that it "
                          "may. Read it, and then add --trust.")
        .arg(path);
}

} // namespace

CodeContent CodeContent::of(const QString& path)
{
    CodeContent code;
    code.m_path = path;
    if (!path.isEmpty())
        code.m_hash = codeHash(path);
    return code;
}

QString CodeContent::problem() const
{
    try {
        if (of(m_path).hash() == m_hash)
            return {};
    } catch (const ExplorationError& error) {
        return error.sentence();
    }
    return Translated::tr(
               "%1 is not what was let run any more, or a Python file beside it is not. Read it, and "
               "start again.")
        .arg(QDir::toNativeSeparators(m_path));
}

UntrustedCode::UntrustedCode(const CodeContent& code)
    : ExplorationError(untrustedText(code)), m_path(code.path())
{}

QString codeOf(const model::ModelSpec& spec)
{
    const auto* script = std::get_if<model::ScriptSpec>(&spec.architecture);
    return script ? QString::fromStdString(script->file) : QString();
}

QString codeOf(const config::ConfigContents& contents)
{
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    return spec ? codeOf(*spec) : QString();
}

QString trustListPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/batchpeak/trusted-code");
}

bool isTrusted(const CodeContent& code)
{
    // If the list could not be written, a person is asked only once.
    return code.isThere() && (trusted().contains(code.hash()) || letRun().value(code.path()) == code.hash());
}

bool trustCode(const CodeContent& code)
{
    letRun().insert(code.path(), code.hash());
    if (!code.isThere())
        return false;
    QSet<QByteArray> hashes = trusted();
    hashes.insert(code.hash());
    QByteArray lines;
    for (const QByteArray& hash : std::as_const(hashes))
        lines += hash + '\n';
    return !makeFolder(QFileInfo(trustListPath()).path()) && replaceFile(trustListPath(), lines).isEmpty();
}

CodeContent requireTrust(const QString& path, bool says)
{
    if (path.isEmpty())
        return {};
    CodeContent code = CodeContent::of(path);
    if (isTrusted(code)) {
        letRun().insert(path, code.hash());
        return code;
    }
    const auto before = letRun().constFind(path);
    const bool speaksOfIt = before == letRun().constEnd() || *before == code.hash();
    if (!says || !speaksOfIt)
        throw UntrustedCode(code);
    trustCode(code);
    return code;
}

} // namespace batchpeak::engine
