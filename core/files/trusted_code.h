// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "text/errors.h"

#include <QByteArray>
#include <QString>

namespace batchpeak::engine {

/// Code that a config names and a run would execute: whoever sends a config could run a program here. It is
/// run only after a person has trusted exactly this content (see CodeContent::hash()) once; copies of it are
/// then trusted too. Code that is not on this computer, as behind a launcher, has no content to check: a
/// person must trust it each time.

/// Such code at one point in time.
class CodeContent
{
public:
    /// No code.
    CodeContent() = default;
    /// \param path  empty for no code
    /// \throws ExplorationError if it cannot be read to its end, as a pipe
    static CodeContent of(const QString& path);

    const QString& path() const { return m_path; }
    /// Returns the SHA-256 of the file and, for a Python file, of everything that it can import from its
    /// folder; empty if there is no such file.
    const QByteArray& hash() const { return m_hash; }
    bool isThere() const { return !m_hash.isEmpty(); }
    /// Returns why code that was trusted may not run any more, as a sentence; empty if it has not changed.
    QString problem() const;

private:
    QString m_path;
    QByteArray m_hash;
};

/// Thrown for code that is not trusted. The sentence says which file it is, and what to do.
class UntrustedCode : public ExplorationError
{
public:
    explicit UntrustedCode(const CodeContent& code);
    const QString& path() const { return m_path; }

private:
    QString m_path;
};

/// Returns the module of a network that is loaded from a file; empty for any other network.
QString codeOf(const model::ModelSpec& spec);
QString codeOf(const config::ConfigContents& contents);

/// Returns the path of the list of trusted code, which all programs share: one hash per line.
QString trustListPath();

/// Whether the code is trusted; code that does not exist never is.
bool isTrusted(const CodeContent& code);
/// Trusts the code on behalf of a person: a content from now on, in all programs of this user; code that does
/// not exist, for requireTrust() in this program.
/// \return whether the trust could be stored for other programs
bool trustCode(const CodeContent& code);

/// Returns the code if it is trusted, or if a person trusts it now.
/// \param path  empty if there is no code
/// \param says  whether a person trusts the current content, which is remembered. This applies only to the
///              content at the first call: it does not apply to another content later in the same program
/// \return what may run, for as long as its problem() is empty
/// \throws UntrustedCode if it is not trusted
/// \throws ExplorationError if it cannot be read to its end
CodeContent requireTrust(const QString& path, bool says);

} // namespace batchpeak::engine
