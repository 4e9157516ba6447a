// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_flags.h"

#include "syntax/entry_change.h"
#include "syntax/yaml_edit.h"
#include "syntax/yaml_scalar.h"

#include <string>

namespace batchpeak::config {

namespace {

constexpr std::string_view callbacksKey = "callbacks";
constexpr std::string_view globalFlags = "GlobalFlags";

std::string_view scopedFlags(model::Phase phase)
{
    return phase == model::Phase::Train ? "ScopedTrainFlags" : "ScopedValidateFlags";
}

std::string flowMapping(std::string_view key, const std::string& value)
{
    return "{" + std::string(key) + ": " + value + "}";
}

} // namespace

CerebrasFlags::CerebrasFlags(ConfigSection init) : m_init(std::move(init)) {}

std::optional<ConfigSection> CerebrasFlags::microBatchSection(model::Phase phase) const
{
    const auto scoped = lastWithMicroBatch(scopedFlags(phase));
    return scoped ? scoped : lastWithMicroBatch(globalFlags);
}

bool CerebrasFlags::hasCallback(std::string_view name) const
{
    return !callbacksNamed(name).empty();
}

SplicedText CerebrasFlags::withMicroBatchSize(model::Phase phase, std::int64_t microBatchSize) const
{
    if (const auto scoped = lastWithMicroBatch(scopedFlags(phase)))
        return spliceEntry(*scoped, microBatchKey, std::to_string(microBatchSize), {});
    if (const auto global = lastWithMicroBatch(globalFlags)) {
        SplicedText spliced = spliceEntry(*global, microBatchKey, std::to_string(microBatchSize), {});
        spliced.notes.emplace_back(
            "The size stands in GlobalFlags, so it acts on training and evaluation alike.");
        return spliced;
    }
    return inserted(scopedFlags(phase), microBatchSize);
}

std::vector<CerebrasFlags::Callback> CerebrasFlags::callbacksNamed(std::string_view name) const
{
    const auto callbacks = m_init.find(callbacksKey);
    if (!callbacks || isNull(callbacks->resolvedValue()))
        return {};
    const YamlNode& value = callbacks->resolvedValue();
    if (value.kind == NodeKind::Scalar)
        m_init.fail(callbacksKey, "must be a list of callbacks, but is " + described(value));

    const std::vector<const YamlNode*> one{&value};
    std::vector<Callback> found;
    std::size_t place = 0;
    for (const YamlNode* item : value.kind == NodeKind::Sequence ? value.children : one) {
        std::string path = m_init.pathOf(callbacksKey);
        if (value.kind == NodeKind::Sequence)
            path += "[" + std::to_string(place++) + "]";
        if (resolved(*item).kind != NodeKind::Mapping)
            continue;
        const ConfigSection holder(m_init.document(), resolved(*item), path);
        if (const auto entry = holder.find(name))
            found.push_back({*entry, holder});
    }
    return found;
}

std::optional<ConfigSection> CerebrasFlags::lastWithMicroBatch(std::string_view name) const
{
    std::optional<ConfigSection> last;
    for (const Callback& callback : callbacksNamed(name)) {
        const auto flags = callback.holder.section(name);
        if (flags && flags->find(microBatchKey))
            last = flags;
    }
    return last;
}

SplicedText CerebrasFlags::inserted(std::string_view callback, std::int64_t microBatchSize) const
{
    const YamlDocument& document = m_init.document();
    const std::string size = std::to_string(microBatchSize);
    const std::string flags = flowMapping(microBatchKey, size);
    const auto result = [&](const YamlEdit& edit, const YamlNode& changed, std::string_view key) {
        SplicedText spliced = splicedText(applied(document, edit), aliasNotes(document, changed, key));
        spliced.notes.push_back("The flag " + std::string(microBatchKey) + " was added to " +
                                std::string(callback) + ".");
        return spliced;
    };

    const std::vector<Callback> existing = callbacksNamed(callback);
    if (!existing.empty()) {
        const YamlNode& value = existing.back().entry.resolvedValue();
        if (value.kind == NodeKind::Mapping)
            return spliceEntry(*existing.back().holder.section(callback), microBatchKey, size, {});
        if (isNull(value))
            return result(replaceValue(document, *existing.back().entry.value, flags), value, callback);
    }

    const auto callbacks = m_init.find(callbacksKey);
    const std::string item = flowMapping(callback, flags);
    if (!callbacks) {
        const YamlEdit edit =
            insertEntry(document, m_init.mapping(), std::string(callbacksKey), "[" + item + "]");
        return result(edit, m_init.mapping(), callbacksKey);
    }
    const YamlNode& value = callbacks->resolvedValue();
    if (value.kind == NodeKind::Mapping)
        return result(insertEntry(document, value, std::string(callback), flags), value, callback);
    if (value.kind == NodeKind::Sequence) {
        const std::string blockItem = std::string(callback) + ": " + flags;
        return result(insertItem(document, value, value.flow ? item : blockItem), value, callback);
    }
    return result(replaceValue(document, *callbacks->value, "[" + item + "]"), *callbacks->value,
                  callbacksKey);
}

} // namespace batchpeak::config
