// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_text.h"

#include "number_text.h"

#include <string_view>
#include <variant>

namespace batchpeak::cli {

namespace {

QString word(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString headsText(const model::DecoderSpec& spec)
{
    QString heads = QStringLiteral("%1 heads").arg(spec.heads);
    if (spec.keyValueHeads != spec.heads)
        heads += QStringLiteral(" in %1 groups").arg(spec.keyValueHeads);
    return heads;
}

QString feedForwardText(const model::DecoderSpec& spec)
{
    const QString size = groupedText(spec.feedForwardSize);
    if (!model::hasExperts(spec))
        return QStringLiteral("feed-forward %1").arg(size);
    return QStringLiteral("%1 of %2 experts of feed-forward %3")
        .arg(groupedText(spec.expertsPerToken), groupedText(spec.experts), size);
}

std::vector<QStringList> rowsOf(const model::DecoderSpec& spec)
{
    return {
        {QStringLiteral("shape"),
         QStringLiteral("%1 layers, hidden size %2, %3, %4, vocabulary %5, positions %6")
             .arg(groupedText(spec.layers), groupedText(spec.hiddenSize), headsText(spec),
                  feedForwardText(spec), groupedText(spec.vocabularySize), groupedText(spec.maxPositions))},
        {QStringLiteral("parts"),
         QStringLiteral("%1 positions, %2, %3, %4 embeddings")
             .arg(word(model::toText(spec.positionEmbedding)), word(model::toText(spec.normalization)),
                  word(model::toText(spec.activation)),
                  spec.tiedEmbeddings ? QStringLiteral("tied") : QStringLiteral("separate"))}};
}

} // namespace

std::vector<QStringList> modelRows(const model::ModelSpec& spec)
{
    return std::visit([](const auto& architecture) { return rowsOf(architecture); }, spec.architecture);
}

} // namespace batchpeak::cli
