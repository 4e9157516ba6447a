// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "module_names.h"

#include "model/parameter_table.h"
#include "syntax/words.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace batchpeak::config {

using model::ModelSpec;
using model::Parameter;
using model::Projection;

namespace {

constexpr std::string_view outputName = "output";

/// A module of a family. A network without the module's parameter does not have the module.
struct Row
{
    std::string_view name;
    std::string_view parameter;
    ModuleKind kind = ModuleKind::Linear;
    std::optional<Projection> projection = {};
    bool isParameter = false;
    /// Whether the row applies only to layers with a gate, or only to layers without one, if their names
    /// differ.
    std::optional<bool> isGated = {};
};

using enum ModuleKind;
using enum Projection;

// Names in transformers 5.23, models/*/modeling_*.py; tests/parity compares them with ours.

constexpr auto gpt2 = std::to_array<Row>(
    {{"transformer.wte", "embed_tokens", Embedding},
     {"transformer.wpe", "embed_positions", Embedding},
     {"transformer.h.{}.ln_1", "layers.{}.attention_norm", Normalization},
     {"transformer.h.{}.attn.c_attn", "layers.{}.attention.qkv", Conv1d, QueryKeyValue},
     {"transformer.h.{}.attn.c_proj", "layers.{}.attention.output", Conv1d, AttentionOutput},
     {"transformer.h.{}.ln_2", "layers.{}.feed_forward_norm", Normalization},
     {"transformer.h.{}.mlp.c_fc", "layers.{}.feed_forward.up", Conv1d, Up},
     // JAISMLP in modeling_jais.py of core42/jais-13b.
     {"transformer.h.{}.mlp.c_fc2", "layers.{}.feed_forward.up", Conv1d, Gate},
     {"transformer.h.{}.mlp.c_proj", "layers.{}.feed_forward.down", Conv1d, Down},
     {"transformer.ln_f", "final_norm", Normalization},
     {"lm_head", "output", Linear, Output}});

constexpr auto llama = std::to_array<Row>(
    {{"model.embed_tokens", "embed_tokens", Embedding},
     {"model.layers.{}.input_layernorm", "layers.{}.attention_norm", Normalization},
     {"model.layers.{}.self_attn.q_proj", "layers.{}.attention.qkv", Linear, Query},
     {"model.layers.{}.self_attn.k_proj", "layers.{}.attention.qkv", Linear, Key},
     {"model.layers.{}.self_attn.v_proj", "layers.{}.attention.qkv", Linear, Value},
     {"model.layers.{}.self_attn.q_norm", "layers.{}.attention.query_norm", Normalization},
     {"model.layers.{}.self_attn.k_norm", "layers.{}.attention.key_norm", Normalization},
     {"model.layers.{}.self_attn.o_proj", "layers.{}.attention.output", Linear, AttentionOutput},
     {"model.layers.{}.post_attention_layernorm", "layers.{}.feed_forward_norm", Normalization},
     {"model.layers.{}.mlp.gate_proj", "layers.{}.feed_forward.up", Linear, Gate},
     {"model.layers.{}.mlp.up_proj", "layers.{}.feed_forward.up", Linear, Up},
     {"model.layers.{}.mlp.down_proj", "layers.{}.feed_forward.down", Linear, Down},
     {"model.layers.{}.mlp.gate", "layers.{}.router", Router},
     {"model.layers.{}.mlp.experts.gate_up_proj", "layers.{}.experts.up", Experts, {}, true},
     {"model.layers.{}.mlp.experts.down_proj", "layers.{}.experts.down", Experts, {}, true},
     {"model.norm", "final_norm", Normalization},
     {"lm_head", "output", Linear, Output}});

// Names in MixtralSparseMoeBlock of transformers 4.57, models/mixtral/modeling_mixtral.py, where w1 is the
// gate.
constexpr auto olderExperts =
    std::to_array<Row>({{"model.layers.{}.block_sparse_moe.gate", "layers.{}.router", Router},
                        {"model.layers.{}.block_sparse_moe.experts.0.w1", "layers.{}.experts.up", Experts},
                        {"model.layers.{}.block_sparse_moe.experts.0.w2", "layers.{}.experts.down", Experts},
                        {"model.layers.{}.block_sparse_moe.experts.0.w3", "layers.{}.experts.up", Experts}});

constexpr auto bloom = std::to_array<Row>(
    {{"transformer.word_embeddings", "embed_tokens", Embedding},
     {"transformer.word_embeddings_layernorm", "embed_norm", Normalization},
     {"transformer.h.{}.input_layernorm", "layers.{}.attention_norm", Normalization},
     {"transformer.h.{}.self_attention.query_key_value", "layers.{}.attention.qkv", Linear, QueryKeyValue},
     {"transformer.h.{}.self_attention.dense", "layers.{}.attention.output", Linear, AttentionOutput},
     {"transformer.h.{}.post_attention_layernorm", "layers.{}.feed_forward_norm", Normalization},
     {"transformer.h.{}.mlp.dense_h_to_4h", "layers.{}.feed_forward.up", Linear, Up},
     {"transformer.h.{}.mlp.dense_4h_to_h", "layers.{}.feed_forward.down", Linear, Down},
     {"transformer.ln_f", "final_norm", Normalization},
     {"lm_head", "output", Linear, Output}});

// Names in MptForCausalLM of transformers; those in modeling_mpt.py of LLM-Foundry 0.22 differ only in its
// wpe.
constexpr auto mpt = std::to_array<Row>(
    {{"transformer.wte", "embed_tokens", Embedding},
     {"transformer.wpe", "embed_positions", Embedding},
     {"transformer.blocks.{}.norm_1", "layers.{}.attention_norm", Normalization},
     {"transformer.blocks.{}.attn.Wqkv", "layers.{}.attention.qkv", Linear, QueryKeyValue},
     {"transformer.blocks.{}.attn.out_proj", "layers.{}.attention.output", Linear, AttentionOutput},
     {"transformer.blocks.{}.norm_2", "layers.{}.feed_forward_norm", Normalization},
     {"transformer.blocks.{}.ffn.up_proj", "layers.{}.feed_forward.up", Linear, Up},
     {"transformer.blocks.{}.ffn.gate_proj", "layers.{}.feed_forward.up", Linear, Gate},
     {"transformer.blocks.{}.ffn.down_proj", "layers.{}.feed_forward.down", Linear, Down},
     {"transformer.norm_f", "final_norm", Normalization},
     {"lm_head", "output", Linear, Output}});

// Modules of these families that replace those of LLaMA.
constexpr auto phi3 = std::to_array<Row>(
    {{"model.layers.{}.self_attn.qkv_proj", "layers.{}.attention.qkv", Linear, QueryKeyValue},
     {"model.layers.{}.mlp.gate_up_proj", "layers.{}.feed_forward.up", Linear, GateUp}});
constexpr auto glm =
    std::to_array<Row>({{"model.layers.{}.mlp.gate_up_proj", "layers.{}.feed_forward.up", Linear, GateUp}});
constexpr auto starcoder2 =
    std::to_array<Row>({{"model.layers.{}.mlp.c_fc", "layers.{}.feed_forward.up", Linear, Up},
                        {"model.layers.{}.mlp.c_proj", "layers.{}.feed_forward.down", Linear, Down}});
constexpr auto hunyuan = std::to_array<Row>(
    {{"model.layers.{}.self_attn.query_layernorm", "layers.{}.attention.query_norm", Normalization},
     {"model.layers.{}.self_attn.key_layernorm", "layers.{}.attention.key_norm", Normalization}});

constexpr auto phi = std::to_array<Row>(
    {{"model.layers.{}.self_attn.dense", "layers.{}.attention.output", Linear, AttentionOutput},
     {"model.layers.{}.mlp.fc1", "layers.{}.feed_forward.up", Linear, Up},
     {"model.layers.{}.mlp.fc2", "layers.{}.feed_forward.down", Linear, Down},
     {"model.final_layernorm", "final_norm", Normalization}});
constexpr auto gemma2 = std::to_array<Row>(
    {{"model.layers.{}.post_attention_layernorm", "layers.{}.attention_output_norm", Normalization},
     {"model.layers.{}.pre_feedforward_layernorm", "layers.{}.feed_forward_norm", Normalization},
     {"model.layers.{}.post_feedforward_layernorm", "layers.{}.feed_forward_output_norm", Normalization}});
constexpr auto glm4 = std::to_array<Row>(
    {{"model.layers.{}.post_self_attn_layernorm", "layers.{}.attention_output_norm", Normalization},
     {"model.layers.{}.mlp.gate_up_proj", "layers.{}.feed_forward.up", Linear, GateUp},
     {"model.layers.{}.post_mlp_layernorm", "layers.{}.feed_forward_output_norm", Normalization}});
constexpr auto glm4Moe = std::to_array<Row>(
    {{"model.layers.{}.mlp.shared_experts.gate_proj", "layers.{}.shared_expert.up", Linear, Gate},
     {"model.layers.{}.mlp.shared_experts.up_proj", "layers.{}.shared_expert.up", Linear, Up},
     {"model.layers.{}.mlp.shared_experts.down_proj", "layers.{}.shared_expert.down", Linear, Down}});
constexpr auto qwen2Moe = std::to_array<Row>(
    {{"model.layers.{}.mlp.shared_expert.gate_proj", "layers.{}.shared_expert.up", Linear, Gate},
     {"model.layers.{}.mlp.shared_expert.up_proj", "layers.{}.shared_expert.up", Linear, Up},
     {"model.layers.{}.mlp.shared_expert.down_proj", "layers.{}.shared_expert.down", Linear, Down},
     {"model.layers.{}.mlp.shared_expert_gate", "layers.{}.shared_expert_gate", Linear, Dense}});
constexpr auto graniteMoe = std::to_array<Row>(
    {{"model.layers.{}.block_sparse_moe.router", "layers.{}.router", Router},
     {"model.layers.{}.block_sparse_moe.experts.gate_up_proj", "layers.{}.experts.up", Experts, {}, true},
     {"model.layers.{}.block_sparse_moe.experts.down_proj", "layers.{}.experts.down", Experts, {}, true}});

constexpr auto gptNeoX = std::to_array<Row>(
    {{"gpt_neox.embed_in", "embed_tokens", Embedding},
     {"gpt_neox.layers.{}.input_layernorm", "layers.{}.attention_norm", Normalization},
     {"gpt_neox.layers.{}.attention.query_key_value", "layers.{}.attention.qkv", Linear, QueryKeyValue},
     {"gpt_neox.layers.{}.attention.dense", "layers.{}.attention.output", Linear, AttentionOutput},
     {"gpt_neox.layers.{}.post_attention_layernorm", "layers.{}.feed_forward_norm", Normalization},
     {"gpt_neox.layers.{}.mlp.dense_h_to_4h", "layers.{}.feed_forward.up", Linear, Up},
     {"gpt_neox.layers.{}.mlp.dense_4h_to_h", "layers.{}.feed_forward.down", Linear, Down},
     {"gpt_neox.final_layer_norm", "final_norm", Normalization},
     {"lm_head", "output", Linear, Output}});

constexpr auto gptJ = std::to_array<Row>(
    {{"transformer.wte", "embed_tokens", Embedding},
     {"transformer.h.{}.ln_1", "layers.{}.attention_norm", Normalization},
     {"transformer.h.{}.attn.k_proj", "layers.{}.attention.qkv", Linear, Key},
     {"transformer.h.{}.attn.v_proj", "layers.{}.attention.qkv", Linear, Value},
     {"transformer.h.{}.attn.q_proj", "layers.{}.attention.qkv", Linear, Query},
     {"transformer.h.{}.attn.out_proj", "layers.{}.attention.output", Linear, AttentionOutput},
     {"transformer.h.{}.mlp.fc_in", "layers.{}.feed_forward.up", Linear, Up},
     {"transformer.h.{}.mlp.fc_out", "layers.{}.feed_forward.down", Linear, Down},
     {"transformer.ln_f", "final_norm", Normalization},
     {"lm_head", "output", Linear, Output}});

constexpr auto gptNeo = std::to_array<Row>(
    {{"transformer.wte", "embed_tokens", Embedding},
     {"transformer.wpe", "embed_positions", Embedding},
     {"transformer.h.{}.ln_1", "layers.{}.attention_norm", Normalization},
     {"transformer.h.{}.attn.attention.k_proj", "layers.{}.attention.qkv", Linear, Key},
     {"transformer.h.{}.attn.attention.v_proj", "layers.{}.attention.qkv", Linear, Value},
     {"transformer.h.{}.attn.attention.q_proj", "layers.{}.attention.qkv", Linear, Query},
     {"transformer.h.{}.attn.attention.out_proj", "layers.{}.attention.output", Linear, AttentionOutput},
     {"transformer.h.{}.ln_2", "layers.{}.feed_forward_norm", Normalization},
     {"transformer.h.{}.mlp.c_fc", "layers.{}.feed_forward.up", Linear, Up},
     {"transformer.h.{}.mlp.c_proj", "layers.{}.feed_forward.down", Linear, Down},
     {"transformer.ln_f", "final_norm", Normalization},
     {"lm_head", "output", Linear, Output}});

// The normalizations of Falcon depend on its branches.
constexpr auto falcon = std::to_array<Row>(
    {{"transformer.word_embeddings", "embed_tokens", Embedding},
     {"transformer.h.{}.input_layernorm", "layers.{}.attention_norm", Normalization},
     {"transformer.h.{}.self_attention.query_key_value", "layers.{}.attention.qkv", Linear, QueryKeyValue},
     {"transformer.h.{}.self_attention.dense", "layers.{}.attention.output", Linear, AttentionOutput},
     {"transformer.h.{}.post_attention_layernorm", "layers.{}.feed_forward_norm", Normalization},
     {"transformer.h.{}.mlp.dense_h_to_4h", "layers.{}.feed_forward.up", Linear, Up},
     {"transformer.h.{}.mlp.dense_4h_to_h", "layers.{}.feed_forward.down", Linear, Down},
     {"transformer.ln_f", "final_norm", Normalization},
     {"lm_head", "output", Linear, Output}});
constexpr auto falconNormsOfBranches =
    std::to_array<Row>({{"transformer.h.{}.ln_attn", "layers.{}.attention_norm", Normalization},
                        {"transformer.h.{}.ln_mlp", "layers.{}.feed_forward_norm", Normalization}});

constexpr auto opt = std::to_array<Row>(
    {{"model.decoder.embed_tokens", "embed_tokens", Embedding},
     {"model.decoder.embed_positions", "embed_positions", Embedding},
     {"model.decoder.layers.{}.self_attn.k_proj", "layers.{}.attention.qkv", Linear, Key},
     {"model.decoder.layers.{}.self_attn.v_proj", "layers.{}.attention.qkv", Linear, Value},
     {"model.decoder.layers.{}.self_attn.q_proj", "layers.{}.attention.qkv", Linear, Query},
     {"model.decoder.layers.{}.self_attn.out_proj", "layers.{}.attention.output", Linear, AttentionOutput},
     {"model.decoder.layers.{}.self_attn_layer_norm", "layers.{}.attention_norm", Normalization},
     {"model.decoder.layers.{}.fc1", "layers.{}.feed_forward.up", Linear, Up},
     {"model.decoder.layers.{}.fc2", "layers.{}.feed_forward.down", Linear, Down},
     {"model.decoder.layers.{}.final_layer_norm", "layers.{}.feed_forward_norm", Normalization},
     {"model.decoder.final_layer_norm", "final_norm", Normalization},
     {"lm_head", "output", Linear, Output}});

// Names in modeling_qwen.py of Qwen/Qwen-7B, where w2 is the gate.
constexpr auto qwen = std::to_array<Row>(
    {{"transformer.wte", "embed_tokens", Embedding},
     {"transformer.h.{}.ln_1", "layers.{}.attention_norm", Normalization},
     {"transformer.h.{}.attn.c_attn", "layers.{}.attention.qkv", Linear, QueryKeyValue},
     {"transformer.h.{}.attn.c_proj", "layers.{}.attention.output", Linear, AttentionOutput},
     {"transformer.h.{}.ln_2", "layers.{}.feed_forward_norm", Normalization},
     {"transformer.h.{}.mlp.w1", "layers.{}.feed_forward.up", Linear, Up},
     {"transformer.h.{}.mlp.w2", "layers.{}.feed_forward.up", Linear, Gate},
     {"transformer.h.{}.mlp.c_proj", "layers.{}.feed_forward.down", Linear, Down},
     {"transformer.ln_f", "final_norm", Normalization},
     {"lm_head", "output", Linear, Output}});

constexpr auto gptBigCode = std::to_array<Row>(
    {{"transformer.wte", "embed_tokens", Embedding},
     {"transformer.wpe", "embed_positions", Embedding},
     {"transformer.h.{}.ln_1", "layers.{}.attention_norm", Normalization},
     {"transformer.h.{}.attn.c_attn", "layers.{}.attention.qkv", Linear, QueryKeyValue},
     {"transformer.h.{}.attn.c_proj", "layers.{}.attention.output", Linear, AttentionOutput},
     {"transformer.h.{}.ln_2", "layers.{}.feed_forward_norm", Normalization},
     {"transformer.h.{}.mlp.c_fc", "layers.{}.feed_forward.up", Linear, Up},
     {"transformer.h.{}.mlp.c_proj", "layers.{}.feed_forward.down", Linear, Down},
     {"transformer.ln_f", "final_norm", Normalization},
     {"lm_head", "output", Linear, Output}});

constexpr auto bert = std::to_array<Row>(
    {{"bert.embeddings.word_embeddings", "embed_tokens", Embedding},
     {"bert.embeddings.position_embeddings", "embed_positions", Embedding},
     {"bert.embeddings.token_type_embeddings", "embed_types", Embedding},
     {"bert.embeddings.LayerNorm", "embed_norm", Normalization},
     {"bert.encoder.layer.{}.attention.self.query", "layers.{}.attention.qkv", Linear, Query},
     {"bert.encoder.layer.{}.attention.self.key", "layers.{}.attention.qkv", Linear, Key},
     {"bert.encoder.layer.{}.attention.self.value", "layers.{}.attention.qkv", Linear, Value},
     {"bert.encoder.layer.{}.attention.output.dense", "layers.{}.attention.output", Linear, AttentionOutput},
     {"bert.encoder.layer.{}.attention.output.LayerNorm", "layers.{}.attention_norm", Normalization},
     {"bert.encoder.layer.{}.intermediate.dense", "layers.{}.feed_forward.up", Linear, Up},
     {"bert.encoder.layer.{}.output.dense", "layers.{}.feed_forward.down", Linear, Down},
     {"bert.encoder.layer.{}.output.LayerNorm", "layers.{}.feed_forward_norm", Normalization},
     {"bert.pooler.dense", "pooler", Linear, Dense},
     {"cls.predictions.transform.dense", "head.transform", Linear, Dense},
     {"cls.predictions.transform.LayerNorm", "head.norm", Normalization},
     {"cls.predictions.decoder", "output", Linear, Output},
     {"cls.predictions.bias", "output.bias", Other, {}, true},
     {"cls.seq_relationship", "next_sentence"}});

// BertForSequenceClassification.
constexpr auto bertClassifier = std::to_array<Row>({{"classifier", "next_sentence"}});

// Names in EsmForMaskedLM. Its contact_head, which does not affect the loss, is not part of our network.
constexpr auto esm2 = std::to_array<Row>(
    {{"esm.embeddings.word_embeddings", "embed_tokens", Embedding},
     {"esm.encoder.layer.{}.attention.LayerNorm", "layers.{}.attention_norm", Normalization},
     {"esm.encoder.layer.{}.attention.self.query", "layers.{}.attention.qkv", Linear, Query},
     {"esm.encoder.layer.{}.attention.self.key", "layers.{}.attention.qkv", Linear, Key},
     {"esm.encoder.layer.{}.attention.self.value", "layers.{}.attention.qkv", Linear, Value},
     {"esm.encoder.layer.{}.attention.output.dense", "layers.{}.attention.output", Linear, AttentionOutput},
     {"esm.encoder.layer.{}.LayerNorm", "layers.{}.feed_forward_norm", Normalization},
     {"esm.encoder.layer.{}.intermediate.dense", "layers.{}.feed_forward.up", Linear, Up},
     {"esm.encoder.layer.{}.output.dense", "layers.{}.feed_forward.down", Linear, Down},
     {"esm.encoder.emb_layer_norm_after", "final_norm", Normalization},
     {"lm_head.dense", "head.transform", Linear, Dense},
     {"lm_head.layer_norm", "head.norm", Normalization},
     {"lm_head.decoder", "output", Linear, Output},
     {"lm_head.bias", "output.bias", Other, {}, true}});

constexpr auto t5 = std::to_array<Row>(
    {{"shared", "embed_tokens", Embedding},
     {"encoder.block.0.layer.0.SelfAttention.relative_attention_bias", "encoder.relative_positions",
      Embedding},
     {"encoder.block.{}.layer.0.layer_norm", "encoder.layers.{}.attention_norm", Normalization},
     {"encoder.block.{}.layer.0.SelfAttention.q", "encoder.layers.{}.attention.qkv", Linear, Query},
     {"encoder.block.{}.layer.0.SelfAttention.k", "encoder.layers.{}.attention.qkv", Linear, Key},
     {"encoder.block.{}.layer.0.SelfAttention.v", "encoder.layers.{}.attention.qkv", Linear, Value},
     {"encoder.block.{}.layer.0.SelfAttention.o", "encoder.layers.{}.attention.output", Linear,
      AttentionOutput},
     {"encoder.block.{}.layer.1.layer_norm", "encoder.layers.{}.feed_forward_norm", Normalization},
     {"encoder.block.{}.layer.1.DenseReluDense.wi", "encoder.layers.{}.feed_forward.up", Linear, Up, false,
      false},
     {"encoder.block.{}.layer.1.DenseReluDense.wi_0", "encoder.layers.{}.feed_forward.up", Linear, Gate},
     {"encoder.block.{}.layer.1.DenseReluDense.wi_1", "encoder.layers.{}.feed_forward.up", Linear, Up, false,
      true},
     {"encoder.block.{}.layer.1.DenseReluDense.wo", "encoder.layers.{}.feed_forward.down", Linear, Down},
     {"encoder.final_layer_norm", "encoder.final_norm", Normalization},
     {"decoder.block.0.layer.0.SelfAttention.relative_attention_bias", "decoder.relative_positions",
      Embedding},
     {"decoder.block.{}.layer.0.layer_norm", "decoder.layers.{}.attention_norm", Normalization},
     {"decoder.block.{}.layer.0.SelfAttention.q", "decoder.layers.{}.attention.qkv", Linear, Query},
     {"decoder.block.{}.layer.0.SelfAttention.k", "decoder.layers.{}.attention.qkv", Linear, Key},
     {"decoder.block.{}.layer.0.SelfAttention.v", "decoder.layers.{}.attention.qkv", Linear, Value},
     {"decoder.block.{}.layer.0.SelfAttention.o", "decoder.layers.{}.attention.output", Linear,
      AttentionOutput},
     {"decoder.block.{}.layer.1.layer_norm", "decoder.layers.{}.cross_attention_norm", Normalization},
     {"decoder.block.{}.layer.1.EncDecAttention.q", "decoder.layers.{}.cross_attention.query", Linear,
      CrossQuery},
     {"decoder.block.{}.layer.1.EncDecAttention.k", "decoder.layers.{}.cross_attention.key_value", Linear,
      CrossKey},
     {"decoder.block.{}.layer.1.EncDecAttention.v", "decoder.layers.{}.cross_attention.key_value", Linear,
      CrossValue},
     {"decoder.block.{}.layer.1.EncDecAttention.o", "decoder.layers.{}.cross_attention.output", Linear,
      CrossOutput},
     {"decoder.block.{}.layer.2.layer_norm", "decoder.layers.{}.feed_forward_norm", Normalization},
     {"decoder.block.{}.layer.2.DenseReluDense.wi", "decoder.layers.{}.feed_forward.up", Linear, Up, false,
      false},
     {"decoder.block.{}.layer.2.DenseReluDense.wi_0", "decoder.layers.{}.feed_forward.up", Linear, Gate},
     {"decoder.block.{}.layer.2.DenseReluDense.wi_1", "decoder.layers.{}.feed_forward.up", Linear, Up, false,
      true},
     {"decoder.block.{}.layer.2.DenseReluDense.wo", "decoder.layers.{}.feed_forward.down", Linear, Down},
     {"decoder.final_layer_norm", "decoder.final_norm", Normalization},
     {"lm_head", "output", Linear, Output}});

constexpr auto vit = std::to_array<Row>(
    {{"vit.embeddings.cls_token", "class_token", Other, {}, true},
     {"vit.embeddings.position_embeddings", "embed_positions.weight", Other, {}, true},
     {"vit.embeddings.patch_embeddings.projection", "patches", Other},
     {"vit.layers.{}.layernorm_before", "layers.{}.attention_norm", Normalization},
     {"vit.layers.{}.attention.q_proj", "layers.{}.attention.qkv", Linear, Query},
     {"vit.layers.{}.attention.k_proj", "layers.{}.attention.qkv", Linear, Key},
     {"vit.layers.{}.attention.v_proj", "layers.{}.attention.qkv", Linear, Value},
     {"vit.layers.{}.attention.o_proj", "layers.{}.attention.output", Linear, AttentionOutput},
     {"vit.layers.{}.layernorm_after", "layers.{}.feed_forward_norm", Normalization},
     {"vit.layers.{}.mlp.fc1", "layers.{}.feed_forward.up", Linear, Up},
     {"vit.layers.{}.mlp.fc2", "layers.{}.feed_forward.down", Linear, Down},
     {"vit.layernorm", "final_norm", Normalization},
     {"classifier", "output", Linear, Output}});

/// Returns the rows of a family. They replace those rows of another family that have the same parameter.
std::vector<Row> like(std::span<const Row> other, std::span<const Row> own)
{
    std::vector<Row> rows(own.begin(), own.end());
    std::ranges::copy_if(other, std::back_inserter(rows), [own](const Row& row) {
        return std::ranges::find(own, row.parameter, &Row::parameter) == own.end();
    });
    return rows;
}

bool hasNormsOfBranches(const ModelSpec& spec)
{
    const auto* decoder = std::get_if<model::DecoderSpec>(&spec.architecture);
    return decoder && decoder->branches == model::Branches::ParallelNorms;
}

/// Whether the network is a classifier of texts: it has the next-sentence head but not the masked-language
/// head.
bool isClassifier(const ModelSpec& spec)
{
    const auto* encoder = std::get_if<model::EncoderSpec>(&spec.architecture);
    return encoder && encoder->nextSentenceHead && !encoder->maskedLanguageHead;
}

/// Returns the rows of the family. Decoders that are not listed have the names of LLaMA, which most of them
/// adopted.
std::vector<Row> rowsOf(const ModelSpec& spec)
{
    constexpr WordMap<std::span<const Row>, 11> afterLlama{{{"phi", phi},
                                                            {"phi3", phi3},
                                                            {"gemma2", gemma2},
                                                            {"gemma3_text", gemma2},
                                                            {"glm", glm},
                                                            {"glm4", glm4},
                                                            {"glm4_moe", glm4Moe},
                                                            {"qwen2_moe", qwen2Moe},
                                                            {"granitemoe", graniteMoe},
                                                            {"starcoder2", starcoder2},
                                                            {"hunyuan_v1_dense", hunyuan}}};
    if (const auto own = meaningOf(afterLlama, spec.family))
        return like(llama, *own);
    if (spec.family == "falcon" && hasNormsOfBranches(spec))
        return like(falcon, falconNormsOfBranches);
    if (spec.family == "bert" && isClassifier(spec))
        return like(bert, bertClassifier);
    constexpr WordMap<std::span<const Row>, 17> families{{{"gpt2", gpt2},
                                                          {"gpt_bigcode", gptBigCode},
                                                          {"gpt_neox", gptNeoX},
                                                          {"gptj", gptJ},
                                                          {"gpt_neo", gptNeo},
                                                          {"falcon", falcon},
                                                          {"opt", opt},
                                                          {"qwen", qwen},
                                                          {"gpt3", gpt2},
                                                          {"jais", gpt2},
                                                          {"btlm", gpt2},
                                                          {"bloom", bloom},
                                                          {"mpt", mpt},
                                                          {"bert", bert},
                                                          {"esm2", esm2},
                                                          {"t5", t5},
                                                          {"vit", vit}}};
    if (const auto rows = meaningOf(families, spec.family))
        return {rows->begin(), rows->end()};
    const bool isDecoder = std::holds_alternative<model::DecoderSpec>(spec.architecture);
    return isDecoder ? std::vector<Row>(llama.begin(), llama.end()) : std::vector<Row>();
}

/// Returns the parameters of the network with one layer of each kind. All layers are alike, except that the
/// first ones of a decoder may have no experts.
std::vector<Parameter> smallTable(ModelSpec spec)
{
    if (auto* pair = std::get_if<model::EncoderDecoderSpec>(&spec.architecture)) {
        pair->encoderLayers = pair->decoderLayers = 1;
    } else if (auto* decoder = std::get_if<model::DecoderSpec>(&spec.architecture)) {
        const bool areMixed = decoder->denseLayers > 0 && decoder->denseLayers < decoder->layers;
        decoder->denseLayers = std::min<std::int64_t>(1, decoder->denseLayers);
        decoder->layers = areMixed ? 2 : 1;
    } else if (auto* encoder = std::get_if<model::EncoderSpec>(&spec.architecture)) {
        encoder->layers = 1;
    } else if (auto* vision = std::get_if<model::VisionTransformerSpec>(&spec.architecture)) {
        vision->layers = 1;
    }
    return model::parameterTable(spec);
}

/// Range of layer numbers, without the end; empty for a parameter outside of layers.
struct LayerRange
{
    std::int64_t first = 0;
    std::int64_t end = 0;
};

const Parameter* find(const std::vector<Parameter>& table, const std::string& name)
{
    const auto found = std::ranges::find(table, name, &Parameter::name);
    return found == table.end() ? nullptr : &*found;
}

/// Finds a parameter in a small table, in the first layer that has it.
const Parameter* findInLayers(const std::vector<Parameter>& table, std::string_view name,
                              std::string_view ending)
{
    for (std::int64_t layer : {0, 1}) {
        if (const auto* found = find(table, nameOfLayer(name, layer) + std::string(ending)))
            return found;
    }
    return nullptr;
}

/// Returns the weight of a module, or the parameter itself.
const Parameter* weightOf(const std::vector<Parameter>& table, std::string_view name)
{
    const Parameter* weight = findInLayers(table, name, ".weight");
    return weight ? weight : findInLayers(table, name, "");
}

LayerRange layersOf(const ModelSpec& spec, const std::vector<Parameter>& table, std::string_view parameter)
{
    if (parameter.find(layerMark) == std::string_view::npos)
        return {};
    if (const auto* pair = std::get_if<model::EncoderDecoderSpec>(&spec.architecture))
        return {.end = parameter.starts_with("encoder.") ? pair->encoderLayers : pair->decoderLayers};
    if (const auto* decoder = std::get_if<model::DecoderSpec>(&spec.architecture)) {
        const auto isIn = [&](std::int64_t layer) {
            const std::string name = nameOfLayer(parameter, layer);
            return find(table, name + ".weight") || find(table, name);
        };
        const bool areMixed = decoder->denseLayers > 0 && decoder->denseLayers < decoder->layers;
        return {.first = areMixed && !isIn(0) ? decoder->denseLayers : 0,
                .end = areMixed && !isIn(1) ? decoder->denseLayers : decoder->layers};
    }
    if (const auto* encoder = std::get_if<model::EncoderSpec>(&spec.architecture))
        return {.end = encoder->layers};
    const auto* vision = std::get_if<model::VisionTransformerSpec>(&spec.architecture);
    return {.end = vision ? vision->layers : 0};
}

/// Whether a matrix contains the projection. A joined projection is identified by the first one in the
/// matrix.
bool holds(const Parameter& matrix, Projection projection)
{
    if (projection == QueryKeyValue)
        projection = Query;
    if (projection == GateUp)
        projection = Gate;
    return std::ranges::find(matrix.projections, projection, &model::ProjectionRows::projection) !=
           matrix.projections.end();
}

/// Whether the output has the matrix of the embedding. It is a module of its own even then.
bool sharesOutput(const ModelSpec& spec)
{
    if (const auto* decoder = std::get_if<model::DecoderSpec>(&spec.architecture))
        return decoder->tiedEmbeddings;
    if (const auto* pair = std::get_if<model::EncoderDecoderSpec>(&spec.architecture))
        return pair->tiedEmbeddings;
    const auto* encoder = std::get_if<model::EncoderSpec>(&spec.architecture);
    return encoder && encoder->maskedLanguageHead && encoder->tiedEmbeddings;
}

bool isThere(const ModelSpec& spec, const std::vector<Parameter>& table, const Row& row)
{
    const Parameter* parameter = weightOf(table, row.parameter);
    if (!parameter)
        return row.parameter == outputName && sharesOutput(spec);
    if (row.isGated && *row.isGated != holds(*parameter, Gate))
        return false;
    return !row.projection || holds(*parameter, *row.projection);
}

std::vector<NamedModule> modulesOf(const ModelSpec& spec, std::span<const Row> rows)
{
    const std::vector<Parameter> table = smallTable(spec);
    std::vector<NamedModule> modules;
    for (const Row& row : rows) {
        if (!isThere(spec, table, row))
            continue;
        const LayerRange range = layersOf(spec, table, row.parameter);
        modules.push_back({.name = std::string(row.name),
                           .kind = row.kind,
                           .layers = range.end,
                           .firstLayer = range.first,
                           .projection = row.projection,
                           .isParameter = row.isParameter,
                           .parameter = std::string(row.parameter)});
    }
    return modules;
}

} // namespace

std::vector<NamedModule> modulesOf(const ModelSpec& spec)
{
    const std::vector<Row> rows = rowsOf(spec);
    return rows.empty() ? std::vector<NamedModule>() : modulesOf(spec, rows);
}

std::vector<NamedModule> olderModulesOf(const ModelSpec& spec)
{
    if (spec.family != "mixtral")
        return {};
    std::vector<NamedModule> modules = modulesOf(spec, llama);
    std::erase_if(modules, [](const NamedModule& module) {
        return module.kind == ModuleKind::Router || module.kind == ModuleKind::Experts;
    });
    std::ranges::move(modulesOf(spec, olderExperts), std::back_inserter(modules));
    return modules;
}

std::vector<NamedParameter> parametersOf(const std::vector<NamedModule>& modules, const ModelSpec& spec)
{
    const std::vector<Parameter> table = smallTable(spec);
    std::vector<NamedParameter> parameters;
    for (const NamedModule& module : modules) {
        const auto add = [&](const std::string& name, const std::string& own) {
            parameters.push_back(
                {.name = name, .own = own, .layers = module.layers, .firstLayer = module.firstLayer});
        };
        if (module.isParameter) {
            add(module.name, module.parameter);
            continue;
        }
        const bool isWhole =
            !findInLayers(table, module.parameter, ".weight") && findInLayers(table, module.parameter, "");
        add(module.name + ".weight", module.parameter + (isWhole ? "" : ".weight"));
        const std::string bias = module.parameter + ".bias";
        const bool isElsewhere = std::ranges::any_of(modules, [&bias](const NamedModule& other) {
            return other.isParameter && other.parameter == bias;
        });
        if (findInLayers(table, bias, "") && !isElsewhere)
            add(module.name + ".bias", bias);
    }
    return parameters;
}

std::string nameOfLayer(std::string_view name, std::int64_t layer)
{
    std::string filled(name);
    if (const std::size_t mark = filled.find(layerMark); mark != std::string::npos)
        filled.replace(mark, layerMark.size(), std::to_string(layer));
    return filled;
}

std::optional<std::string_view> defaultTargets(const ModelSpec& spec)
{
    constexpr WordMap<std::string_view, 23> targets{{{"t5", "q v"},
                                                     {"gpt_bigcode", "c_attn"},
                                                     {"gpt_neox", "query_key_value"},
                                                     {"gptj", "q_proj v_proj"},
                                                     {"gpt_neo", "q_proj v_proj"},
                                                     {"falcon", "query_key_value"},
                                                     {"opt", "q_proj v_proj"},
                                                     {"btlm", "c_proj c_attn"},
                                                     {"phi", "q_proj v_proj fc1 fc2"},
                                                     {"gemma", "q_proj v_proj"},
                                                     {"gemma2", "q_proj v_proj"},
                                                     {"gemma3_text", "q_proj v_proj"},
                                                     {"stablelm", "q_proj v_proj"},
                                                     {"gpt2", "c_attn"},
                                                     {"gpt3", "c_attn"},
                                                     {"bloom", "query_key_value"},
                                                     {"bert", "query value"},
                                                     {"llama", "q_proj v_proj"},
                                                     {"mpt", "Wqkv"},
                                                     {"mistral", "q_proj v_proj"},
                                                     {"mixtral", "q_proj v_proj"},
                                                     {"qwen2", "q_proj v_proj"},
                                                     {"qwen3", "q_proj v_proj"}}};
    return meaningOf(targets, spec.family);
}

} // namespace batchpeak::config
