// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/option_table.h"
#include "plan/plan_preview.h"
#include "widgets/option_sections.h"

#include <string>
#include <vector>

namespace batchpeak::ui {

/// All options of an exploration but its devices, as the user changes them before the start: the most common
/// ones first, the others in a collapsed section.
///
/// Texts are converted to options here; the outlook says what they mean for the config.
class OptionForm : public OptionSections
{
    Q_OBJECT

public:
    explicit OptionForm(QWidget* parent = nullptr);

    /// Sets the options, which replace what is typed into the fields.
    void setOptions(const engine::ExplorationOptions& options);
    /// Takes options that were changed outside of the fields; invalid input in the fields stays there.
    void changeOptions(const engine::ExplorationOptions& options);
    const engine::ExplorationOptions& options() const { return m_options; }
    void display(const engine::PlanPreview& preview);

signals:
    void optionsChanged(const batchpeak::engine::ExplorationOptions& options);
    /// A field's input has become valid or invalid.
    void problemChanged();

private:
    void addFields(const QString& title, const std::vector<std::string>& names, bool isFolded);
    void takeText(OptionField* field);
    void clear(OptionField* field);

    engine::ExplorationOptions m_options;
};

} // namespace batchpeak::ui
