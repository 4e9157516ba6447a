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
    if (spec.headSize != 0)
        heads += QStringLiteral(" of size %1").arg(groupedText(spec.headSize));
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
         QStringLiteral("%1 positions, %2, %3, %4%5 embeddings")
             .arg(word(model::toText(spec.positionEmbedding)), word(model::toText(spec.normalization)),
                  word(model::toText(spec.activation)),
                  spec.queryKeyNormalization ? QStringLiteral("normalised queries and keys, ") : QString(),
                  spec.tiedEmbeddings ? QStringLiteral("tied") : QStringLiteral("separate"))}};
}

QString embeddingsText(bool tied)
{
    return tied ? QStringLiteral("tied embeddings") : QStringLiteral("separate embeddings");
}

QString headsText(const model::EncoderSpec& spec)
{
    QStringList heads;
    if (spec.pooler)
        heads << QStringLiteral("pooler");
    if (spec.maskedLanguageHead && spec.predictedTokens > 0)
        heads << QStringLiteral("masked-language head on %1 tokens a sample")
                     .arg(groupedText(spec.predictedTokens));
    else if (spec.maskedLanguageHead)
        heads << QStringLiteral("masked-language head");
    if (spec.nextSentenceHead)
        heads << QStringLiteral("next-sentence head");
    return heads.join(QStringLiteral(", "));
}

std::vector<QStringList> rowsOf(const model::EncoderSpec& spec)
{
    return {{QStringLiteral("shape"),
             QStringLiteral(
                 "%1 layers, hidden size %2, %3 heads, feed-forward %4, vocabulary %5, positions %6, token "
                 "types %7")
                 .arg(groupedText(spec.layers), groupedText(spec.hiddenSize), groupedText(spec.heads),
                      groupedText(spec.feedForwardSize), groupedText(spec.vocabularySize),
                      groupedText(spec.maxPositions), groupedText(spec.tokenTypes))},
            {QStringLiteral("parts"),
             QStringLiteral("%1 positions, layernorm %2 branches, %3, %4, %5")
                 .arg(word(model::toText(spec.positionEmbedding)),
                      spec.normalizesFirst ? QStringLiteral("before") : QStringLiteral("after"),
                      word(model::toText(spec.activation)), embeddingsText(spec.tiedEmbeddings),
                      headsText(spec))}};
}

std::vector<QStringList> rowsOf(const model::EncoderDecoderSpec& spec)
{
    return {{QStringLiteral("shape"),
             QStringLiteral("%1 encoder layers, %2 decoder layers, hidden size %3, %4 heads of size %5, "
                            "feed-forward %6, vocabulary %7")
                 .arg(groupedText(spec.encoderLayers), groupedText(spec.decoderLayers),
                      groupedText(spec.hiddenSize), groupedText(spec.heads), groupedText(spec.headSize),
                      groupedText(spec.feedForwardSize), groupedText(spec.vocabularySize))},
            {QStringLiteral("parts"),
             QStringLiteral("relative positions in %1 buckets, %2, %3, %4")
                 .arg(groupedText(spec.relativeBuckets), word(model::toText(spec.normalization)),
                      word(model::toText(spec.activation)), embeddingsText(spec.tiedEmbeddings))}};
}

QString imageText(std::int64_t size, std::int64_t channels)
{
    return QStringLiteral("images of %1 x %1 pixels in %2 channels")
        .arg(groupedText(size), groupedText(channels));
}

std::vector<QStringList> rowsOf(const model::VisionTransformerSpec& spec)
{
    return {{QStringLiteral("shape"),
             QStringLiteral("%1 layers, hidden size %2, %3 heads, feed-forward %4, classes %5")
                 .arg(groupedText(spec.layers), groupedText(spec.hiddenSize), groupedText(spec.heads),
                      groupedText(spec.feedForwardSize), groupedText(spec.classes))},
            {QStringLiteral("parts"),
             QStringLiteral("%1, patches of %2 x %2, %3")
                 .arg(imageText(spec.imageSize, spec.channels), groupedText(spec.patchSize),
                      word(model::toText(spec.activation)))}};
}

std::vector<QStringList> rowsOf(const model::ResNetSpec& spec)
{
    return {{QStringLiteral("shape"),
             QStringLiteral("depth %1, first stage of %2 channels, classes %3")
                 .arg(groupedText(spec.depth), groupedText(spec.width), groupedText(spec.classes))},
            {QStringLiteral("parts"),
             QStringLiteral("%1, batch normalisation").arg(imageText(spec.imageSize, spec.channels))}};
}

QString inputText(const model::ScriptInput& input)
{
    QStringList sizes{QStringLiteral("samples")};
    for (std::int64_t size : input.shape)
        sizes += groupedText(size);
    return QStringLiteral("%1 {%2}").arg(word(model::toText(input.type)), sizes.join(QStringLiteral(", ")));
}

std::vector<QStringList> rowsOf(const model::ScriptSpec& spec)
{
    QStringList inputs;
    for (const model::ScriptInput& input : spec.inputs)
        inputs += inputText(input);
    const QString output = spec.output == model::ScriptOutput::Loss
                               ? QStringLiteral("its loss")
                               : QStringLiteral("logits of %1 classes").arg(groupedText(spec.classes));
    return {{QStringLiteral("file"), QString::fromStdString(spec.file)},
            {QStringLiteral("shape"),
             QStringLiteral("takes %1; gives %2").arg(inputs.join(QStringLiteral(", ")), output)}};
}

} // namespace

std::vector<QStringList> modelRows(const model::ModelSpec& spec)
{
    return std::visit([](const auto& architecture) { return rowsOf(architecture); }, spec.architecture);
}

} // namespace batchpeak::cli
