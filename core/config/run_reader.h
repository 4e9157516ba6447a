// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"
#include "unmodeled_features.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Readers of what configs say about a run apart from its batches: optimizer, clipping, learning rate, length
/// of samples, distribution over devices. A warning says where a trial differs from the run.

/// The keys of a format, as paths from the root ("optimizer.params.lr"); empty if the format has no such key.
struct RunKeys
{
    std::string_view optimizer;
    /// Names of AdamW besides its own, and of optimizers with the same cost, separated by blanks.
    std::string_view adamW;
    /// Words of adamW that are torch.optim.AdamW without `fused`.
    std::string_view unfusedAdamW = {};
    /// Words of adamW that are Composer's DecoupledAdamW.
    std::string_view decoupledAdamW = {};
    /// Lower-case names of a Lion that runs operation by operation, as that of trials does; any other Lion is
    /// one kernel.
    std::string_view unfusedLion = {};
    /// Section of the optimizer's arguments; empty if a config cannot set them.
    std::string_view optimizerArguments = {};
    std::string_view gradientNorm;
    /// Gradient norm if the config does not set it; 0 for no clipping.
    double defaultGradientNorm = 0.0;
    std::string_view learningRate;
    std::string_view checkpointing;
    /// Key of the name of an implementation, as attentionNamed() takes it.
    std::string_view attention;
    /// Whether micro-batches are weighted by the targets that their loss counts.
    std::optional<bool> weighsTokens;
    /// Whether transformers' Trainer creates the optimizer.
    bool isOfTransformers = false;
};

/// The keys of the values that a person checks before a run. Each member lists paths separated by blanks; the
/// first that is present counts. Empty if the format has no such key.
struct PlaceKeys
{
    std::string_view network;
    std::string_view globalBatch;
    std::string_view microBatch;
    std::string_view accumulationSteps;
    std::string_view evalGlobalBatch;
    std::string_view evalMicroBatch;
    std::string_view devices;
    std::string_view sequenceLength;
    std::string_view precision;
    /// Keys (not paths) of switches that choose the precision, each for one precision in 16 bits.
    std::string_view precisionSwitches;
    /// Key of the switch that counts if the precision is TF32.
    std::string_view tf32;
    std::string_view optimizer;
    std::string_view checkpointing;
    std::string_view lossChunks;
    std::string_view gradientNorm;
    std::string_view attention;
};

/// Sets the places of values that were read, unless a place is known already.
void notePlaces(const Settings& settings, const PlaceKeys& keys, ConfigContents& contents);

/// Reads the keys into \p contents, including the places of their values.
/// \throws ConfigError if a value is illegal
void readRun(const ConfigSection& root, const RunKeys& keys, ConfigContents& contents);

/// \param name  name as the config writes it: "AdamW", "adamw", "SGD"
/// \param adamW, unfusedLion  see RunKeys
model::Optimizer readOptimizer(const std::string& name, std::string_view adamW, TextPosition position,
                               std::vector<Warning>& warnings, std::string_view unfusedLion = {});

/// Reads the arguments of a PyTorch optimizer, as far as they change how much a step stores: SGD has no
/// momentum unless the config asks for it; others may keep one moment more, for which a warning is added.
void readOptimizerArguments(const ConfigSection& arguments, ConfigContents& contents);

/// Returns the PyTorch backend for the name of an attention implementation in a trainer: "flash_attention_2",
/// "eager", "sdpa", "xformers", "fa2". Returns Automatic for "sdpa", which leaves the choice to PyTorch, and
/// for unknown names.
model::Attention attentionNamed(std::string_view implementation);

/// Warns of an implementation that PyTorch's scaled_dot_product_attention does not have.
void warnOfOtherAttention(std::string_view implementation, TextPosition position,
                          std::vector<Warning>& warnings);

/// Reads how a network is compiled, if it is compiled.
/// \param mode, backend  keys of arguments of torch.compile; a warning says where trials in the user's Python
///                       take other arguments
void readCompilation(const Settings& settings, std::string_view mode, std::string_view backend,
                     ConfigContents& contents);

/// Returns the maximum norm of the gradients; 0 if they are not clipped.
/// \throws ConfigError if the norm is negative
double readGradientNorm(const Settings& settings, std::string_view key, double otherwise);

/// Returns the learning rate at the end of a path of keys, if it is one number above 0. A rate of 0, by which
/// nothing is learned, is ignored with a warning.
///
/// Trials do not need the rate: a schedule, a word such as DeepSpeed's "auto", or a duplicate key is ignored.
/// \throws ConfigError if the rate is a number that cannot train anything, or has a tag that no program reads
std::optional<double> readLearningRate(const ConfigSection& section, std::string_view path,
                                       std::vector<Warning>& warnings);

/// A value as the config writes it, and its number if it is a finite one.
struct WrittenNumber
{
    std::string_view written;
    std::optional<double> number;
};

/// Decides the same for a value that was read already.
std::optional<double> learningRateOf(const Settings& settings, std::string_view key,
                                     const WrittenNumber& value, std::vector<Warning>& warnings);

/// Returns the number of tokens of a sample, if the key is present.
/// \param longest  the longest sequence that the network accepts, if there is a limit
/// \param advice   what to do about a length above the limit, as the end of a sentence
/// \throws ConfigError if the length is below 1, above model::maxTokens, or above \p longest
std::optional<std::int64_t> readLength(const Settings& settings, std::string_view key,
                                       std::optional<std::int64_t> longest = {},
                                       std::string_view advice = {});

/// Returns the longest sequence that the network accepts, if the network is known and has such a limit.
std::optional<std::int64_t> longestLength(const ConfigContents& contents);

/// Determines what is trained of the network, if the network is known. If trials cannot train it so, the
/// network becomes unsupported.
/// \throws ConfigError if a config names modules that the network does not have
void resolveTuning(ConfigContents& contents);

/// Sets the lengths that the kind of network determines: an image has none, and a decoder's own sequence has
/// its default length. If a config does not set the length of a text, it stays 0, since its data decide it.
void resolveLengths(ConfigContents& contents);

/// Returns the network's default length; 0 if the network is not known.
std::int64_t defaultLength(const ConfigContents& contents);

/// Sets the attention of a trainer built on transformers if the network leaves it no choice, and warns of
/// what flash attention kernels compute differently from trials. The network, the lengths, the precision and
/// the config's own attention setting must be known already.
void resolveAttention(ConfigContents& contents);

/// Whether products, and the values passed between them, have 16 bits: by the precision, or because nothing
/// is cast and the adapters are used beside weights of 16 bits.
bool computesInSixteenBits(const ConfigContents& contents);

/// Warns that the result of a network with batch normalization depends on the micro-batch size. It may be
/// explored, but the choice of size then affects the training too.
void warnOfBatchNormalization(const model::ModelSpec& spec, TextPosition position,
                              std::vector<Warning>& warnings);

/// The keys that name a network in a format.
struct NameKeys
{
    std::string_view name;
    /// Branch, tag or commit of an id; empty if the format has no such key.
    std::string_view revision = {};
};

/// Returns the network whose id or path is under a key, as readNamedNetwork() finds it.
/// \param networks  ConfigText::networks()
/// \throws NotRun if no network is named: another file must provide it; also as readNamedNetwork() does
model::ModelSpec readNamedModel(const ConfigSection& section, const NameKeys& keys,
                                const NetworkSource& networks, ConfigContents& contents);

} // namespace batchpeak::config
