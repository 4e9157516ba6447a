// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_survey.h"

#include <string>
#include <vector>

/// The outcome of a file to look at: that of one program, or the better one.
using RoadOf = const SurveyedRoad& (*)(const SurveyedFile&);

const SurveyedRoad& roadOfWorker(const SurveyedFile& file);
/// For files that Python was asked about.
const SurveyedRoad& roadOfPython(const SurveyedFile& file);
const SurveyedRoad& roadOfEither(const SurveyedFile& file);

/// Returns a Markdown table about the outcomes of configs: by repository, then by the approximations of
/// trials, by the reasons for refusals, and the number of files that may not be configs.
std::string surveyText(const std::vector<SurveyedFile>& files, RoadOf roadOf);

/// Returns a line for each file: its outcome, and the reason.
std::string filesText(const std::vector<SurveyedFile>& files, RoadOf roadOf);
