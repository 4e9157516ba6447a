// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"
#include "training/training_preview.h"
#include "widgets/card.h"

#include <QStringList>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::ui {

class OptionField;
class OptionSections;

/// The options of a training run: the most common ones first, the others in a collapsed section. Options that
/// the user does not set follow the exploration, the config, or the defaults, and each field says which of
/// them.
///
/// It converts texts to options, and reports invalid input beside its field while the user types; the outlook
/// says what the options mean together.
class TrainingForm : public Card
{
    Q_OBJECT

public:
    explicit TrainingForm(QWidget* parent = nullptr);

    /// Sets the config, and clears all options that the user set.
    void setConfig(const engine::ConfigFile& config);
    /// Sets what the fields fall back on before the config: device, memory, worker and the other options of
    /// the exploration.
    void setExploration(const engine::ExplorationOptions& exploration);
    /// \param size  size that an exploration of the config recommends; 0 if there is none
    void setRecommended(std::int64_t size);

    /// Returns all that the user typed, as alternating options and texts.
    QStringList words() const;
    /// Restores what words() returned; options without a field are ignored.
    void setWords(const QStringList& words);

    /// Returns the options to train with; valid only if problem() is empty.
    const training::TrainingOptions& options() const { return m_preview.options; }
    /// Returns a full sentence that says why no training is possible with these options; empty if it is
    /// possible.
    QString problem() const;

    const std::vector<OptionField*>& fields() const;
    /// Returns null for an option that has no field here.
    OptionField* field(const std::string& name) const;

signals:
    /// The options have changed, or have become valid or invalid.
    void changed();

private:
    void addFields(const QString& title, const std::vector<std::string>& names, bool isFolded = false);
    void takeText(OptionField* field);
    void clear(OptionField* field);
    void follow();

    OptionSections* m_sections;
    std::optional<engine::ConfigFile> m_config;
    training::TrainingChoices m_commands;
    training::TrainingPreview m_preview;
};

} // namespace batchpeak::ui
