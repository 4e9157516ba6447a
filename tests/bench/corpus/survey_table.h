// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_survey.h"

#include <string>
#include <vector>

/// A table for people, as Markdown, of what became of configs: by repository, then by what trials have
/// otherwise, by why configs are refused, and of how many it is not known that they are configs.
std::string surveyText(const std::vector<SurveyedFile>& files);

/// A line for each file: what became of it, and why.
std::string filesText(const std::vector<SurveyedFile>& files);
