// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fidelity_text.h"

#include "translated.h"

namespace batchpeak::engine {

namespace {

using Kind = config::Fidelity::Kind;

QString markOf(Kind kind)
{
    switch (kind) {
    case Kind::AsConfigured:
        break;
    case Kind::Approximate:
        return QStringLiteral("~");
    case Kind::AnotherRun:
        return QStringLiteral("*");
    }
    return {};
}

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

QString speedMark(const config::Fidelity& fidelity)
{
    return markOf(fidelity.reasons.empty() ? fidelity.kind : Kind::Approximate);
}

QString memoryMark(const config::Fidelity& fidelity)
{
    return markOf(fidelity.isMemoryApproximate() ? Kind::Approximate : fidelity.memoryKind());
}

QString markLegend(const config::Fidelity& fidelity)
{
    switch (fidelity.kind) {
    case Kind::AsConfigured:
        break;
    case Kind::Approximate:
        return fidelity.isMemoryApproximate() ? Translated::tr("~ approximate")
                                              : Translated::tr("~ speed approximate");
    case Kind::AnotherRun:
        if (fidelity.reasons.empty())
            return Translated::tr("* another run");
        return fidelity.isMemoryApproximate()
                   ? Translated::tr("~ approximate, of another run")
                   : Translated::tr("~ speed approximate, * memory of another run");
    }
    return {};
}

} // namespace batchpeak::engine
