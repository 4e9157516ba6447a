// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_schemes.h"
#include "format.h"
#include "networks/network_readers.h"
#include "run_reader.h"
#include "syntax/json_text.h"

namespace batchpeak::config {

/// The params.json beside the weights of an original checkpoint of LLaMA or Mistral. Like a config.json, it
/// describes only a network. It has no batch, so a size cannot be written into it.
namespace {

bool fits(const ConfigText& text)
{
    const auto root = text.root(Dialect::Json);
    return root && text.document()->isJson() && root->has("dim") && root->has("n_layers") &&
           root->has("n_heads");
}

ConfigContents read(const ConfigText& text)
{
    // json.loads reads it (Llama.build in llama/generation.py).
    requireJson(text.text(), JsonComments::Refused);
    const ConfigSection root = *text.root(Dialect::Json);
    ConfigContents contents;
    contents.model = networkOrError([&] { return readCheckpointParams(root); });
    // Default of max_seq_len of ModelArgs in llama/model.py.
    contents.sequenceLength = std::holds_alternative<model::ModelSpec>(contents.model)
                                  ? readLength(root, "max_seq_len").value_or(2048)
                                  : 0;
    resolveLengths(contents);
    notePlaces(root, {.network = "dim"}, contents);
    return contents;
}

SplicedText splice(const ConfigText&, const ChosenSize&)
{
    throw ConfigError("A params.json describes a network alone and has no place for a micro-batch size; open "
                      "the trainer's config, with this file as its --model.");
}

} // namespace

constinit const Format checkpointParamsFormat{
    .name = "LLaMA or Mistral params.json",
    .mark = "dim with n_layers and n_heads in JSON",
    .neededKeys = "dim n_layers n_heads",
    .defaultKeys = "dim n_layers n_heads n_kv_heads norm_eps vocab_size multiple_of rope_theta",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config
