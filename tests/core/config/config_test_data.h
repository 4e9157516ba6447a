// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"

#include <QFile>
#include <QString>
#include <QTest>

#include <string>
#include <vector>

namespace batchpeak::config {

/// Returns the bytes of a file that a test needs. If the file cannot be read, fails the test and returns an
/// empty text.
inline std::string textOf(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        QTest::qFail(qPrintable(path + QStringLiteral(" cannot be read")), __FILE__, __LINE__);
        return {};
    }
    return file.readAll().toStdString();
}

/// Returns the phases of a config.
inline std::vector<model::Phase> phasesOf(const ConfigContents& contents)
{
    std::vector<model::Phase> phases;
    for (model::Phase phase : {model::Phase::Train, model::Phase::Eval}) {
        if (contents.plan(phase))
            phases.push_back(phase);
    }
    return phases;
}

} // namespace batchpeak::config
