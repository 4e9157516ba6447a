// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_option.h"

#include <CLI/App.hpp>

namespace batchpeak::cli {

CLI::Option* addModelOption(CLI::App& app, std::string& model)
{
    return app
        .add_option(
            "--model", model,
            "Network instead of the config's: a file that holds one, as a config.json, or an id of the "
            "Hugging Face hub")
        ->type_name("FILE|ID");
}

engine::ConfigFile openConfig(const std::string& path, const std::string& model)
{
    const auto file = engine::ConfigFile::open(QString::fromStdString(path));
    return model.empty() ? file : file.withModel(QString::fromStdString(model));
}

} // namespace batchpeak::cli
