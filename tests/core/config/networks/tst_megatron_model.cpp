// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_test_data.h"
#include "model/parameter_table.h"
#include "support/test_main.h"

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const std::string sizes =
    "--num-layers 2 --hidden-size 64 --num-attention-heads 4 --max-position-embeddings 32 ";

ConfigContents launched(const std::string& program, const std::string& arguments)
{
    return recognise("torchrun --nproc-per-node 1 " + program + " --micro-batch-size 1 " + arguments)->read();
}

model::DecoderSpec decoderOf(const std::string& arguments)
{
    const ConfigContents contents = launched("pretrain_gpt.py", arguments);
    return std::get<model::DecoderSpec>(std::get<model::ModelSpec>(contents.model).architecture);
}

/// The same network in NeMo's words.
ConfigContents ofNemo(const std::string& lines)
{
    return recognise(
               "trainer: {devices: 1}\nmodel:\n  micro_batch_size: 1\n  global_batch_size: 1\n"
               "  encoder_seq_length: 32\n  num_layers: 2\n  hidden_size: 64\n  num_attention_heads: 4\n"
               "  tokenizer: {library: megatron, type: GPT2BPETokenizer}\n" +
               lines)
        ->read();
}

const std::string llama =
    sizes + "--position-embedding-type rope --rotary-base 500000 --rotary-percent 0.5 --swiglu "
            "--normalization RMSNorm --norm-epsilon 1e-6 --disable-bias-linear "
            "--untie-embeddings-and-output-weights --group-query-attention --num-query-groups 2 "
            "--hidden-dropout 0 --attention-dropout 0.0 --ffn-hidden-size 160";

} // namespace

class MegatronModelTest : public QObject
{
    Q_OBJECT

private slots:
    void takesDefaultsOfTheArguments()
    {
        const model::DecoderSpec expected{.vocabularySize = 50304,
                                          .hiddenSize = 64,
                                          .layers = 2,
                                          .heads = 4,
                                          .keyValueHeads = 4,
                                          .feedForwardSize = 256,
                                          .maxPositions = 32,
                                          .activation = model::Activation::GeluTanh,
                                          .dropout = 0.1,
                                          .attentionDropout = 0.1};
        QVERIFY(decoderOf(sizes) == expected);
        QVERIFY(std::get<model::ModelSpec>(ofNemo("").model) ==
                (model::ModelSpec{.family = "gpt3", .architecture = expected}));
    }

    void readsTheSameFromBoth()
    {
        const model::DecoderSpec expected{.vocabularySize = 50304,
                                          .hiddenSize = 64,
                                          .layers = 2,
                                          .heads = 4,
                                          .keyValueHeads = 2,
                                          .feedForwardSize = 160,
                                          .maxPositions = 32,
                                          .positionEmbedding = model::PositionEmbedding::Rotary,
                                          .normalization = model::Normalization::RmsNorm,
                                          .activation = model::Activation::SwiGlu,
                                          .tiedEmbeddings = false,
                                          .attentionBias = false,
                                          .attentionOutputBias = false,
                                          .feedForwardBias = false,
                                          .normalizationEpsilon = 1e-6,
                                          .ropeTheta = 500000,
                                          .rotaryDimensions = 8};
        QVERIFY(decoderOf(llama) == expected);
        const ConfigContents nemo = ofNemo(
            "  position_embedding_type: rope\n  rotary_base: 500000\n  rotary_percentage: 0.5\n"
            "  activation: fast-swiglu\n  normalization: rmsnorm\n  layernorm_epsilon: 1e-6\n  bias: False\n"
            "  share_embeddings_and_output_weights: False\n  num_query_groups: 2\n  hidden_dropout: 0\n"
            "  attention_dropout: 0.0\n  ffn_hidden_size: 160\n");
        QVERIFY(std::get<model::ModelSpec>(nemo.model) ==
                (model::ModelSpec{.family = "llama", .architecture = expected}));
    }

    void readsOneArgument_data()
    {
        QTest::addColumn<QByteArray>("arguments");
        QTest::addColumn<QByteArray>("member");
        QTest::addColumn<double>("value");
        const auto row = [](const char* arguments, const char* member, double value) {
            QTest::newRow(arguments) << QByteArray(arguments) << QByteArray(member) << value;
        };
        row("--group-query-attention", "keyValueHeads", 1);
        row("--num-query-groups 2", "keyValueHeads", 4);
        row("--swiglu", "feedForwardSize", 128);
        row("--vocab-size 1000", "vocabularySize", 1024);
        row("--vocab-size 1000 --make-vocab-size-divisible-by 1", "vocabularySize", 1000);
        row("--padded-vocab-size 1003", "vocabularySize", 1003);
        row("--tokenizer-type BertWordPieceLowerCase", "vocabularySize", 30592);
        row("--tokenizer-type BertWordPieceCase", "vocabularySize", 29056);
        row("--tokenizer-type Llama2Tokenizer", "vocabularySize", 32000);
        row("--tokenizer-type TikTokenizer", "vocabularySize", 50304);
        row("--add-qkv-bias --disable-bias-linear", "attentionBias", 1);
        row("--add-qkv-bias --disable-bias-linear --num-layers 3", "attentionOutputBias", 0);
        row("--num-experts 8", "experts", 8);
        row("--num-experts 8 --num-layers 4", "expertsPerToken", 2);
        row("--num-experts 8 --moe-router-topk 1", "expertsPerToken", 1);
        row("--num-experts 8 --moe-ffn-hidden-size 32", "feedForwardSize", 32);
        row("--use-rotary-position-embeddings", "isRotary", 1);
        row("--no-bias-gelu-fusion", "isTanh", 0);
        row("--no-bias-gelu-fusion --openai-gelu", "isTanh", 1);
        row("--encoder-num-layers 2", "layers", 2);
        row("--kv-channels 32", "headSize", 32);
        row("--kv-channels 16", "headSize", 0);
        row("--qk-layernorm --normalization RMSNorm", "normalizesQueries", 1);
        row("--normalization RMSNorm", "normalizesQueries", 0);
        row("--kv-channels 32 --position-embedding-type rope --rotary-percent 0.5", "rotaryDimensions", 16);
    }
    void readsOneArgument()
    {
        QFETCH(QByteArray, arguments);
        QFETCH(QByteArray, member);
        QFETCH(double, value);
        const model::DecoderSpec spec = decoderOf(sizes + arguments.toStdString());
        const std::vector<std::pair<QByteArray, std::int64_t>> members{
            {"vocabularySize", spec.vocabularySize},
            {"keyValueHeads", spec.keyValueHeads},
            {"feedForwardSize", spec.feedForwardSize},
            {"layers", spec.layers},
            {"headSize", spec.headSize},
            {"normalizesQueries", spec.queryKeyNormalization ? 1 : 0},
            {"rotaryDimensions", spec.rotaryDimensions},
            {"experts", spec.experts},
            {"expertsPerToken", spec.expertsPerToken},
            {"attentionBias", spec.attentionBias},
            {"attentionOutputBias", spec.attentionOutputBias},
            {"isRotary", spec.positionEmbedding == model::PositionEmbedding::Rotary},
            {"isTanh", spec.activation == model::Activation::GeluTanh}};
        const auto found = std::ranges::find(members, member, [](const auto& entry) { return entry.first; });
        QVERIFY(found != members.end());
        QCOMPARE(double(found->second), value);
    }

    void readsAnEncoder()
    {
        const ConfigContents contents = launched("pretrain_bert.py", sizes + "--seq-length 16");
        const model::EncoderSpec expected{.vocabularySize = 30592,
                                          .hiddenSize = 64,
                                          .layers = 2,
                                          .heads = 4,
                                          .feedForwardSize = 256,
                                          .maxPositions = 32,
                                          .activation = model::Activation::GeluTanh,
                                          .normalizesFirst = true,
                                          .embeddingNormalization = false,
                                          .finalNormalization = true,
                                          .pooler = true,
                                          .nextSentenceHead = true,
                                          .normalizationEpsilon = 1e-5,
                                          .dropout = 0.1,
                                          .attentionDropout = 0.1};
        QVERIFY(std::get<model::ModelSpec>(contents.model) ==
                (model::ModelSpec{.family = "bert", .architecture = expected}));
        QCOMPARE(contents.sequenceLength, 16);
        const ConfigContents nemo = ofNemo("  bert_binary_head: True\n  vocab: 1\n");
        QCOMPARE(std::get<model::ModelSpec>(nemo.model).family, std::string("bert"));
    }

    void leavesOutTheSentenceHead()
    {
        const ConfigContents contents = launched("pretrain_bert.py", sizes + "--bert-no-binary-head");
        const auto spec =
            std::get<model::EncoderSpec>(std::get<model::ModelSpec>(contents.model).architecture);
        QVERIFY(!spec.nextSentenceHead && !spec.pooler);
        QCOMPARE(spec.tokenTypes, 0);
    }

    void namesFeatures_data()
    {
        QTest::addColumn<QByteArray>("arguments");
        for (const char* arguments :
             {"--qk-layernorm", "--window-size 128,0", "--mtp-num-layers 1", "--spec local",
              "--moe-shared-expert-intermediate-size 64", "--hybrid-layer-pattern M-M*", "--squared-relu",
              "--quick-geglu", "--position-embedding-type yarn", "--position-embedding-type none",
              "--moe-layer-freq [0,1]", "--softmax-type learnable", "--experimental-attention-variant gdn"})
            QTest::newRow(arguments) << QByteArray(arguments);
    }
    void namesFeatures()
    {
        QFETCH(QByteArray, arguments);
        const ConfigContents contents = launched("pretrain_gpt.py", sizes + arguments.toStdString());
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        QVERIFY(unsupported);
        const QByteArray option = arguments.left(arguments.indexOf(' '));
        QVERIFY2(QByteArray::fromStdString(unsupported->sentence).contains(option),
                 unsupported->sentence.c_str());
        QVERIFY(!unsupported->isElsewhere);
    }

    void namesFeaturesOfEncoders_data()
    {
        QTest::addColumn<QByteArray>("arguments");
        for (const char* arguments : {"--swiglu", "--normalization RMSNorm", "--disable-bias-linear",
                                      "--position-embedding-type rope", "--kv-channels 32", "--qk-layernorm"})
            QTest::newRow(arguments) << QByteArray(arguments);
    }
    void namesFeaturesOfEncoders()
    {
        QFETCH(QByteArray, arguments);
        const ConfigContents contents = launched("pretrain_bert.py", sizes + arguments.toStdString());
        QVERIFY(std::holds_alternative<UnsupportedModel>(contents.model));
    }

    void countsParametersOfKnownNetworks()
    {
        // GPT-3 of 175 billion parameters (arXiv 2005.14165), with 50304 tokens: 96 layers of 12 D^2 + 13 D,
        // positions, tokens and the last normalisation.
        const ConfigContents contents =
            launched("pretrain_gpt.py",
                     "--num-layers 96 --hidden-size 12288 --num-attention-heads 96 --seq-length 2048 "
                     "--max-position-embeddings 2048");
        constexpr std::int64_t hidden = 12288;
        QCOMPARE(model::parameterCount(std::get<model::ModelSpec>(contents.model)),
                 96 * (12 * hidden * hidden + 13 * hidden) + (50304 + 2048 + 2) * hidden);
    }
};

BATCHPEAK_TEST(MegatronModelTest)
#include "tst_megatron_model.moc"
