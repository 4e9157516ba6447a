// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "large_texts.h"

#include "syntax/text_check.h"

#include <functional>

namespace batchpeak::config {

namespace {

/// \param piece  returns the text to append, from the number of pieces before it
std::string grown(std::string text, std::size_t bytes, const std::function<std::string(std::size_t)>& piece)
{
    text.reserve(bytes + 256);
    for (std::size_t i = 0; text.size() < bytes; ++i)
        text += piece(i);
    return text;
}

std::string repeated(const std::string& piece, std::size_t times)
{
    std::string text;
    text.reserve(piece.size() * times);
    for (std::size_t i = 0; i < times; ++i)
        text += piece;
    return text;
}

const std::string model = "model:\n"
                          "  vocab_size: 512\n"
                          "  hidden_size: 64\n"
                          "  num_hidden_layers: 2\n"
                          "  num_heads: 4\n"
                          "  filter_size: 256\n"
                          "  max_position_embeddings: 64\n";
const std::string ownBegin =
    "batchpeak: 1\n"
    "batch_size: 528\n"
    "micro_batch_size: 88\n"
    "model: {family: gpt2, vocabulary_size: 512, hidden_size: 64, layers: 2, heads: 4,\n"
    "  key_value_heads: 4, feed_forward_size: 256, max_positions: 64}\n";
const std::string foundry = "global_train_batch_size: 528\n"
                            "device_train_microbatch_size: 88\n"
                            "max_seq_len: 64\n"
                            "train_loader: {name: text}\n"
                            "model: {name: hf_causal_lm, pretrained_model_name_or_path: gpt2}\n";
const std::string launch = "#!/bin/bash\n"
                           "DATA=/data\n"
                           "torchrun --nproc_per_node 1 pretrain_gpt.py --num-layers 2 --hidden-size 64 \\\n"
                           "  --num-attention-heads 4 --seq-length 64 --max-position-embeddings 64 \\\n"
                           "  --micro-batch-size 88 --global-batch-size 528";
const std::string paramsEnd = "train_input:\n  batch_size: 528 # of all devices\n  micro_batch_size: 88\n"
                              "eval_input:\n  batch_size: 264\n";

std::string trainer(const std::string& callbacks)
{
    return "trainer:\n  init:\n    callbacks:\n" + callbacks +
           "    - ScopedTrainFlags: {csx.performance.micro_batch_size: 88}\n"
           "  fit:\n    train_dataloader:\n      batch_size: 528\n";
}

std::string section(std::size_t i)
{
    const std::string number = std::to_string(i);
    return "section_" + number + ":\n  data_dir: \"./data/" + number +
           "/\" # of this part\n  weights: [0.1, 0.2, 3.0e-5]\n  names:\n  - train\n  - 'held out'\n";
}

std::string jsonSection(std::size_t i)
{
    const std::string number = std::to_string(i);
    return "  \"section_" + number + "\": {\"data_dir\": \"./data/" + number +
           "/\", \"weights\": [0.1, 0.2, 3.0e-5], \"shuffle\": true, \"seed\": null},\n";
}

/// Returns levels that each contain ten aliases of the previous level ("billion laughs").
std::string laughs(int levels)
{
    std::string text = "laugh0: &laugh0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]\n";
    for (int level = 1; level < levels; ++level) {
        const std::string before = "*laugh" + std::to_string(level - 1);
        const std::string name = "laugh" + std::to_string(level);
        text += name + ": &" + name + " [" + repeated(before + ", ", 9) + before + "]\n";
    }
    return text;
}

/// Returns mappings that each merge the previous mapping ten times.
std::string mergedLaughs(std::size_t levels)
{
    std::string text = "level0: &level0 {laugh: 1}\n";
    for (std::size_t level = 1; level < levels; ++level) {
        const std::string before = "*level" + std::to_string(level - 1);
        const std::string name = "level" + std::to_string(level);
        text += name + ": &" + name + " {<<: [" + repeated(before + ", ", 9) + before + "]}\n";
    }
    return text + "<<: *level" + std::to_string(levels - 1) + "\n";
}

} // namespace

std::vector<MadeText> largeConfigs(std::size_t bytes)
{
    const auto comment = [](std::size_t i) {
        return "# line " + std::to_string(i) + " of many, read by nobody\n";
    };
    const auto shared = [](std::size_t i) {
        const std::string name = "shared" + std::to_string(i);
        return name + ": &" + name + " {a: 1, b: 2}\nuser" + std::to_string(i) + ": {<<: *" + name + "}\n";
    };
    const auto flag = [](std::size_t i) {
        return "    - GlobalFlags:\n        csx.debug.flag_" + std::to_string(i) + ": 67\n";
    };
    const auto use = [](std::size_t i) {
        return "use_" + std::to_string(i) + ": ${device_train_microbatch_size}\n";
    };
    const auto argument = [](std::size_t i) {
        return " \\\n  --path-" + std::to_string(i) + " \"$DATA/part\"";
    };
    const auto foreign = [](std::size_t i) {
        return "größe_" + std::to_string(i) + ": \"Übermaß, 日本語のテキスト\"\n";
    };
    return {{"Cerebras params, many sections", grown(model, bytes, section) + paramsEnd},
            {"Cerebras params, comments", grown(model, bytes, comment) + paramsEnd},
            {"Cerebras params, anchors and merge keys", grown(model, bytes, shared) + paramsEnd},
            {"Cerebras params, not ASCII", grown(model, bytes, foreign) + paramsEnd},
            {"Cerebras params, JSON",
             grown("{\n", bytes, jsonSection) +
                 "  \"train_input\": {\"batch_size\": 528, \"micro_batch_size\": 88}\n}\n"},
            {"Cerebras Trainer, many callbacks", trainer(grown({}, bytes, flag))},
            {"LLM-Foundry, interpolations", grown(foundry, bytes, use)},
            {"Megatron-LM launch script", grown(launch, bytes, argument) + "\n"},
            {"Batchpeak, comments", grown(ownBegin, bytes, comment)}};
}

std::vector<MadeText> hostileTexts()
{
    const std::size_t max = maxConfigBytes - 1;
    const auto chain = [](std::size_t i) {
        const std::string name = std::to_string(i + 1);
        return "m" + name + ": &m" + name + " {<<: *m" + std::to_string(i) + "}\n";
    };
    const std::string mergeChain = grown("m0: &m0 {a: 1}\n", 1'000'000, chain);
    const std::size_t last = std::size_t(std::stoul(mergeChain.substr(mergeChain.rfind("*m") + 2)) + 1);
    std::string notUtf8 = grown(paramsEnd, max - 8, section).substr(0, max - 8) + "\n# ";
    notUtf8 += "\xC3\x28";
    return {{"depth, flow sequences", std::string(max, '[')},
            {"depth, flow mappings", repeated("{a: ", max / 4)},
            {"depth, JSON", repeated("{\"a\":", max / 5)},
            {"depth, block sequences", repeated("- ", max / 2) + "a"},
            {"depth, keys of keys", repeated("? ", max / 2) + "a"},
            {"aliases of aliases", laughs(10)},
            {"aliases of aliases, thousands of levels", laughs(9'000)},
            {"merges of merges", mergedLaughs(3'000)},
            {"a chain of merges", mergeChain + "<<: *m" + std::to_string(last) + "\n"},
            {"values without end", repeated("a,", 10).insert(0, "[") + repeated("b,", max / 2 - 20)},
            {"tag directives without end",
             grown({}, max - 300, [](std::size_t i) { return "%TAG !" + std::to_string(i) + "! x\n"; })},
            {"words of a script without end", "--micro-batch-size 4 " + repeated("\"$a ", max / 4 - 10)},
            {"documents without end", repeated("--- a\n", max / 6)},
            {"a comment without end", std::string(max, '#')},
            {"a word without end", std::string(max, 'a')},
            {"a quotation without end", "\"" + std::string(max - 1, 'a')},
            {"blanks without end", std::string(max, ' ')},
            {"zero bytes", std::string(max, '\0')},
            {"not UTF-8 in its last bytes", notUtf8},
            {"50 million bytes", std::string(50'000'000, 'a')}};
}

} // namespace batchpeak::config
