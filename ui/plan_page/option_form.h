// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/option_table.h"
#include "plan/plan_preview.h"
#include "widgets/option_sections.h"

#include <string>
#include <vector>

namespace batchpeak::ui {

/// All options of an exploration but its devices, as a person changes them before the start: those asked for
/// most first, the others behind a line that opens them.
///
/// Texts become options here; what they mean to the config is for the outlook to say.
class OptionForm : public OptionSections
{
    Q_OBJECT

public:
    explicit OptionForm(QWidget* parent = nullptr);

    /// What is typed into the fields gives way to them.
    void setOptions(const engine::ExplorationOptions& options);
    /// Takes what was asked for beside the fields; what is typed into them and cannot be read stays there.
    void changeOptions(const engine::ExplorationOptions& options);
    const engine::ExplorationOptions& options() const { return m_options; }
    void display(const engine::PlanPreview& preview);

signals:
    void optionsChanged(const batchpeak::engine::ExplorationOptions& options);
    /// A field can be read again, or no more.
    void problemChanged();

private:
    void addFields(const QString& title, const std::vector<std::string>& names, bool isFolded);
    void takeText(OptionField* field);
    void clear(OptionField* field);

    engine::ExplorationOptions m_options;
};

} // namespace batchpeak::ui
