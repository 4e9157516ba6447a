// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_test_data.h"

namespace batchpeak::config {

/// A config.json with these keys behind its model_type, each key in a line of its own from the third on.
inline std::string configJson(const std::string& type, const std::string& keys = {})
{
    return "{\n  \"model_type\": \"" + type + "\"" + (keys.empty() ? "" : ",\n" + keys) + "\n}\n";
}

/// The network of a config.json; the test failed where it is none that trials run.
template<typename Spec>
Spec networkIn(const std::string& text)
{
    const ConfigContents contents = recognise(text)->read();
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (!spec) {
        QTest::qFail(std::get<UnsupportedModel>(contents.model).sentence.c_str(), __FILE__, __LINE__);
        return {};
    }
    return std::get<Spec>(spec->architecture);
}

inline std::vector<Warning> warningsOf(const std::string& text)
{
    return recognise(text)->read().warnings;
}

} // namespace batchpeak::config
