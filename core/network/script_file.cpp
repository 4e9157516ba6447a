// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "script_file.h"

#include "failure.h"

#include <torch/csrc/jit/serialization/import.h>

#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <unordered_set>

namespace batchpeak::network {

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& sentence)
{
    throw std::invalid_argument("The TorchScript file " + file + ' ' + sentence);
}

void checkIsFile(const std::string& file)
{
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        refuse(file,
               "does not exist; correct the path in the config, which is relative to the config's folder.");
    if (!std::filesystem::is_regular_file(file, error))
        refuse(file, "is no regular file; name the file that torch.jit.save has written.");
}

bool isMemory(const c10::Error& error)
{
    return dynamic_cast<const c10::OutOfMemoryError*>(&error) ||
           classifyFailureText(error.what_without_backtrace()).outcome == trial::Outcome::OutOfMemory;
}

// The sentences are those of caffe2/serialize/inline_container.cc and torch/csrc/jit/serialization/
// import.cpp in torch 2.11.
std::string adviceOn(const std::string& reason)
{
    if (reason.find("zip archive") != std::string::npos ||
        reason.find("PytorchStreamReader") != std::string::npos)
        return "is no file of torch.jit.save, or it is damaged; save the module anew";
    if (reason.find("version") != std::string::npos)
        return "was written by a newer torch; save it with torch 2.11 or an older one";
    return "cannot be loaded; save the module anew with torch 2.11";
}

bool decays(const at::Tensor& parameter)
{
    return parameter.dim() >= 2;
}

} // namespace

torch::jit::Module loadScript(const std::string& file, c10::Device device, bool trains, at::ScalarType type)
{
    checkIsFile(file);
    try {
        // The notes for tracebacks are memory of the device while the module lives, and are not shown.
        torch::jit::Module module = torch::jit::load(file, device, /*load_debug_files=*/false);
        module.train(trains);
        if (type != at::kFloat)
            module.to(type);
        return module;
    } catch (const c10::Error& error) {
        if (isMemory(error))
            throw;
        const std::string reason = error.what_without_backtrace();
        refuse(file, adviceOn(reason) + ". In its own words: " + ownWords(reason));
    }
}

std::vector<model::Parameter> scriptParameters(const std::string& file)
{
    std::vector<model::Parameter> table;
    std::unordered_set<const void*> seen;
    for (const auto& parameter : loadScript(file, c10::kMeta, true).named_parameters()) {
        const at::Tensor& value = parameter.value;
        if (!value.requires_grad() || !seen.insert(value.unsafeGetTensorImpl()).second)
            continue;
        if (value.scalar_type() != at::kFloat) {
            refuse(file,
                   "holds the parameter " + parameter.name + " as " + c10::toString(value.scalar_type()) +
                       ", but parameters are trained as float32 here; save the module after .float(), and "
                       "choose bf16 as the precision of the run.");
        }
        table.push_back({.name = parameter.name, .shape = value.sizes().vec(), .decays = decays(value)});
    }
    return table;
}

std::vector<std::int64_t> scriptBufferBytes(const std::string& file, at::ScalarType type)
{
    std::vector<std::int64_t> bytes;
    std::unordered_set<const void*> seen;
    const torch::jit::Module module = loadScript(file, c10::kMeta, true, type);
    for (const auto& buffer : module.named_buffers()) {
        if (seen.insert(buffer.value.unsafeGetTensorImpl()).second)
            bytes.push_back(static_cast<std::int64_t>(buffer.value.nbytes()));
    }
    for (const auto& parameter : module.named_parameters()) {
        const bool isFrozen = !parameter.value.requires_grad();
        if (isFrozen && seen.insert(parameter.value.unsafeGetTensorImpl()).second)
            bytes.push_back(static_cast<std::int64_t>(parameter.value.nbytes()));
    }
    return bytes;
}

std::string ownWords(const std::string& message)
{
    constexpr std::string_view kind = "RuntimeError: ";
    std::string words = message.substr(0, message.find_last_not_of(" \n") + 1);
    words.erase(0, words.rfind('\n') + 1);
    if (words.starts_with(kind))
        words.erase(0, kind.size());
    if (!words.ends_with('.'))
        words += '.';
    return words;
}

} // namespace batchpeak::network
