// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config_test_data.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDirIterator>
#include <QTest>

#include <algorithm>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const QString source = QStringLiteral(BATCHPEAK_SOURCE_DIR);
const QString corpus = source + QStringLiteral("/tests/fuzz/corpus/");
const QString shared = source + QStringLiteral("/../shared/");

/// Returns a line for each known place, such as "train_batch_size 12 train_input.batch_size".
std::string placesText(const ConfigContents& contents)
{
    std::string text;
    visitPlaces(contents.places, [&text](const std::string& name, const SourceLocation& place) {
        text += name + " " + std::to_string(place.position.line) + " " + place.key + "\n";
    });
    return text;
}

/// Returns the value of a name of visitPlaces(), if it is a number.
std::optional<std::int64_t> numberOf(const std::string& name, const ConfigContents& contents)
{
    const auto& plan = name.starts_with("eval") ? contents.eval : contents.train;
    if (name.ends_with("micro_batch_size"))
        return plan ? plan->writtenSize() : std::nullopt;
    if (name.ends_with("batch_size"))
        return plan ? std::optional(plan->globalBatchSize) : std::nullopt;
    if (name.ends_with("accumulation_steps"))
        return plan ? std::optional(plan->perDeviceBatch()) : std::nullopt;
    if (name == "devices")
        return (plan ? plan : contents.eval)->devices;
    return name == "sequence_length" ? std::optional(contents.sequenceLength) : std::nullopt;
}

ConfigContents contentsOf(const QString& path)
{
    return recognize(textOf(path))->read();
}

std::string lineOf(const std::string& text, int number)
{
    return QString::fromStdString(text).split(QLatin1Char('\n')).value(number - 1).toStdString();
}

std::string lastPart(const std::string& key)
{
    // A flag of a Cerebras Trainer is one key that contains dots; its line contains the last part too.
    return key.substr(key.rfind('.') + 1);
}

/// Options may also be spelled with underscores: "--seq_length".
std::string withDashes(std::string text)
{
    std::ranges::replace(text, '_', '-');
    return text;
}

bool hasKeyOrNumber(const std::string& line, const SourceLocation& place, std::optional<std::int64_t> number)
{
    if (withDashes(line).find(withDashes(lastPart(place.key))) != std::string::npos)
        return true;
    return number && line.find(std::to_string(*number)) != std::string::npos;
}

/// Returns the text with a different number at a position, or the same text if there is no number.
std::string withAnotherNumber(const std::string& text, TextPosition position)
{
    std::size_t byte = 0;
    for (int line = 1; line < position.line; ++line)
        byte = text.find('\n', byte) + 1;
    byte += static_cast<std::size_t>(position.column) - 1;
    std::size_t end = byte;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])))
        ++end;
    const bool isWhole =
        end == text.size() || std::string_view(" \r\n,}#;)\"'").find(text[end]) != std::string_view::npos;
    if (end == byte || !isWhole)
        return text;
    // Prefers a smaller number, as a size may be at its maximum.
    const std::int64_t number = std::stoll(text.substr(byte, end - byte));
    return text.substr(0, byte) + std::to_string(number > 1 ? number - 1 : 2) + text.substr(end);
}

bool isRefused(const QString& path)
{
    try {
        recognize(textOf(path))->read();
        return false;
    } catch (const ConfigError&) {
        return true;
    }
}

/// Returns the configs in a folder that can be read.
std::vector<QString> configsIn(const QString& folder)
{
    std::vector<QString> paths;
    QDirIterator files(folder, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        const bool isAboutTheFolder =
            path.endsWith(QLatin1String("INDEX.tsv")) || path.endsWith(QLatin1String("LICENSE"));
        if (!isAboutTheFolder && !isRefused(path))
            paths.push_back(path);
    }
    std::ranges::sort(paths);
    return paths;
}

} // namespace

/// Tests the locations of values that a user checks before a run.
class SourceLocationsTest : public QObject
{
    Q_OBJECT

private slots:
    void reportsLinesAndKeys_data()
    {
        rows<std::string>({
            {"cerebras_params_format/two_phases.yaml",
             "network 8 model\n"
             "train_batch_size 3 train_input.batch_size\n"
             "train_micro_batch_size 4 train_input.micro_batch_size\n"
             "eval_batch_size 7 eval_input.batch_size\n"
             // Its value is an alias of line 4.
             "eval_micro_batch_size 4 eval_input.micro_batch_size\n"
             "devices 26 runconfig.num_csx\n"
             "precision 18 model.mixed_precision\n"
             "optimizer 20 optimizer.optimizer_type\n"
             "max_gradient_norm 21 optimizer.max_gradient_norm\n"},
            {"cerebras_params_format/braces.json", "network 3 model\n"
                                                   "train_batch_size 1 train_input.batch_size\n"
                                                   "train_micro_batch_size 1 train_input.micro_batch_size\n"
                                                   "devices 3 runconfig.num_csx\n"},
            {"cerebras_trainer_format/two_phases.yaml",
             "network 17 trainer.init.model\n"
             "train_batch_size 4 trainer.fit.train_dataloader.batch_size\n"
             "train_micro_batch_size 15 "
             "trainer.init.callbacks[1].ScopedTrainFlags.csx.performance.micro_batch_size\n"
             "eval_batch_size 6 trainer.fit.val_dataloader[0].batch_size\n"
             "devices 10 trainer.init.backend.cluster_config.num_csx\n"
             "precision 36 trainer.init.precision.enabled\n"
             "optimizer 33 trainer.init.optimizer.AdamW\n"
             "max_gradient_norm 38 trainer.init.precision.max_gradient_norm\n"},
            {"axolotl_format/axolotl.yaml", "network 1 base_model\n"
                                            "train_micro_batch_size 11 micro_batch_size\n"
                                            "train_accumulation_steps 10 gradient_accumulation_steps\n"
                                            // The key of training, as the key of evaluation is empty.
                                            "eval_micro_batch_size 11 micro_batch_size\n"
                                            "sequence_length 7 sequence_len\n"
                                            "precision 15 bf16\n"
                                            "optimizer 14 optimizer\n"
                                            "activation_checkpointing 17 gradient_checkpointing\n"
                                            "max_gradient_norm 20 max_grad_norm\n"},
            {"axolotl_format/lora.yml", "network 1 base_model\n"
                                        "train_micro_batch_size 5 micro_batch_size\n"
                                        "sequence_length 6 sequence_len\n"},
            {"deep_speed_format/zero.json", "train_batch_size 3 train_batch_size\n"
                                            "train_micro_batch_size 4 train_micro_batch_size_per_gpu\n"
                                            "train_accumulation_steps 5 gradient_accumulation_steps\n"
                                            "precision 7 bf16.enabled\n"
                                            "optimizer 6 optimizer.type\n"
                                            "max_gradient_norm 8 gradient_clipping\n"},
            {"hugging_face_config_format/gpt2.json", "network 1 model_type\n"},
            {"hugging_face_training_format/sft.yaml",
             "network 2 model_name_or_path\n"
             "train_micro_batch_size 15 per_device_train_batch_size\n"
             "train_accumulation_steps 10 gradient_accumulation_steps\n"
             "eval_micro_batch_size 14 per_device_eval_batch_size\n"
             "sequence_length 5 max_seq_length\n"
             // It takes precedence over bf16.
             "precision 3 torch_dtype\n"
             "optimizer 17 optim\n"
             "activation_checkpointing 11 gradient_checkpointing\n"
             "max_gradient_norm 18 max_grad_norm\n"
             "attention 4 attn_implementation\n"},
            {"hugging_face_training_format/arguments.json",
             "network 1 model_name_or_path\n"
             "train_micro_batch_size 1 per_device_train_batch_size\n"
             "train_accumulation_steps 1 gradient_accumulation_steps\n"
             "precision 1 fp16\n"},
            {"llama_factory_format/sft.yaml", "network 2 model_name_or_path\n"
                                              "train_micro_batch_size 14 per_device_train_batch_size\n"
                                              "train_accumulation_steps 15 gradient_accumulation_steps\n"
                                              "eval_micro_batch_size 22 per_device_eval_batch_size\n"
                                              "sequence_length 10 cutoff_len\n"
                                              "precision 16 pure_bf16\n"
                                              "optimizer 17 optim\n"
                                              "attention 18 flash_attn\n"},
            {"llm_foundry_format/mpt.yaml",
             "network 6 model\n"
             "train_batch_size 28 global_train_batch_size\n"
             "train_micro_batch_size 30 device_train_microbatch_size\n"
             "eval_micro_batch_size 29 device_eval_batch_size\n"
             // Its value is an interpolation.
             "sequence_length 3 max_seq_len\n"
             "precision 31 precision\n"
             "optimizer 22 optimizer.name\n"
             "max_gradient_norm 27 algorithms.gradient_clipping.clipping_threshold\n"
             "attention 17 model.attn_config.attn_impl\n"},
            {"megatron_format/train_gpt.sh", "network 11 --num-layers\n"
                                             "train_batch_size 18 --global-batch-size\n"
                                             "train_micro_batch_size 17 --micro-batch-size\n"
                                             "eval_batch_size 18 --global-batch-size\n"
                                             "eval_micro_batch_size 17 --micro-batch-size\n"
                                             // Its value is a variable.
                                             "devices 3 --nproc-per-node\n"
                                             "sequence_length 14 --seq-length\n"
                                             "precision 19 --fp16\n"
                                             "max_gradient_norm 19 --clip-grad\n"},
            {"own_format/gpt2.yaml", "network 2 model\n"
                                     "train_batch_size 11 batch_size\n"
                                     "train_micro_batch_size 12 micro_batch_size\n"
                                     "eval_batch_size 13 eval_batch_size\n"
                                     "eval_micro_batch_size 14 eval_micro_batch_size\n"
                                     "devices 15 devices\n"
                                     "sequence_length 16 sequence_length\n"
                                     "precision 17 precision\n"
                                     "optimizer 18 optimizer\n"
                                     "activation_checkpointing 19 activation_checkpointing\n"
                                     "loss_chunk_rows 20 loss_chunk_rows\n"
                                     "max_gradient_norm 21 max_gradient_norm\n"},
            // A null size has a place, and images have no sequence length.
            {"own_format/resnet.yaml", "network 2 model\n"
                                       "train_batch_size 3 batch_size\n"
                                       "train_micro_batch_size 4 micro_batch_size\n"
                                       "eval_batch_size 3 batch_size\n"},
            // The length is null, so it has no place.
            {"torchtune_format/full.yaml", "network 11 model._component_\n"
                                           "train_micro_batch_size 12 batch_size\n"
                                           "train_accumulation_steps 20 gradient_accumulation_steps\n"
                                           "precision 24 dtype\n"
                                           "optimizer 15 optimizer._component_\n"
                                           "activation_checkpointing 23 enable_activation_checkpointing\n"},
        });
    }
    void reportsLinesAndKeys()
    {
        const auto& expected = row<std::string>();
        QCOMPARE(placesText(contentsOf(corpus + QString::fromUtf8(QTest::currentDataTag()))), expected);
    }

    void followsAliasesAndVariables_data()
    {
        rows<std::string, std::string>({
            {"merge keys, and a mapping for the size",
             {"base: &base\n  batch_size: 24\ntrain_input:\n  <<: *base\n  micro_batch_size:\n"
              "    explore:\n      min: 2\n",
              "train_batch_size 2 train_input.batch_size\n"
              "train_micro_batch_size 5 train_input.micro_batch_size\n"}},
            {"a list of trainers, and flags of both phases",
             {"trainer:\n- trainer:\n    init:\n      callbacks:\n      - GlobalFlags:\n"
              "          csx.performance.micro_batch_size: auto\n"
              "    fit:\n      train_dataloader:\n        batch_size: 12\n",
              "train_batch_size 9 trainer[0].trainer.fit.train_dataloader.batch_size\n"
              "train_micro_batch_size 6 "
              "trainer[0].trainer.init.callbacks[0].GlobalFlags.csx.performance.micro_batch_size\n"}},
            {"an anchor within a line",
             {"base_model: gpt2\nx: &x\n  y: &y 3\nmicro_batch_size: *y\n"
              "gradient_accumulation_steps: 2\nsequence_len: null\n",
              "network 1 base_model\ntrain_micro_batch_size 3 micro_batch_size\n"
              "train_accumulation_steps 5 gradient_accumulation_steps\n"}},
            {"a trainer of Lightning",
             {"trainer:\n  devices: 2\n  precision: bf16\n  gradient_clip_val: 1.0\nmodel:\n"
              "  micro_batch_size: 4\n  global_batch_size: 8\n  encoder_seq_length: 512\n"
              "  max_position_embeddings: ${.encoder_seq_length}\n  num_layers: 2\n  hidden_size: 64\n"
              "  num_attention_heads: 4\n  activations_checkpoint_granularity: full\n"
              "  optim: {name: fused_adam}\n",
              "network 10 model.num_layers\ntrain_batch_size 7 model.global_batch_size\n"
              "train_micro_batch_size 6 model.micro_batch_size\neval_batch_size 7 model.global_batch_size\n"
              "eval_micro_batch_size 6 model.micro_batch_size\ndevices 2 trainer.devices\n"
              "sequence_length 8 model.encoder_seq_length\nprecision 3 trainer.precision\n"
              "optimizer 14 model.optim.name\n"
              "activation_checkpointing 13 model.activations_checkpoint_granularity\n"
              "max_gradient_norm 4 trainer.gradient_clip_val\n"}},
            // The launcher determines the devices, so they have no place.
            {"variables of a script, and a fallback",
             {"MBS=${1:-4}\nLEN='64'\nOPTS=\"--micro-batch-size $MBS --global-batch-size 32\"\n"
              "python pretrain_gpt.py $OPTS --seq-length $LEN --bf16 --num-layers 2 --hidden-size 64 \\\n"
              "  --num-attention-heads 4 --max-position-embeddings 64\n",
              "network 4 --num-layers\ntrain_batch_size 3 --global-batch-size\n"
              "train_micro_batch_size 1 --micro-batch-size\neval_batch_size 3 --global-batch-size\n"
              "eval_micro_batch_size 1 --micro-batch-size\nsequence_length 2 --seq-length\n"
              "precision 4 --bf16\n"}},
            {"a world that is calculated",
             {"WORLD_SIZE=$((2*4))\n"
              "python pretrain_gpt.py --micro-batch-size 4 --num-layers 2 --hidden-size 64 \\\n"
              "  --num-attention-heads 4 --max-position-embeddings 64 --seq-length 64\n",
              "network 2 --num-layers\ntrain_micro_batch_size 2 --micro-batch-size\n"
              "eval_micro_batch_size 2 --micro-batch-size\ndevices 1 WORLD_SIZE\n"
              "sequence_length 3 --seq-length\n"}},
        });
    }
    void followsAliasesAndVariables()
    {
        const auto& [text, expected] = row<std::string, std::string>();
        QCOMPARE(placesText(recognize(text)->read()), expected);
    }

    void reportsColumns()
    {
        const ConfigContents contents = contentsOf(corpus + QStringLiteral("own_format/gpt2.yaml"));
        QCOMPARE(contents.places.train.globalBatch->position, (TextPosition{.line = 11, .column = 13}));
        QCOMPARE(contents.places.network->position, (TextPosition{.line = 2, .column = 1}));
    }

    // Only one of the keys for a precision takes effect.
    void reportsTheKeyThatTakesEffect_data()
    {
        const std::string axolotl = "base_model: gpt2\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\n";
        const std::string arguments = "model_name_or_path: gpt2\nper_device_train_batch_size: 1\n";
        const std::string deepSpeed = "{\"train_batch_size\": 8,\n ";
        const std::string foundry = "global_train_batch_size: 8\ndevice_train_microbatch_size: 2\nmodel:\n"
                                    "  name: hf_causal_lm\n  pretrained_model_name_or_path: gpt2\n";
        rows<std::string, std::string>({
            {"switched to 32 bits", {axolotl + "bf16: false\ntf32: true", "5 tf32"}},
            {"32 bits by what is off", {axolotl + "fp16: false\nbf16: false", "5 bf16"}},
            {"the older name", {axolotl + "bf16: false\nbfloat16: true", "5 bfloat16"}},
            {"16 bits by default", {axolotl + "tf32: true", ""}},
            {"arguments in TF32", {arguments + "bf16: false\ntf32: true", "4 tf32"}},
            {"an older fp16", {arguments + "bf16: false\nfp16: true", "4 fp16"}},
            {"a type that changes nothing", {arguments + "torch_dtype: float32\nbf16: true", "4 bf16"}},
            {"DeepSpeed's auto", {deepSpeed + "\"fp16\": {\"enabled\": \"auto\"}}", "2 fp16.enabled"}},
            {"DeepSpeed's fp16",
             {deepSpeed + "\"bf16\": {\"enabled\": false},\n\"fp16\": {\"enabled\": true}}",
              "3 fp16.enabled"}},
            {"weights in 16 bits",
             {foundry + "  master_weights_dtype: bf16\nprecision: amp_bf16", "6 model.master_weights_dtype"}},
            {"a network by its id", {foundry + "precision: amp_bf16", "6 precision"}},
        });
    }
    void reportsTheKeyThatTakesEffect()
    {
        const auto& [text, expected] = row<std::string, std::string>();
        const auto place = recognize(text)->read().places.precision;
        QCOMPARE(place ? std::to_string(place->position.line) + " " + place->key : "", expected);
    }

    void namesTheFileOfAGivenNetwork()
    {
        const ConfigContents arguments = recognize("per_device_train_batch_size: 4\nmax_steps: 1\n"
                                                   "num_train_epochs: 1\n")
                                             ->read();
        QVERIFY(!arguments.places.network);
        const ConfigContents joined =
            withModelOf(arguments, contentsOf(corpus + QStringLiteral("own_format/gpt2.yaml")));
        QCOMPARE(joined.places.network,
                 std::optional(SourceLocation{
                     .key = "model", .position = {.line = 2, .column = 1}, .isInModelSource = true}));
        // The length is from that file too, but the batch is from the config itself.
        QVERIFY(joined.places.sequenceLength->isInModelSource);
        QCOMPARE(joined.places.sequenceLength->position.line, 16);
        QVERIFY(!joined.places.train.microBatch->isInModelSource);
    }

    void pointsAtNamedValues_data()
    {
        const auto add = rows<QString>();
        for (const QString& folder :
             {corpus, source + QStringLiteral("/tests/data/configs"),
              source + QStringLiteral("/resources/examples"), shared + QStringLiteral("configs"),
              shared + QStringLiteral("corpus")}) {
            const auto configs = configsIn(folder);
            if (configs.empty())
                add(folder.toStdString(), QString());
            for (const QString& path : configs)
                add(path.mid(source.size() + 1).toStdString(), path);
        }
    }
    // In every config, the line contains the key or the value, and another number there changes the reading.
    void pointsAtNamedValues()
    {
        const auto& path = row<QString>();
        if (path.isEmpty())
            QSKIP("The shared configs are not on this computer.");
        const std::string text = textOf(path);
        const ConfigContents contents = recognize(text)->read();
        visitPlaces(contents.places, [&](const std::string& name, const SourceLocation& place) {
            const std::string line = lineOf(text, place.position.line);
            const std::string what = name + " " + place.key + ": " + line;
            const auto number = numberOf(name, contents);
            QVERIFY2(hasKeyOrNumber(line, place, number), what.c_str());
            const std::string other = withAnotherNumber(text, place.position);
            QVERIFY2(!number || other == text || isReadDifferently(other, name, *number), what.c_str());
        });
    }

private:
    // A refusal counts as a different reading.
    static bool isReadDifferently(const std::string& text, const std::string& name, std::int64_t before)
    {
        try {
            return numberOf(name, recognize(text)->read()) != before;
        } catch (const ConfigError&) {
            return true;
        }
    }
};

BATCHPEAK_TEST(SourceLocationsTest)
#include "tst_source_locations.moc"
