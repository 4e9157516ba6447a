// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/exploration_outlook.h"
#include "engine/option_table.h"
#include "theme/theme.h"

#include <QWidget>

#include <string>
#include <vector>

class QGridLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace batchpeak::ui {

/// One option: its name, a field for its value, who says that value, and a line on what it means or on what
/// is wrong with what is typed.
class OptionField : public QWidget
{
    Q_OBJECT

public:
    explicit OptionField(const engine::ExplorationOption& option, QWidget* parent = nullptr);

    const std::string& name() const { return m_option.name; }
    /// What is typed, as the option is written.
    QString text() const;
    /// Shows what is in force, unless a person is typing here or has typed what is no value.
    void display(const engine::OptionOutlook& outlook);
    /// \param sentence  empty for none
    void setProblem(const QString& sentence);
    /// The line stands at the right of the field and not below it.
    void setExplanationBeside(bool isBeside);
    const QString& problem() const { return m_problem; }
    /// Who says the value, and what the line below it says.
    QString originText() const;
    QString explanation() const;

signals:
    void edited();
    /// Back to what config and program say.
    void cleared();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeEditor();
    void setText(const QString& text);
    bool means(const QString& typed, const QString& text) const;
    void showExplanation();

    const engine::ExplorationOption& m_option;
    engine::OptionOutlook m_outlook;
    QString m_problem;
    QGridLayout* m_grid = nullptr;
    QWidget* m_editor;
    QPushButton* m_origin;
    QLabel* m_explanation;
};

/// All options of an exploration but its devices, as a person changes them before the start: those asked for
/// most first, the others behind a line that opens them.
///
/// Texts become options here; what they mean to the config is for the outlook to say.
class OptionForm : public QWidget
{
    Q_OBJECT

public:
    explicit OptionForm(QWidget* parent = nullptr);

    void setOptions(const engine::ExplorationOptions& options);
    const engine::ExplorationOptions& options() const { return m_options; }
    void display(const engine::ExplorationOutlook& outlook);
    /// What is wrong with a field, as a full sentence; empty while all can be read.
    QString problem() const;
    const std::vector<OptionField*>& fields() const { return m_fields; }
    /// That of one column, so that a narrow window comes to it.
    QSize minimumSizeHint() const override;
    /// Null for one that has no field here.
    OptionField* field(const std::string& name) const;

signals:
    void optionsChanged(const batchpeak::engine::ExplorationOptions& options);
    /// A field can be read again, or no more.
    void problemChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Section
    {
        QWidget* body = nullptr;
        QGridLayout* grid = nullptr;
        std::vector<OptionField*> fields;
    };

    void addSection(QVBoxLayout* layout, const QString& title, const std::vector<std::string>& names,
                    bool isFolded);
    void layOut();
    void takeText(OptionField* field);
    void clear(OptionField* field);

    engine::ExplorationOptions m_options;
    std::vector<Section> m_sections;
    std::vector<OptionField*> m_fields;
    int m_columns = 0;
};

} // namespace batchpeak::ui
