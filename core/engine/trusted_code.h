// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "errors.h"

#include <QString>

#include <optional>

namespace batchpeak::engine {

/// Code that a config names and a run would execute: whoever sends a config would run a program here. It is
/// run when a person has said so once of this very content (SHA-256), and so are copies of it.

/// The sentence says which file it is, and what to do.
class UntrustedCode : public ExplorationError
{
public:
    explicit UntrustedCode(QString path);
    const QString& path() const { return m_path; }

private:
    QString m_path;
};

/// The module of a network from a file; empty for any other network.
QString codeOf(const model::ModelSpec& spec);

/// A file that is not there is for whoever opens it.
bool isTrusted(const QString& path);
/// From now on, in all programs of this user. \return whether that could be kept
bool trustCode(const QString& path);

/// \param path  empty where there is no code
/// \param says  a person says so now, which is remembered
/// \throws UntrustedCode
void requireTrust(const QString& path, bool says);

} // namespace batchpeak::engine
