// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro_batch_splice.h"

#include "yaml_edit.h"

namespace batchpeak::config {

SplicedText spliceEntry(const ConfigSection& section, std::string_view key, std::int64_t microBatchSize)
{
    const YamlDocument& document = section.document();
    const std::string text = std::to_string(microBatchSize);
    const auto entry = section.find(key);
    if (entry && !entry->merged) {
        return {applied(document, replaceValue(document, *entry->value, text)),
                aliasNotes(document, *entry->value, key)};
    }
    const auto batchSize = section.find("batch_size");
    const YamlNode* after = batchSize ? batchSize->value : nullptr;
    return {applied(document, insertEntry(document, section.mapping(), std::string(key), text, after)),
            aliasNotes(document, section.mapping(), key)};
}

void checkReadsBack(const Setting& setting, std::int64_t microBatchSize)
{
    if (setting == Setting(Fixed{microBatchSize}))
        return;
    throw ConfigError("The size " + std::to_string(microBatchSize) + " would be read as " + toText(setting) +
                      " from where this config has its micro_batch_size; set it by hand.");
}

} // namespace batchpeak::config
