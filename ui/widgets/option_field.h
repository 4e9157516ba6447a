// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/option.h"
#include "plan/plan_preview.h"
#include "theme/theme.h"

#include <QWidget>

#include <functional>
#include <optional>
#include <string>

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace batchpeak::ui {

/// One option: its name, a field for its value, who says that value, and a line on what it means or on what
/// is wrong with what is typed.
///
/// It shows what is in force and tells what is typed; what comes of that is for its form to say.
class OptionField : public QWidget
{
    Q_OBJECT

public:
    /// Where the line on what the option means stands; in a narrow form it is a tool tip, and the line is
    /// there for problems alone.
    enum class Explanation { Beside, Below, Problems };
    /// The text by which an option is written that is read from another one; nothing where it cannot be read.
    using NormalText = std::function<std::optional<std::string>(const std::string&)>;

    /// \param name         as a person calls it
    /// \param placeholder  what is said in the field while it is empty
    OptionField(const engine::OptionWords& words, const QString& name, const QString& placeholder,
                NormalText normalText, QWidget* parent = nullptr);

    const std::string& name() const { return m_words.name; }
    /// What a sentence calls the option: its name without a mnemonic and without its unit.
    QString title() const;
    /// What is typed, as the option is written: numbers that are typed as the window shows numbers are those
    /// of the option.
    QString text() const;
    /// As if a person typed it.
    void type(const QString& text);
    /// Shows what is in force, unless a person is typing here or has typed what is no value.
    void display(const engine::OptionPreview& preview);
    /// What is typed is void: what is in force is shown next, also to a person who is typing here.
    void forget();
    /// \param sentence  empty for none
    void setProblem(const QString& sentence);
    /// The same of a text that cannot be read.
    void setProblem(const engine::UsageError& error);
    void setExplanation(Explanation explanation);
    void setPlaceholder(const QString& placeholder);
    const QString& problem() const { return m_problem; }
    /// Who says the value, and what the line on it says.
    QString originText() const;
    QString explanation() const;
    /// The least that shows name, field and origin in one line.
    static int minWidth();

signals:
    void edited();
    /// Back to what holds where nobody asks for anything.
    void cleared();

private:
    QWidget* makeEditor(const QString& name);
    QLineEdit* line() const;
    void setText(const QString& text);
    bool means(const QString& typed, const QString& text) const;
    void showExplanation();

    const engine::OptionWords m_words;
    NormalText m_normalText;
    engine::OptionPreview m_preview;
    QString m_problem;
    bool m_isForgotten = false;
    Explanation m_place = Explanation::Below;
    QGridLayout* m_grid = nullptr;
    QLabel* m_label;
    QWidget* m_editor;
    QPushButton* m_origin;
    QLabel* m_explanation;
    QString m_explained;
};

/// What a person calls an option that says what runs, and on what; one without a name of its own is called as
/// it is typed.
QString runOptionName(const std::string& option);
/// What is said in the field of such an option while it is empty.
QString runOptionPlaceholder(const std::string& option);

} // namespace batchpeak::ui
