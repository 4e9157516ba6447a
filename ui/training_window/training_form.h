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

/// Asks how to train: all options of a run, those asked for most first, the others behind a line that opens
/// them. What nobody asks for follows the exploration beside, the config, or what is usual, and each field
/// says which of them.
///
/// It turns texts into options, and says beside a field what is wrong with it while it is typed; what they
/// mean together is for the outlook to say.
class TrainingForm : public Card
{
    Q_OBJECT

public:
    explicit TrainingForm(QWidget* parent = nullptr);

    /// Nothing is anybody's own then.
    void setConfig(const engine::ConfigFile& config);
    /// What the fields fall back on before the config: device, memory, worker and what else was asked of the
    /// exploration.
    void setExploration(const engine::ExplorationOptions& exploration);
    /// \param size  that an exploration of the config recommends; 0 without one
    void setRecommended(std::int64_t size);

    /// All that a person wrote, as options and their texts in turn.
    QStringList words() const;
    /// Asks for the same again; what there is no field for is left out.
    void setWords(const QStringList& words);

    /// To train with, while there is no problem.
    const training::TrainingOptions& options() const { return m_preview.options; }
    /// Why nothing can be trained so, as a full sentence; empty where it can.
    QString problem() const;

    const std::vector<OptionField*>& fields() const;
    /// Null for one that has no field here.
    OptionField* field(const std::string& name) const;

signals:
    /// Another run is asked for, or nothing that can be run.
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
