// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tuning_text.h"

#include "json_fields.h"
#include "readable_text.h"
#include "translated.h"

#include <QJsonDocument>
#include <QStringList>

namespace batchpeak::engine {

namespace {

using model::FrozenWeights;
using model::Tuning;

/// "a, b and c"
QString enumerated(const QStringList& words)
{
    if (words.size() < 2)
        return words.join(QString());
    return Translated::tr("%1 and %2")
        .arg(words.mid(0, words.size() - 1).join(QLatin1String(", ")), words.back());
}

QString adapterName(model::AdapterKind adapter)
{
    return adapter == model::AdapterKind::Dora ? QStringLiteral("DoRA") : QStringLiteral("LoRA");
}

QString layersText(const std::vector<std::int64_t>& layers)
{
    constexpr std::size_t maxNamed = 6;
    if (layers.size() > maxNamed)
        return Translated::tr("in %1 layers").arg(layers.size());
    QStringList numbers;
    for (const std::int64_t layer : layers)
        numbers << QString::number(layer);
    return layers.size() == 1 ? Translated::tr("in layer %1").arg(numbers.front())
                              : Translated::tr("in layers %1").arg(enumerated(numbers));
}

/// Lists the projections of the same layers together.
QString targetsText(const Tuning& tuning)
{
    struct Group
    {
        std::vector<std::int64_t> layers;
        QStringList names;
    };
    std::vector<Group> groups;
    for (const model::AdapterTarget& target : tuning.targets) {
        const QString name = enumText(target.projection).replace(QLatin1Char('_'), QLatin1Char(' '));
        if (groups.empty() || groups.back().layers != target.layers)
            groups.push_back({.layers = target.layers, .names = {}});
        groups.back().names << name;
    }
    QStringList texts;
    for (const Group& group : groups) {
        const QString names = enumerated(group.names);
        texts << (group.layers.empty() ? names : names + QLatin1Char(' ') + layersText(group.layers));
    }
    return texts.join(QLatin1String("; "));
}

} // namespace

QString adapterText(const Tuning& tuning, const QLocale& locale)
{
    if (!model::hasAdapters(tuning))
        return {};
    QStringList parts{
        Translated::tr("%1 of rank %2").arg(adapterName(tuning.adapter), numberText(tuning.rank, locale)),
        Translated::tr("alpha %1").arg(locale.toString(tuning.alpha))};
    if (tuning.rankStabilized)
        parts << Translated::tr("rank-stabilized");
    if (tuning.dropout > 0.0)
        parts << Translated::tr("dropout %1").arg(locale.toString(tuning.dropout));
    if (!tuning.targets.empty())
        parts << Translated::tr("on %1").arg(targetsText(tuning));
    QStringList names;
    for (const std::string& name : tuning.modules.targets)
        names << QString::fromStdString(name);
    for (const std::string& name : tuning.modules.parameters)
        names << QString::fromStdString(name);
    if (!names.isEmpty())
        parts << Translated::tr("on %1").arg(names.join(QLatin1String(", ")));
    return parts.join(QLatin1String(", "));
}

QString preferenceText(model::Preference preference, const Tuning& tuning)
{
    using model::Preference;
    const QString reference = model::hasAdapters(tuning) ? Translated::tr("the network without its adapters")
                                                         : Translated::tr("a second network");
    switch (preference) {
    case Preference::None:
        return {};
    case Preference::Dpo:
        return Translated::tr("DPO on pairs of texts; reference: %1").arg(reference);
    case Preference::Orpo:
        return Translated::tr("ORPO on pairs of texts");
    case Preference::Simpo:
        return Translated::tr("SimPO on pairs of texts");
    case Preference::Kto:
        return Translated::tr("KTO on desirable and undesirable texts; reference: %1").arg(reference);
    case Preference::Reward:
        return Translated::tr("a reward model on pairs of texts");
    case Preference::ValueHead:
        return Translated::tr("a reward model with a value head on pairs of texts");
    }
    return {};
}

QString trainedPartsText(const Tuning& tuning)
{
    QStringList parts;
    for (const std::string& part : tuning.trainedParts) {
        const QString name = QString::fromStdString(part);
        parts << (name.endsWith(QLatin1Char('.')) ? name.chopped(1) : name);
    }
    for (const std::string& pattern : tuning.modules.trained)
        parts << QString::fromStdString(pattern);
    constexpr qsizetype maxNamed = 6;
    if (parts.size() <= maxNamed)
        return enumerated(parts);
    return Translated::tr("%1 and %2 more")
        .arg(parts.mid(0, maxNamed).join(QLatin1String(", ")))
        .arg(parts.size() - maxNamed);
}

QString frozenWeightsText(const Tuning& tuning)
{
    if (model::trainsAll(tuning))
        return {};
    switch (tuning.frozenWeights) {
    case FrozenWeights::Same:
        return Translated::tr("same dtype as trained weights");
    case FrozenWeights::Nf4:
        return tuning.doubleQuantization ? Translated::tr("nf4 with double quantization")
                                         : QStringLiteral("nf4");
    case FrozenWeights::TorchaoNf4:
        return Translated::tr("nf4 of torchao");
    case FrozenWeights::Fp32:
    case FrozenWeights::Bf16:
    case FrozenWeights::Int8:
        break;
    }
    return enumText(tuning.frozenWeights);
}

QString fakeQuantizationText(const Tuning& tuning, const QLocale& locale)
{
    const model::FakeQuantization& rounding = tuning.fakeQuantization;
    QStringList parts;
    if (rounding.weights != model::FakeQuantizedWeights::None) {
        const QString kind = enumText(rounding.weights);
        const bool hasGroups = rounding.weights != model::FakeQuantizedWeights::Nvfp4;
        parts << (!hasGroups                ? Translated::tr("%1 weights").arg(kind)
                  : rounding.groupSize == 0 ? Translated::tr("%1 weights by rows").arg(kind)
                                            : Translated::tr("%1 weights in groups of %2")
                                                  .arg(kind, numberText(rounding.groupSize, locale)));
    }
    if (rounding.activations != model::FakeQuantizedActivations::None)
        parts << Translated::tr("%1 activations").arg(enumText(rounding.activations));
    if (!parts.isEmpty() && rounding.embeddings)
        parts << Translated::tr("embeddings too");
    if (!parts.isEmpty() && rounding.adaptedLayers)
        parts << Translated::tr("in layers with an adapter");
    return parts.join(QLatin1String(", "));
}

QString tuningWord(const Tuning& tuning)
{
    QStringList words;
    if (!model::trainsAll(tuning)) {
        const QString what =
            model::hasAdapters(tuning)
                ? QStringLiteral("%1 %2").arg(adapterName(tuning.adapter), QString::number(tuning.rank))
                : Translated::tr("partly trained");
        words << (tuning.frozenWeights == FrozenWeights::Same
                      ? what
                      : Translated::tr("%1 on %2").arg(what, enumText(tuning.frozenWeights)));
    }
    if (model::roundsAnything(tuning.fakeQuantization))
        words << QStringLiteral("QAT %1").arg(enumText(tuning.fakeQuantization.weights));
    return words.join(QLatin1String(", "));
}

QString parametersText(std::int64_t all, std::int64_t frozen, const QLocale& locale)
{
    if (all < 1)
        return Translated::tr("parameters counted when loaded");
    if (frozen < 1)
        return Translated::tr("%1 parameters").arg(numberText(all, locale));
    const double share = static_cast<double>(all - frozen) / static_cast<double>(all);
    return Translated::tr("trainable %1 of %2 parameters, %3")
        .arg(numberText(all - frozen, locale), numberText(all, locale), percentText(share, locale, 2));
}

QJsonObject tuningObject(const Tuning& tuning)
{
    if (model::isUntuned(tuning))
        return {};
    JsonWriter fields;
    Tuning written = tuning;
    visitFields(written, fields);
    return fields.object();
}

QString tuningRecord(const Tuning& tuning)
{
    const QJsonObject object = tuningObject(tuning);
    return object.isEmpty() ? QString()
                            : QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

Tuning tuningFrom(const QJsonObject& object)
{
    Tuning tuning;
    visitFields(tuning, JsonReader(object));
    return tuning;
}

Tuning tuningFromRecord(const QString& record)
{
    return tuningFrom(QJsonDocument::fromJson(record.toUtf8()).object());
}

} // namespace batchpeak::engine
