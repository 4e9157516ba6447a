// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "text/errors.h"

#include <QByteArray>
#include <QString>

namespace batchpeak::engine {

/// Code that a config names and a run would execute: whoever sends a config would run a program here. It is
/// run when a person has said so once of this very content, as codeHash() has it, and so are copies of it.
/// Code that is not on this computer, as behind a launcher, has no content to speak of: a person says so each
/// time.

/// Such code as it is at one moment.
class CodeContent
{
public:
    /// No code.
    CodeContent() = default;
    /// \param path  empty for no code
    /// \throws ExplorationError  where it cannot be read to its end, as a pipe
    static CodeContent of(const QString& path);

    const QString& path() const { return m_path; }
    const QByteArray& hash() const { return m_hash; }
    bool isThere() const { return !m_hash.isEmpty(); }
    /// Why what was let run may not run any more, as a sentence; empty where it is as it was.
    QString problem() const;

private:
    QString m_path;
    /// Empty where there is no such file.
    QByteArray m_hash;
};

/// The sentence says which file it is, and what to do.
class UntrustedCode : public ExplorationError
{
public:
    explicit UntrustedCode(const CodeContent& code);
    const QString& path() const { return m_path; }

private:
    QString m_path;
};

/// The module of a network from a file; empty for any other network.
QString codeOf(const model::ModelSpec& spec);
QString codeOf(const config::ConfigContents& contents);

/// Where trusted code is kept for other programs: a hash a line.
QString trustListPath();

/// Nobody says so of code that is not there.
bool isTrusted(const CodeContent& code);
/// A person says so: of a content from now on, in all programs of this user; of code that is not there, to
/// requireTrust() in this program.
/// \return whether it could be kept for other programs
bool trustCode(const CodeContent& code);

/// \param path  empty where there is no code
/// \param says  a person says so of what is there now, which is remembered. Whoever says so does it once, of
///              what is there the first time: of another content, in the same program, it is no word
/// \return what may run, for as long as it has no problem()
/// \throws UntrustedCode
/// \throws ExplorationError  where it cannot be read to its end
CodeContent requireTrust(const QString& path, bool says);

} // namespace batchpeak::engine
