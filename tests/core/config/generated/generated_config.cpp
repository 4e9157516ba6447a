// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "generated_config.h"

#include "chance.h"
#include "config_tree.h"
#include "text_pair.h"
#include "tree_writer.h"

#include <utility>

namespace batchpeak::config {

namespace {

const std::vector<std::string> jsonWords{"12",
                                         "-0.5",
                                         "2.0e-5",
                                         "true",
                                         "null",
                                         "\"text\"",
                                         "\"a, [b] {c}: d # e\"",
                                         "\"größer 日本語\"",
                                         "\"\\u00e9\\n\\\\\"",
                                         "\"\"",
                                         "[]",
                                         "{}"};
const std::vector<std::string> yamlWords{
    "plain", "two words", "3.0e-5",         "0x1F", "'it''s'",  "'a: b # c'", "~",
    "yes",   "größer",    "http://x.y/z",   "a#b",  "!!str 12", "''",         "0o7",
    ".inf",  "'${a.b}'",  "'// no comment'"};

/// Generates trees of configs, and remembers what a reader should find in them.
class Generator
{
public:
    explicit Generator(std::uint64_t seed) : m_chance(seed) {}

    GeneratedConfig make()
    {
        m_isJson = m_chance.oneIn(5);
        m_config.chosen.phase = m_chance.oneIn(3) ? model::Phase::Eval : model::Phase::Train;
        // Not 1, as some configs already contain it, written in several ways.
        m_config.chosen.microBatchSize = m_chance.between(2, 500);
        m_config.globalBatchSize = m_config.chosen.microBatchSize * m_chance.between(1, 8);
        const std::size_t kind = m_chance.below(3);
        const ConfigTree tree = kind == 0 ? params() : kind == 1 ? trainer() : own();
        write(tree);
        return m_config;
    }

private:
    void write(const ConfigTree& tree)
    {
        TextPair pair(m_chance.of<std::string>({"\n", "\n", "\n", "\r\n", "\r"}));
        TreeWriter writer(m_chance, pair);
        if (m_chance.oneIn(8))
            pair.write("\xEF\xBB\xBF");
        if (m_isJson) {
            writer.writeJson(tree);
        } else {
            writer.writeComments(0);
            if (m_chance.oneIn(6)) {
                pair.write("---");
                pair.endLine();
            }
            writer.writeBlock(tree, 0);
        }
        if (m_chance.oneIn(4))
            pair.dropLastLineBreak();
        m_config.before = pair.before();
        m_config.after = pair.after();
    }

    std::string size() const { return std::to_string(m_config.chosen.microBatchSize); }

    /// Returns a value that the size replaces, or nothing if the config has no key for it.
    std::optional<ConfigTree> unsetSize()
    {
        if (m_chance.oneIn(4))
            return std::nullopt;
        if (m_chance.oneIn(6)) {
            ConfigTree bounds = mapping({{"explore", mapping({{"min", scalar(1)}, {"max", scalar(64)}})}});
            if (m_isJson)
                bounds.entries = {{"explore", mapping({{"min", scalar(1)}})}};
            bounds.changed = size();
            return bounds;
        }
        const std::vector<std::string> words{"explore", "'auto'", "\"explore\"", "null", "~",
                                             "",        "1",      "0x1",         "+1"};
        const std::vector<std::string> ofJson{"null", "1", "\"auto\"", "\"explore\""};
        return changing(m_chance.of(m_isJson ? ofJson : words), size());
    }

    ConfigTree filler(int depth)
    {
        ConfigTree tree = scalar(m_chance.of(m_isJson || m_chance.oneIn(2) ? jsonWords : yamlWords));
        const std::size_t kind = depth > 2 ? 0 : m_chance.below(4);
        if (kind == 2)
            tree = mapping(fillers(depth + 1));
        for (std::size_t i = 0; kind == 3 && i < 3; ++i)
            tree = sequence({filler(depth + 1), filler(depth + 1)});
        tree.isFiller = !m_isJson;
        return tree;
    }

    std::vector<ConfigTree::Entry> fillers(int depth)
    {
        const std::vector<std::string> names{"a",  "shuffle", "größe",       "a.b.c",    "two words",
                                             "-x", "true",    "batch_sizes", "data/dir", "12"};
        std::vector<ConfigTree::Entry> entries;
        for (std::size_t count = 1 + m_chance.below(4); count > 0; --count) {
            const std::string key = m_chance.of(names) + "_" + std::to_string(m_fillers++);
            entries.push_back({key, filler(depth)});
        }
        return entries;
    }

    /// Returns the entries in random order, with fillers among them. Added entries stay below their
    /// predecessors.
    ConfigTree mixed(std::vector<ConfigTree::Entry> entries, bool mayHaveOthers = true)
    {
        if (mayHaveOthers) {
            for (ConfigTree::Entry& entry : fillers(1))
                entries.push_back(std::move(entry));
        }
        // Added entries stay directly after the entry before them.
        std::vector<std::vector<ConfigTree::Entry>> groups;
        for (ConfigTree::Entry& entry : entries) {
            if (!entry.isAdded)
                groups.emplace_back();
            groups.back().push_back(std::move(entry));
        }
        for (std::size_t i = groups.size(); i > 1; --i)
            std::swap(groups[i - 1], groups[m_chance.below(i)]);
        std::vector<ConfigTree::Entry> shuffled;
        for (auto& group : groups)
            shuffled.insert(shuffled.end(), group.begin(), group.end());
        return mapping(std::move(shuffled));
    }

    /// Returns a batch size, and a micro-batch size that is replaced or is added below the batch size.
    std::vector<ConfigTree::Entry> batchWithSize(const std::string& batchKey, const std::string& sizeKey)
    {
        ConfigTree::Entry batch{batchKey, scalar(m_config.globalBatchSize)};
        if (auto unset = unsetSize())
            return {{sizeKey, std::move(*unset)}, std::move(batch)};
        return {std::move(batch), {sizeKey, scalar(size()), true}};
    }

    ConfigTree params()
    {
        m_config.formatName = "Cerebras params";
        const bool isTrain = m_config.chosen.phase == model::Phase::Train;
        std::vector<ConfigTree::Entry> root{
            {isTrain ? "train_input" : "eval_input", mixed(batchWithSize("batch_size", "micro_batch_size"))},
            {"runconfig", mixed({{"num_csx", scalar(1)}})}};
        if (m_chance.oneIn(2))
            root.push_back({isTrain ? "eval_input" : "train_input", mixed({{"batch_size", scalar(8)}})});
        return mixed(std::move(root));
    }

    ConfigTree trainer()
    {
        m_config.formatName = "Cerebras Trainer";
        m_config.chosen.phase = model::Phase::Train;
        ConfigTree flag = m_chance.oneIn(2) ? changing("1", size()) : changing("null", size());
        ConfigTree flags = mixed({{"csx.performance.micro_batch_size", std::move(flag)}});
        ConfigTree callbacks = sequence({mixed({{"ScopedTrainFlags", std::move(flags)}}, false)});
        if (m_chance.oneIn(2))
            callbacks.items.insert(callbacks.items.begin(), mixed({{"ComputeNorm", mapping({})}}, false));
        ConfigTree init = mixed({{"callbacks", std::move(callbacks)}, {"seed", scalar(1)}});
        ConfigTree fit =
            mixed({{"train_dataloader", mixed({{"batch_size", scalar(m_config.globalBatchSize)}})}});
        return mixed({{"trainer", mixed({{"init", std::move(init)}, {"fit", std::move(fit)}})}});
    }

    ConfigTree own()
    {
        m_config.formatName = "Batchpeak";
        const bool isTrain = m_config.chosen.phase == model::Phase::Train;
        ConfigTree model =
            mixed({{"family", scalar(m_isJson ? "\"resnet\"" : "resnet")}, {"depth", scalar(18)}}, false);
        std::vector<ConfigTree::Entry> root{{"batchpeak", scalar(1)}, {"model", std::move(model)}};
        for (ConfigTree::Entry& entry : batchWithSize(isTrain ? "batch_size" : "eval_batch_size",
                                                      isTrain ? "micro_batch_size" : "eval_micro_batch_size"))
            root.push_back(std::move(entry));
        if (!isTrain)
            root.push_back({"batch_size", scalar(16)});
        return mixed(std::move(root), false);
    }

    Chance m_chance;
    GeneratedConfig m_config;
    bool m_isJson = false;
    std::size_t m_fillers = 0;
};

} // namespace

GeneratedConfig generatedConfig(std::uint64_t seed)
{
    return Generator(seed).make();
}

} // namespace batchpeak::config
