// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "card.h"
#include "config/config_document.h"
#include "form_fields.h"
#include "training/training_options.h"

#include <cstdint>
#include <optional>

class QCheckBox;
class QGridLayout;
class QLineEdit;
class QStackedWidget;

namespace batchpeak::ui {

class ChoiceBox;
class PathField;

/// Asks how to train. What is left empty follows the config.
///
/// It turns fields into TrainingOptions; whether they go together with the config and the device is for the
/// run to say.
class TrainingForm : public Card
{
    Q_OBJECT

public:
    /// How the micro-batch size is chosen.
    enum SizeMode { Recommended, AutomaticHalving, WholeBatch, Number };

    explicit TrainingForm(QWidget* parent = nullptr);

    /// Fields that the config has something to say on begin with that.
    void setConfig(const config::ConfigContents& contents);
    /// Offers, and takes, the size that an exploration of the config recommends.
    /// \param size  0 without one
    void setRecommended(std::int64_t size);

    /// \param base  device, memory, worker and what else the form does not ask for
    /// \throws FormProblem
    training::TrainingOptions options(const engine::ExplorationOptions& base) const;

private:
    QWidget* makeSizeMode();
    QWidget* makeMaximum();
    QWidget* makeLength();
    QWidget* makeData();
    QWidget* makeCheckpoint();
    void addRow(const QString& name, QWidget* field, QWidget* focused);
    void enableFields();
    void takeSize(training::TrainingOptions& options) const;
    void takeData(training::TrainingOptions& options) const;

    QGridLayout* m_grid;
    std::int64_t m_recommended = 0;
    ChoiceBox* m_sizeMode = nullptr;
    QLineEdit* m_size = nullptr;
    ChoiceBox* m_maximum = nullptr;
    QCheckBox* m_exact = nullptr;
    PathField* m_growth = nullptr;
    ChoiceBox* m_lengthUnit = nullptr;
    QLineEdit* m_length = nullptr;
    ChoiceBox* m_data = nullptr;
    QStackedWidget* m_dataFields = nullptr;
    QLineEdit* m_samples = nullptr;
    PathField* m_text = nullptr;
    PathField* m_arrays = nullptr;
    QLineEdit* m_learningRate = nullptr;
    QLineEdit* m_evaluateEvery = nullptr;
    PathField* m_checkpoints = nullptr;
    QLineEdit* m_checkpointEvery = nullptr;
    PathField* m_resume = nullptr;
};

} // namespace batchpeak::ui
