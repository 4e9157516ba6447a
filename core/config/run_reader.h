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

/// What configs say about a run apart from its batches: optimizer, clipping, learning rate, length of
/// samples, spread over devices. Where a trial does otherwise than the run, a warning says so.

/// Where a format has it, as paths from the root ("optimizer.params.lr"); empty where it has no such key.
struct RunKeys
{
    std::string_view optimizer;
    /// Names of AdamW besides its own, and of what costs the same, with blanks between.
    std::string_view adamW;
    /// Of those, the ones that are torch.optim.AdamW without `fused`.
    std::string_view unfusedAdamW = {};
    /// And those that are Composer's DecoupledAdamW.
    std::string_view decoupledAdamW = {};
    /// Names of a Lion that goes operation by operation, as that of trials does, in small letters; others are
    /// one kernel.
    std::string_view unfusedLion = {};
    /// The section of what the optimizer is made with; empty where a config cannot say.
    std::string_view optimizerArguments = {};
    std::string_view gradientNorm;
    /// Where nothing is said; 0 for no clipping.
    double defaultGradientNorm = 0.0;
    std::string_view learningRate;
    std::string_view checkpointing;
    /// Of an implementation's name, as attentionNamed() takes it.
    std::string_view attention;
    /// Micro-batches weigh by the targets that their loss counts.
    std::optional<bool> weighsTokens;
    /// transformers' Trainer makes the optimizer.
    bool isOfTransformers = false;
};

/// Where a format has what a person checks before a run, each as paths with blanks between: the first that is
/// there counts. Empty where the format has no such key.
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
    /// Of a precision that several switches make, each for one in 16 bits: keys, no paths.
    std::string_view precisionSwitches;
    /// The switch that counts where the precision is TF32.
    std::string_view tf32;
    std::string_view optimizer;
    std::string_view checkpointing;
    std::string_view lossChunks;
    std::string_view gradientNorm;
    std::string_view attention;
};

/// Tells where values stand, of those whose place is not known yet, once they were read.
void notePlaces(const Settings& settings, const PlaceKeys& keys, ConfigContents& contents);

/// It tells, too, where what it reads stands.
/// \throws ConfigError where a value is illegal
void readRun(const ConfigSection& root, const RunKeys& keys, ConfigContents& contents);

/// \param name  as the config writes it: "AdamW", "adamw", "SGD"
/// \param adamW, unfusedLion  as in RunKeys
model::Optimizer readOptimizer(const std::string& name, std::string_view adamW, TextPosition position,
                               std::vector<Warning>& warnings, std::string_view unfusedLion = {});

/// What an optimizer of PyTorch is made with, as far as a step holds more or less by it: SGD has no momentum
/// unless it is asked for, and others may keep a moment more, which a warning says.
void readOptimizerArguments(const ConfigSection& arguments, ConfigContents& contents);

/// What PyTorch has of an implementation of attention that trainers name: "flash_attention_2", "eager",
/// "sdpa", "xformers", "fa2". Automatic for "sdpa", which leaves it to PyTorch, and for what is not known.
model::Attention attentionNamed(std::string_view implementation);

/// Of an implementation that PyTorch's scaled_dot_product_attention has nothing of.
void warnOfOtherAttention(std::string_view implementation, TextPosition position,
                          std::vector<Warning>& warnings);

/// How a network is compiled that is compiled.
/// \param mode, backend  keys of arguments of torch.compile; a warning says where trials of the user's Python
///                       take others
void readCompilation(const Settings& settings, std::string_view mode, std::string_view backend,
                     ConfigContents& contents);

/// The norm that gradients are scaled down to; 0 where they are left as they are.
/// \throws ConfigError if it is negative
double readGradientNorm(const Settings& settings, std::string_view key, double otherwise);

/// The learning rate at the end of a path of keys, where it is one number above 0. Of 0, by which nothing is
/// learned, a warning says that it is left out.
///
/// Trials do without it: a schedule, a word such as DeepSpeed's "auto", or a key that stands twice leaves it
/// out.
/// \throws ConfigError where it is a number by which nobody trains, or has a tag that nobody reads
std::optional<double> readLearningRate(const ConfigSection& section, std::string_view path,
                                       std::vector<Warning>& warnings);

/// A value as the config has it, and what that is where it is a finite number.
struct WrittenNumber
{
    std::string_view written;
    std::optional<double> number;
};

/// Decides the same of a value that was read already.
std::optional<double> learningRateOf(const Settings& settings, std::string_view key,
                                     const WrittenNumber& value, std::vector<Warning>& warnings);

/// The tokens of a sample, where the key is there.
/// \param longest  that the network takes, where there is such a limit
/// \param advice   what to do where they are more, as the end of a sentence
/// \throws ConfigError where they are less than 1, more than model::maxTokens, or more than the longest
std::optional<std::int64_t> readLength(const Settings& settings, std::string_view key,
                                       std::optional<std::int64_t> longest = {},
                                       std::string_view advice = {});

/// The longest sequence that the network takes, if it is known and has such a limit.
std::optional<std::int64_t> longestLength(const ConfigContents& contents);

/// What is trained of the network, where it is known; where trials cannot train that, there is no network.
/// \throws ConfigError where a config names what the network has not
void resolveTuning(ConfigContents& contents);

/// Lengths that the kind of network decides: there is none of an image, and a decoder's sequence has its
/// usual one. Where a config says nothing, that of a text stays 0, since its data decide it.
void resolveLengths(ConfigContents& contents);

/// The network's usual length; 0 where it is not known.
std::int64_t defaultLength(const ConfigContents& contents);

/// What a trainer built on transformers computes attention with, where its network leaves it no choice, and
/// what kernels of flash attention compute otherwise than trials. Network, lengths, precision and what the
/// config says of attention are known by then.
void resolveAttention(ConfigContents& contents);

/// Products have 16 bits, and so has what goes from one to the next: by the precision, or where nothing casts
/// and adapters stand beside weights of 16 bits.
bool computesInSixteenBits(const ConfigContents& contents);

/// A network whose result depends on the micro-batch size may be explored, but the choice is then one for the
/// training too.
void warnOfBatchNormalization(const model::ModelSpec& spec, TextPosition position,
                              std::vector<Warning>& warnings);

/// Where a format has the name of a network.
struct NameKeys
{
    std::string_view name;
    /// Branch, tag or commit of an id; empty where the format has no such key.
    std::string_view revision = {};
};

/// The network whose id or path stands under a key, as readNamedNetwork() finds it; where none does, one from
/// elsewhere is asked for.
/// \param networks  ConfigText::networks()
/// \throws NotRun
model::ModelSpec readNamedModel(const ConfigSection& section, const NameKeys& keys,
                                const NetworkSource& networks, ConfigContents& contents);

} // namespace batchpeak::config
