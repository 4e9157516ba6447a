// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "files/config_file.h"
#include "files/hub_cache.h"
#include "files/network_files.h"
#include "support/error_of.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include <sys/stat.h>
#include <unistd.h>

using namespace batchpeak;
using batchpeak::engine::ConfigFile;
using test::errorOf;
using test::row;
using test::rows;
using test::Text;

namespace {

const QByteArray commit("0123456789abcdef0123456789abcdef01234567");

/// Returns the config.json of a made-up network, as the Hugging Face hub has it.
QByteArray networkOf(int layers)
{
    return "{\n  \"model_type\": \"llama\",\n  \"architectures\": [\"LlamaForCausalLM\"],\n"
           "  \"vocab_size\": 64,\n  \"hidden_size\": 16,\n  \"intermediate_size\": 32,\n"
           "  \"num_attention_heads\": 2,\n  \"num_key_value_heads\": 2,\n  \"num_hidden_layers\": " +
           QByteArray::number(layers) + "\n}\n";
}

QByteArray adapterOf(const QByteArray& base)
{
    return "{\"peft_type\": \"LORA\", \"r\": 8, \"base_model_name_or_path\": \"" + base + "\"}\n";
}

QByteArray configNaming(const QByteArray& name)
{
    return "base_model: " + name + "\nmicro_batch_size: 2\ngradient_accumulation_steps: 1\n";
}

} // namespace

class NetworkFilesTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_workingFolder;
    std::map<QByteArray, std::optional<QByteArray>> m_environment;

    QString pathOf(const QString& path) const { return m_folder->filePath(path); }

    void set(const QByteArray& variable, const QByteArray& value)
    {
        if (!m_environment.contains(variable))
            m_environment[variable] = qEnvironmentVariableIsSet(variable.constData())
                                          ? std::optional(qgetenv(variable.constData()))
                                          : std::nullopt;
        qputenv(variable.constData(), value);
    }

    void write(const QString& path, const QByteArray& bytes)
    {
        const QString full = pathOf(path);
        QVERIFY(QDir().mkpath(QFileInfo(full).path()));
        test::writeFile(full, bytes);
    }

    /// Adds a revision of a network to the cache, with links to blobs as huggingface_hub makes them.
    void cache(const QString& id, const QByteArray& config, const QString& revision = QStringLiteral("main"),
               const QByteArray& hash = commit, const QString& file = QStringLiteral("config.json"))
    {
        const QString folder =
            QStringLiteral("hub/models--%1/").arg(QString(id).replace(QLatin1Char('/'), QLatin1String("--")));
        write(folder + QStringLiteral("refs/") + revision, hash);
        const QString blob = QString::fromLatin1(hash) + file;
        write(folder + QStringLiteral("blobs/") + blob, config);
        const QString snapshot = pathOf(folder + QStringLiteral("snapshots/") + QString::fromLatin1(hash));
        QVERIFY(QDir().mkpath(snapshot));
        QVERIFY(QFile::link(QStringLiteral("../../blobs/") + blob, QDir(snapshot).filePath(file)));
    }

    ConfigFile opened(const QByteArray& config)
    {
        test::writeFile(pathOf(QStringLiteral("configs/sft.yaml")), config);
        return ConfigFile::open(pathOf(QStringLiteral("configs/sft.yaml")));
    }

    /// Returns 0 if there is no network.
    static std::int64_t layersOf(const ConfigFile& file)
    {
        const auto* spec = std::get_if<model::ModelSpec>(&file.contents().model);
        const auto* decoder = spec ? std::get_if<model::DecoderSpec>(&spec->architecture) : nullptr;
        return decoder ? decoder->layers : 0;
    }

    static QString problemOf(const ConfigFile& file)
    {
        const auto* unsupported = std::get_if<config::UnsupportedModel>(&file.contents().model);
        return unsupported ? QString::fromStdString(unsupported->sentence) : QString();
    }

    static QString warningsOf(const ConfigFile& file)
    {
        QString text;
        for (const config::Warning& warning : file.contents().warnings)
            text += QString::fromStdString(warning.sentence) + QLatin1Char('\n');
        return text;
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        m_workingFolder = QDir::currentPath();
        QVERIFY(QDir().mkpath(pathOf(QStringLiteral("here"))) &&
                QDir().mkpath(pathOf(QStringLiteral("configs"))));
        QVERIFY(QDir::setCurrent(pathOf(QStringLiteral("here"))));
        set("HOME", pathOf(QStringLiteral("home")).toLocal8Bit());
        set("HF_HUB_CACHE", pathOf(QStringLiteral("hub")).toLocal8Bit());
    }
    void cleanup()
    {
        QVERIFY(QDir::setCurrent(m_workingFolder));
        for (const auto& [variable, value] : m_environment) {
            if (value)
                qputenv(variable.constData(), *value);
            else
                qunsetenv(variable.constData());
        }
        m_environment.clear();
    }

    // Each row names the folder of the cache if the variables of the rows above it are empty.
    void findsTheCache_data()
    {
        rows<Text, Text>({{"HF_HUB_CACHE", {"HF_HUB_CACHE", "/of/HF_HUB_CACHE"}},
                          {"HUGGINGFACE_HUB_CACHE", {"HUGGINGFACE_HUB_CACHE", "/of/HUGGINGFACE_HUB_CACHE"}},
                          {"HF_HOME", {"HF_HOME", "/of/HF_HOME/hub"}},
                          {"XDG_CACHE_HOME", {"XDG_CACHE_HOME", "/of/XDG_CACHE_HOME/huggingface/hub"}},
                          {"home", {"", "HOME/.cache/huggingface/hub"}}});
    }
    void findsTheCache()
    {
        const auto& [first, folder] = row<Text, Text>();
        bool isEmpty = !first.isEmpty();
        for (const char* variable : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"}) {
            isEmpty = isEmpty && first != QLatin1String(variable);
            set(variable, isEmpty || first.isEmpty() ? QByteArray() : QByteArray("/of/") + variable);
        }
        QCOMPARE(engine::hubCacheFolder(),
                 QString(folder).replace(QLatin1String("HOME/."), QDir::homePath() + QLatin1String("/.")));
    }

    void expandsTheHomeOfACache()
    {
        set("HF_HUB_CACHE", "~/models");
        QCOMPARE(engine::hubCacheFolder(), QDir::homePath() + QStringLiteral("/models"));
    }

    // Path in a config, and folder of a network with 3 layers; other folders contain no network.
    void readsTheNetworkInAFolder_data()
    {
        rows<Text, Text>({{"beside the config", {"models/tiny", "configs/models/tiny"}},
                          {"above the config", {"../models/tiny", "models/tiny"}},
                          {"below the current folder", {"models/tiny", "here/models/tiny"}},
                          {"of the user", {"~/models/tiny", "home/models/tiny"}},
                          {"absolute", {"/models/tiny", "models/tiny"}}});
    }
    void readsTheNetworkInAFolder()
    {
        const auto& [name, folder] = row<Text, Text>();
        write(folder + QStringLiteral("/config.json"), networkOf(3));
        const QString path = name.startsWith(QLatin1Char('/')) ? m_folder->path() + name : QString(name);
        const ConfigFile file = opened(configNaming(path.toUtf8()));
        QCOMPARE(layersOf(file), 3);
        QCOMPARE(QFileInfo(file.modelSource()).canonicalFilePath(),
                 QFileInfo(pathOf(folder + QStringLiteral("/config.json"))).canonicalFilePath());
        QCOMPARE(file.chosenModel(), QString());
        QVERIFY(file.contents().places.network->isInModelSource);
        QCOMPARE(file.contents().places.network->position.line, 2);
        QCOMPARE(file.contents().train->presentSize, 2);
    }

    void prefersTheFirstPlace()
    {
        cache(QStringLiteral("gpt2"), networkOf(1));
        QCOMPARE(layersOf(opened(configNaming("gpt2"))), 1);
        write(QStringLiteral("here/gpt2/config.json"), networkOf(2));
        QCOMPARE(layersOf(opened(configNaming("gpt2"))), 2);
        write(QStringLiteral("configs/gpt2/config.json"), networkOf(3));
        QCOMPARE(layersOf(opened(configNaming("gpt2"))), 3);
    }

    void fallsBackToTheTable()
    {
        const ConfigFile file = opened(configNaming("gpt2"));
        QCOMPARE(layersOf(file), 12);
        QCOMPARE(file.modelSource(), QString());
        QVERIFY(!file.contents().places.network->isInModelSource);
        QCOMPARE(file.contents().places.network->position.line, 1);
    }

    void ignoresAFolderWithoutANetwork()
    {
        write(QStringLiteral("configs/gpt2/notes.txt"), "nothing");
        write(QStringLiteral("here/gpt2"), "a program");
        QCOMPARE(layersOf(opened(configNaming("gpt2"))), 12);
    }

    void readsTheNetworkInTheCache_data()
    {
        rows<std::string>({{"owner and name", "nobody/tiny-1.0"}, {"a name alone", "tiny"}});
    }
    void readsTheNetworkInTheCache()
    {
        const QString id = QString::fromStdString(row<std::string>());
        cache(id, networkOf(5));
        const ConfigFile file = opened(configNaming(id.toUtf8()));
        QCOMPARE(layersOf(file), 5);
        VERIFY_CONTAINS(file.modelSource(), QString::fromLatin1("snapshots/" + commit + "/config.json"));
        QVERIFY(warningsOf(file).isEmpty() || !warningsOf(file).contains(QLatin1String("well-known")));
    }

    void usesTheRequestedRevision_data()
    {
        rows<std::string, std::int64_t>(
            {{"none", {"", 1}},
             {"axolotl", {"revision_of_model: v2", 2}},
             {"a branch of a branch", {"revision_of_model: pr/7", 2}},
             {"a commit", {"revision_of_model: fedcba9876543210fedcba9876543210fedcba98", 2}},
             {"none of the cache", {"revision_of_model: v3", 0}},
             {"one that leads out", {"revision_of_model: ../../refs/main", 0}},
             {"another key", {"model_revision: v2", 1}}});
    }
    void usesTheRequestedRevision()
    {
        const auto& [key, layers] = row<std::string, std::int64_t>();
        const QByteArray other("fedcba9876543210fedcba9876543210fedcba98");
        cache(QStringLiteral("nobody/tiny"), networkOf(1));
        cache(QStringLiteral("nobody/tiny"), networkOf(2), QStringLiteral("v2"), other);
        write(QStringLiteral("hub/models--nobody--tiny/refs/pr/7"), other);
        const ConfigFile file = opened(configNaming("nobody/tiny") + QByteArray::fromStdString(key) + "\n");
        QCOMPARE(layersOf(file), layers);
        if (layers == 0)
            VERIFY_CONTAINS(problemOf(file), "what the Hugging Face cache has of it");
    }

    void readsTheRevisionOfEveryTrainer_data()
    {
        rows<std::string>(
            {{"LLaMA-Factory", "stage: sft\nfinetuning_type: full\nmodel_name_or_path: nobody/tiny\n"},
             {"TRL", "model_name_or_path: nobody/tiny\nper_device_train_batch_size: 2\n"}});
    }
    void readsTheRevisionOfEveryTrainer()
    {
        const auto config = QByteArray::fromStdString(row<std::string>());
        cache(QStringLiteral("nobody/tiny"), networkOf(1));
        cache(QStringLiteral("nobody/tiny"), networkOf(2), QStringLiteral("v2"), "fedcba");
        QCOMPARE(layersOf(opened(config)), 1);
        QCOMPARE(layersOf(opened(config + "model_revision: v2\n")), 2);
    }

    void overridesValuesAsTheTrainerDoes()
    {
        cache(QStringLiteral("nobody/tiny"), networkOf(1));
        const ConfigFile file = opened(
            "max_seq_len: 64\nglobal_train_batch_size: 8\ndevice_train_microbatch_size: 2\nmodel:\n  name: "
            "hf_causal_lm\n"
            "  pretrained_model_name_or_path: nobody/tiny\n  config_overrides:\n    num_hidden_layers: 4\n"
            "optimizer: {name: decoupled_adamw, lr: 1.0e-4}\n");
        QCOMPARE(layersOf(file), 4);
    }

    // Covers caches that an interrupted download leaves, and folders that are no cache.
    void ignoresABrokenCache_data()
    {
        const QString folder = QStringLiteral("hub/models--nobody--tiny/");
        const QString snapshots = folder + QStringLiteral("snapshots/");
        using Break = std::function<void(NetworkFilesTest&)>;
        const auto add = rows<Break>();
        add("no refs", [=](NetworkFilesTest& test) {
            QVERIFY(QFile::remove(test.pathOf(folder + QStringLiteral("refs/main"))));
        });
        add("an empty ref",
            [=](NetworkFilesTest& test) { test.write(folder + QStringLiteral("refs/main"), ""); });
        add("a ref to no snapshot",
            [=](NetworkFilesTest& test) { test.write(folder + QStringLiteral("refs/main"), "abcdef"); });
        add("a ref that leads out",
            [=](NetworkFilesTest& test) { test.write(folder + QStringLiteral("refs/main"), "../../.."); });
        add("a large ref", [=](NetworkFilesTest& test) {
            test.write(folder + QStringLiteral("refs/main"), commit + QByteArray(100'000, ' '));
        });
        add("a pipe for a ref", [=](NetworkFilesTest& test) {
            const QString path = test.pathOf(folder + QStringLiteral("refs/main"));
            QVERIFY(QFile::remove(path));
            QCOMPARE(mkfifo(QFile::encodeName(path).constData(), 0600), 0);
        });
        add("no config.json", [=](NetworkFilesTest& test) {
            const QString snapshot = test.pathOf(snapshots + QString::fromLatin1(commit));
            QVERIFY(QFile::remove(snapshot + QStringLiteral("/config.json")));
            test.write(snapshots + QString::fromLatin1(commit + "/tokenizer.json"), "{}");
        });
        add("a link to no blob", [=](NetworkFilesTest& test) {
            QVERIFY(
                QFile::remove(test.pathOf(folder + QString::fromLatin1("blobs/" + commit + "config.json"))));
        });
        add("links in a circle", [=](NetworkFilesTest& test) {
            const QString snapshot = test.pathOf(snapshots + QString::fromLatin1(commit));
            QVERIFY(QDir(snapshot).removeRecursively());
            QVERIFY(QFile::link(QString::fromLatin1(commit), snapshot));
        });
    }
    void ignoresABrokenCache()
    {
        cache(QStringLiteral("nobody/tiny"), networkOf(1));
        QCOMPARE(layersOf(opened(configNaming("nobody/tiny"))), 1);
        row<std::function<void(NetworkFilesTest&)>>()(*this);
        const ConfigFile file = opened(configNaming("nobody/tiny"));
        QCOMPARE(layersOf(file), 0);
        VERIFY_CONTAINS(problemOf(file), pathOf(QStringLiteral("hub/models--nobody--tiny")));
        QVERIFY(std::get<config::UnsupportedModel>(file.contents().model).isElsewhere);
    }

    void namesTheSearchedPlaces()
    {
        const ConfigFile file = opened(configNaming("nobody/tiny"));
        QCOMPARE(
            problemOf(file),
            QStringLiteral("The network is named \"nobody/tiny\", of which no config.json is in "
                           "%1/configs/nobody/tiny, %1/here/nobody/tiny or the Hugging Face cache "
                           "(%1/hub), and which is not among the well-known ones; download it (--download "
                           "once), or give its config.json "
                           "with --model.")
                .arg(QDir(m_folder->path()).canonicalPath()));
        const auto missing = std::get<config::UnsupportedModel>(file.contents().model).missing;
        QVERIFY(missing);
        QCOMPARE(missing->name, std::string("nobody/tiny"));
    }

    // Names that no network can have must not be used as paths.
    void doesNotUseInvalidNamesAsPaths_data()
    {
        const auto add = rows<std::string>();
        for (const char* name :
             {"..", "../..", "a/../b", "models--a--b", "a b/c", "-x/y", "'a\\0b'", "~", "a/b/c"})
            add(name, name);
    }
    void doesNotUseInvalidNamesAsPaths()
    {
        const ConfigFile file = opened(configNaming(QByteArray::fromStdString(row<std::string>())));
        QCOMPARE(layersOf(file), 0);
        VERIFY_CONTAINS(problemOf(file), "give its config.json with --model");
        QVERIFY(!std::get<config::UnsupportedModel>(file.contents().model).missing);
    }

    // Each row creates something in place of the config.json of a network, and has a part of the expected
    // sentence.
    void refusesInvalidConfigs_data()
    {
        using Make = std::function<void(const QString&)>;
        const auto add = rows<Make, std::string>();
        add("too large", {[](const QString& path) {
                              QFile file(path);
                              QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(100'000'000));
                          },
                          "has 100000000 bytes"});
        add("a pipe",
            {[](const QString& path) { QCOMPARE(mkfifo(QFile::encodeName(path).constData(), 0600), 0); },
             "no regular file"});
        add("a folder", {[](const QString& path) { QVERIFY(QDir().mkpath(path)); }, "This is a folder"});
        add("empty", {[](const QString& path) { test::writeFile(path, ""); }, "is empty"});
        add("no JSON",
            {[](const QString& path) { test::writeFile(path, "{\"model_type\": "); }, "config.json:1:"});
        add("no network",
            {[](const QString& path) { test::writeFile(path, "{\"a\": 1}"); }, "Unrecognized config"});
    }
    void refusesInvalidConfigs()
    {
        const auto& [make, sentence] = row<std::function<void(const QString&)>, std::string>();
        for (const char* name : {"nobody/tiny", "nobody/gpt2"}) {
            const QString folder = pathOf(QStringLiteral("configs/%1").arg(QLatin1String(name)));
            QVERIFY(QDir().mkpath(folder));
            make(folder + QStringLiteral("/config.json"));
        }
        const ConfigFile file = opened(configNaming("nobody/tiny"));
        QCOMPARE(layersOf(file), 0);
        VERIFY_CONTAINS(problemOf(file), pathOf(QStringLiteral("configs/nobody/tiny/config.json")));
        VERIFY_CONTAINS(problemOf(file), QString::fromStdString(sentence));

        // A network that is known by name runs anyway, with a warning that contains the problem.
        const ConfigFile known = opened(configNaming("nobody/gpt2"));
        QCOMPARE(layersOf(known), 12);
        VERIFY_CONTAINS(warningsOf(known), QString::fromStdString(sentence));
        VERIFY_CONTAINS(warningsOf(known), "The well-known network of this name is run.");
    }

    void needsPermissions()
    {
        if (geteuid() == 0)
            QSKIP("The superuser may read everything.");
        const QString path = QStringLiteral("configs/nobody/tiny/config.json");
        write(path, networkOf(1));
        QVERIFY(QFile::setPermissions(pathOf(path), QFileDevice::WriteOwner));
        VERIFY_CONTAINS(problemOf(opened(configNaming("nobody/tiny"))), "check its permissions");
    }

    void namesTheFileOfANetworkThatIsNotRun()
    {
        write(QStringLiteral("configs/nobody/tiny/config.json"), "{\n  \"model_type\": \"mamba\"\n}\n");
        const ConfigFile file = opened(configNaming("nobody/tiny"));
        VERIFY_STARTS_WITH(problemOf(file), pathOf(QStringLiteral("configs/nobody/tiny/config.json:2:17: The "
                                                                  "model_type \"mamba\"")));
        const auto& unsupported = std::get<config::UnsupportedModel>(file.contents().model);
        QCOMPARE(unsupported.position.line, 1);
        QVERIFY(!unsupported.isElsewhere);
    }

    void namesTheFileInWarningsAboutANetwork()
    {
        write(QStringLiteral("configs/tiny/config.json"),
              networkOf(1).replace("\"llama\"", "\"qwen3_moe\", \"num_experts\": 32"));
        const ConfigFile file = opened(configNaming("tiny"));
        VERIFY_CONTAINS(
            warningsOf(file),
            pathOf(QStringLiteral("configs/tiny/config.json:2:45: The network has 32 small experts")));
    }

    void readsTheQuantizationOfANetwork()
    {
        write(QStringLiteral("configs/tiny/config.json"),
              networkOf(1).replace("\"vocab_size\"",
                                   "\"quantization_config\": {\"quant_method\": \"gptq\", \"bits\": 4},\n"
                                   "  \"vocab_size\""));
        const ConfigFile file = opened(configNaming("tiny") + "adapter: lora\nlora_r: 8\nlora_alpha: 16\n"
                                                              "lora_target_linear: true\n");
        QCOMPARE(layersOf(file), 1);
        QVERIFY(file.contents().tuning.frozenWeights == model::FrozenWeights::Nf4);
        QVERIFY(std::ranges::any_of(file.contents().warnings, [](const config::Warning& warning) {
            return warning.approximation == "a base quantized by another method";
        }));
    }

    void followsAnAdapterToItsBase_data()
    {
        // Base that an adapter names, whether there is a config.json next to the adapter, and the expected
        // layers.
        rows<std::string, bool, std::int64_t>({{"in the cache", {"nobody/base", false, 5}},
                                               {"in a folder", {"../base", false, 6}},
                                               {"well known", {"gpt2", false, 12}},
                                               {"another adapter", {"nobody/adapter", false, 5}},
                                               {"beside it", {"nobody/nothing", true, 7}},
                                               {"of the base first", {"nobody/base", true, 5}},
                                               {"nowhere", {"nobody/nothing", false, 0}}});
    }
    void followsAnAdapterToItsBase()
    {
        const auto& [base, hasConfig, layers] = row<std::string, bool, std::int64_t>();
        cache(QStringLiteral("nobody/base"), networkOf(5));
        cache(QStringLiteral("nobody/adapter"), adapterOf("nobody/base"), QStringLiteral("main"), commit,
              QStringLiteral("adapter_config.json"));
        write(QStringLiteral("base/config.json"), networkOf(6));
        const QByteArray adapter = adapterOf(QByteArray::fromStdString(base));
        write(QStringLiteral("configs/lora/adapter_config.json"), adapter);
        if (hasConfig)
            write(QStringLiteral("configs/lora/config.json"), networkOf(7));
        const ConfigFile file = opened(configNaming("lora"));
        QCOMPARE(layersOf(file), layers);
        QCOMPARE(file.contents().adapterOfModel, adapter.toStdString());
        if (layers == 0)
            VERIFY_CONTAINS(problemOf(file), "named \"nobody/nothing\"");
    }

    void refusesACircleOfAdapters()
    {
        write(QStringLiteral("configs/lora/adapter_config.json"), adapterOf("lora"));
        VERIFY_CONTAINS(problemOf(opened(configNaming("lora"))),
                        "leads through further adapters to no network");
    }

    void refusesAnAdapterWithoutABase()
    {
        write(QStringLiteral("configs/lora/adapter_config.json"), "{\"r\": 8}");
        VERIFY_STARTS_WITH(
            problemOf(opened(configNaming("lora"))),
            pathOf(QStringLiteral("configs/lora/adapter_config.json:1:1: The adapter names no")));
    }

    void readsTheParamsOfACheckpoint()
    {
        write(QStringLiteral("checkpoint/params.json"),
              "{\"dim\": 64, \"n_layers\": 9, \"n_heads\": 4, \"vocab_size\": 100, \"multiple_of\": 32}");
        const ConfigFile file = opened(configNaming("../checkpoint"));
        QCOMPARE(layersOf(file), 9);
        const ConfigFile chosen =
            opened(configNaming("gpt2")).withModel(pathOf(QStringLiteral("checkpoint")));
        QCOMPARE(layersOf(chosen), 9);
        QCOMPARE(chosen.chosenModel(), pathOf(QStringLiteral("checkpoint")));
        QCOMPARE(chosen.modelSource(), pathOf(QStringLiteral("checkpoint/params.json")));
    }

    void asksForTheVocabularyOfACheckpoint()
    {
        write(QStringLiteral("checkpoint/params.json"),
              "{\"dim\": 64, \"n_layers\": 9, \"n_heads\": 4, \"vocab_size\": -1}");
        VERIFY_CONTAINS(problemOf(opened(configNaming("../checkpoint"))),
                        "leaves the size of the vocabulary");
    }

    void choosesANetworkOfTheCache()
    {
        cache(QStringLiteral("nobody/tiny"), networkOf(4));
        const ConfigFile file = opened(configNaming("gpt2"));
        const ConfigFile chosen = file.withModel(QStringLiteral("nobody/tiny"));
        QCOMPARE(layersOf(chosen), 4);
        QCOMPARE(chosen.chosenModel(), QStringLiteral("nobody/tiny"));
        VERIFY_CONTAINS(chosen.modelSource(), "snapshots");
        VERIFY_CONTAINS(errorOf([&] { file.withModel(QStringLiteral("nobody/none")); }),
                        QStringLiteral("the Hugging Face cache (") + pathOf(QStringLiteral("hub")));
    }

    void describesNetworks_data()
    {
        rows<Text, bool>({{"config.json", {"config.json", true}},
                          {"params.json", {"params.json", true}},
                          {"adapter_config.json", {"adapter_config.json", true}},
                          {"weights alone", {"model.safetensors", false}}});
    }
    void describesNetworks()
    {
        const auto& [name, isNetwork] = row<Text, bool>();
        write(QStringLiteral("folder/") + name, "{}");
        QCOMPARE(engine::describesNetwork(pathOf(QStringLiteral("folder"))), isNetwork);
        QVERIFY(engine::describesNetwork(pathOf(QStringLiteral("folder/") + name)));
        QVERIFY(!engine::describesNetwork(pathOf(QStringLiteral("absent"))));
    }
};

BATCHPEAK_TEST(NetworkFilesTest)
#include "tst_network_files.moc"
