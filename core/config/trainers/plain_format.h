// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format.h"
#include "plain_networks.h"
#include "run_reader.h"
#include "unmodeled_features.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace batchpeak::config {

/// A trainer whose config is described by a table: the keys of its batch, its devices and its run. One
/// interpreter reads and writes all of them; plain_formats.cpp holds the tables. It does not know features of
/// single trainers beyond the rows of their tables.
///
/// Keys are paths from the root. Alternatives are separated by "|"; the first that is present counts.
struct PlainFormat
{
    /// Keys of which a config has one of each group, separated by blanks.
    std::string_view needed;
    /// Keys that a config must not have, since they belong to another trainer.
    std::string_view without = {};
    /// Texts of which the command that reads the config has one, separated by "|"; empty for a file.
    std::string_view programs = {};
    /// Keys that a file has which no script starts, as in `needed`; empty if a config is always in a script.
    std::string_view fileMarks = {};
    /// A switch that has to be off, since a size in samples has no effect beside it; empty if there is none.
    std::string_view off = {};
    Dialect dialect = Dialect::PyYaml;

    /// The batch. A trainer has a number of accumulation steps, or a batch over all devices, or both.
    std::string_view micro;
    /// Size if the key is absent; 0 if another program sets it.
    std::int64_t defaultMicro = 1;
    std::string_view steps = {};
    /// Steps beside a batch over all devices if the key is absent; 0 if they follow from that batch.
    std::int64_t defaultSteps = 0;
    std::string_view global = {};
    /// Batch over all devices if the key is absent; 0 for one micro-batch on each device.
    std::int64_t defaultGlobal = 0;
    std::string_view evalMicro = {};
    /// Size of evaluation if its key is absent; 0 for that of training.
    std::int64_t defaultEvalMicro = 0;
    /// Whether every run evaluates, or only one with the key.
    bool alwaysEvaluates = false;

    /// Switch of evaluation; empty if there is none.
    std::string_view evaluates = {};

    /// Whether samples of a device that fill no micro-batch are dropped from its share: LitGPT.
    bool dropsRest = false;

    /// Whether accumulation steps that are absent make a batch of 16 over all devices, rounded up: ms-swift.
    bool fillsBatchOf16 = false;

    /// Numbers whose product is that of the copies of the network, separated by blanks; empty if it follows
    /// from the devices.
    std::string_view replicas = {};
    /// Numbers of devices whose product is that of all devices, separated by blanks. Without them, it is the
    /// number of processes that a script starts.
    std::string_view devices = {};
    /// Numbers of devices whose product holds one copy of the network, separated by blanks.
    std::string_view perReplica = {};
    std::string_view length = {};
    std::int64_t defaultLength = 0;
    /// Key of a word for the precision, and its word if the key is absent.
    std::string_view precision = {};
    std::string_view defaultPrecision = "bf16";
    /// Switches of half precision; the first that is on counts, before the word.
    std::string_view fp16 = {};
    std::string_view bf16 = {};
    /// Whether half precision is that of all weights, with fp32 copies beside: Megatron, DeepSpeed.
    bool narrowsWeights = false;
    /// Key of activation checkpointing, and the words that mean none.
    std::string_view checkpointing = {};
    bool checkpointsByDefault = false;

    RunKeys run = {};
    /// Optimizer if its key is absent, as a config would name it.
    std::string_view defaultOptimizer = "AdamW";
    NetworkReader* network = nullptr;
    /// Features of the trainer that trials do not have.
    std::span<const UnmodeledFeature> differences = {};
};

/// Returns the first of the alternatives' values as it is written.
std::optional<std::string> wordAt(const ConfigSection& root, std::string_view keys);
/// Returns the first of the alternatives' values; null if there is none.
const YamlNode* nodeAt(const ConfigSection& root, std::string_view keys);
/// Returns a count; nothing if the key is absent, or the value means that the trainer decides: "auto", -1.
std::optional<std::int64_t> countAt(const ConfigSection& root, std::string_view keys);
/// Returns the place of the value at the first of the alternatives.
TextPosition positionAt(const ConfigSection& root, std::string_view keys);

bool fitsPlain(const PlainFormat& format, const ConfigText& text);
ConfigContents readPlain(const PlainFormat& format, const ConfigText& text);
SplicedText splicePlain(const PlainFormat& format, const ConfigText& text, const ChosenSize& chosen);

} // namespace batchpeak::config
