// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "format.h"
#include "networks/checkpoint_weights.h"
#include "networks/network_readers.h"
#include "run_reader.h"
#include "syntax/json_text.h"
#include "syntax/words.h"
#include "unmodeled_features.h"

#include <algorithm>

namespace batchpeak::config {

/// The config.json beside the weights of a network on the Hugging Face hub: only a network, for the config of
/// a trainer that names it. It has no batch, so a size cannot be written into it.
namespace {

// A JSON file of training arguments may contain a model_type too (ModelArguments of run_clm.py in
// transformers 5.23.0, examples/pytorch/language-modeling), but it also says what is trained and where
// results are written.
constexpr std::string_view keysOfTrainings =
    "model_name_or_path base_model output_dir per_device_train_batch_size";

bool fits(const ConfigText& text)
{
    const auto root = text.root(Dialect::Json);
    if (!root || !text.document()->isJson())
        return false;
    const YamlNode* type = root->value("model_type");
    return type && type->kind == NodeKind::Scalar && !type->plain &&
           std::ranges::none_of(splitWords(keysOfTrainings),
                                [&](std::string_view key) { return root->has(key); });
}

/// Returns the network that transformers builds from a config, if the config shows what samples consist of.
std::optional<model::ModelSpec> networkOfTransformers(const ConfigSection& root, const std::string& text)
{
    const ConfigSection texts = root.hasSection("text_config") ? *root.section("text_config") : root;
    const bool takesTexts = texts.has("vocab_size") || root.hasSection("text_config");
    if (!takesTexts && !root.has("image_size") && !root.has("num_channels"))
        return std::nullopt;
    return model::ModelSpec{
        .family = "transformers",
        .architecture = model::TransformersSpec{.type = root.text("model_type").value_or(""),
                                                .config = text,
                                                .takesTexts = takesTexts,
                                                .positions = sizeOr(texts, "max_position_embeddings", 0)}};
}

/// Reads the network and, if batchpeak-worker cannot run it, the reason.
model::ModelSpec readNetwork(const ConfigSection& root, const std::string& text, ConfigContents& contents)
{
    try {
        return readHuggingFaceModel(root, contents.warnings);
    } catch (const NotRun& notRun) {
        auto network = networkOfTransformers(root, text);
        if (!network)
            throw;
        contents.notRunHere = notRun.why;
        return std::move(*network);
    }
}

/// Reads how the weights are stored. Trials of a network that batchpeak-worker cannot run hold weights in an
/// unknown format unquantized.
void readWeights(const ConfigSection& root, ConfigContents& contents)
{
    try {
        contents.tuning = readCheckpointWeights(root, contents.warnings);
    } catch (const NotRun& notRun) {
        if (!contents.notRunHere)
            throw;
        warnOfApproximation(contents.warnings, notRun.why.position, approximation::otherQuantization,
                            "The weights are quantized already in a way that trials do not have; they hold "
                            "them wide.");
    }
}

ConfigContents read(const ConfigText& text)
{
    // transformers reads it with json.load (configuration_utils.py, _dict_from_json_file).
    requireJson(text.text(), JsonComments::Refused);
    ConfigContents contents;
    const ConfigSection root = *text.root(Dialect::Json);
    contents.model = networkOrError([&] {
        model::ModelSpec spec = readNetwork(root, text.text(), contents);
        readWeights(root, contents);
        return spec;
    });
    // Its name before transformers 4.56 is torch_dtype.
    contents.typeOfWeights = root.text(root.find("dtype") ? "dtype" : "torch_dtype").value_or("");
    contents.sequenceLength = defaultLength(contents);
    resolveLengths(contents);
    notePlaces(root, {.network = "model_type"}, contents);
    return contents;
}

SplicedText splice(const ConfigText&, const ChosenSize&)
{
    throw ConfigError("A config.json describes a network alone and has no place for a micro-batch size; open "
                      "the trainer's config, with this file as its --model.");
}

} // namespace

constinit const Format huggingFaceConfigFormat{
    .name = "Hugging Face config.json",
    .mark = "model_type in JSON",
    .neededKeys = "model_type",
    .defaultKeys = "architectures hidden_size num_hidden_layers vocab_size transformers_version",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config
