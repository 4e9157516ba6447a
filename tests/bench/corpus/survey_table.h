// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_survey.h"

#include <string>
#include <vector>

/// Returns a Markdown table about the outcomes of configs: by repository, then by the approximations of
/// trials, by the reasons for refusals, and the number of files that may not be configs.
std::string surveyText(const std::vector<SurveyedFile>& files);

/// Returns a line for each file: its outcome, and the reason.
std::string filesText(const std::vector<SurveyedFile>& files);
