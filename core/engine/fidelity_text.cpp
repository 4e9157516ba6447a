// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fidelity_text.h"

#include <QCoreApplication>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::FidelityText)
};

using Kind = config::Fidelity::Kind;

} // namespace

QString fidelityText(const config::Fidelity& fidelity)
{
    const QString text = QString::fromStdString(config::toText(fidelity));
    constexpr QLatin1String measured("measured ");
    return fidelity.kind == Kind::AsConfigured ? text.mid(measured.size()) : text;
}

QString fidelitySentence(const config::Fidelity& fidelity)
{
    QString sentence = QString::fromStdString(config::toText(fidelity));
    sentence[0] = sentence.at(0).toUpper();
    return sentence + QLatin1Char('.');
}

QString fidelityName(const config::Fidelity& fidelity)
{
    return QString::fromStdString(config::nameOf(fidelity));
}

QString fidelityMark(const config::Fidelity& fidelity)
{
    if (!fidelity.reasons.empty())
        return QStringLiteral("~");
    return fidelity.kind == Kind::AnotherRun ? QStringLiteral("*") : QString();
}

QString markLegend(const config::Fidelity& fidelity)
{
    switch (fidelity.kind) {
    case Kind::AsConfigured:
        break;
    case Kind::Approximate:
        return fidelity.isMemoryAsConfigured() ? Translated::tr("~ speed approximate")
                                               : Translated::tr("~ approximate");
    case Kind::AnotherRun:
        return fidelity.reasons.empty() ? Translated::tr("* another run")
                                        : Translated::tr("~ approximate, of another run");
    }
    return {};
}

} // namespace batchpeak::engine
