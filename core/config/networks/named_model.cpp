// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "named_model.h"

namespace batchpeak::config {

std::variant<model::ModelSpec, UnsupportedModel> namedModel(const std::string& id, TextPosition position,
                                                            [[maybe_unused]] std::vector<Warning>& warnings)
{
    return UnsupportedModel{.sentence = "The network is named \"" + id +
                                        "\", which is not among the well-known ones; give its config.json "
                                        "as the model (--model FILE).",
                            .position = position,
                            .isElsewhere = true};
}

} // namespace batchpeak::config
