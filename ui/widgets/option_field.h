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
#include <vector>

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace batchpeak::ui {

/// Texts of an option in a form.
struct OptionLabel
{
    std::string option;
    /// Name shown to the user.
    QString name;
    /// Text in the field while it is empty.
    QString placeholder = {};
};

/// One option: its name, a field for its value, the origin of that value, and a line that explains the option
/// or reports invalid input.
///
/// It shows the value in effect and emits the user's input; its form decides what follows from that.
class OptionField : public QWidget
{
    Q_OBJECT

public:
    /// Where the explanation of the option is; in a narrow form it is a tool tip, and the line is used only
    /// for problems.
    enum class Explanation { Beside, Below, Problems };
    /// Converts an input to the canonical text of the option; returns nothing if the input is invalid.
    using NormalText = std::function<std::optional<std::string>(const std::string&)>;

    OptionField(const engine::OptionWords& words, const OptionLabel& label, NormalText normalText,
                QWidget* parent = nullptr);

    const std::string& name() const { return m_words.name; }
    /// Returns the name of the option in sentences, without a mnemonic and without its unit.
    QString title() const;
    /// Returns the input in the format of the option: numbers typed in the format of the window are
    /// converted.
    QString text() const;
    /// Does the same as if the user typed it.
    void type(const QString& text);
    /// Shows the value in effect, unless the user is typing here or has typed an invalid value.
    void display(const engine::OptionPreview& preview);
    /// Discards the input: display() then shows the value in effect, even while the user is typing here.
    void forget();
    /// \param sentence  empty for none
    void setProblem(const QString& sentence);
    /// Does the same for an input that is invalid.
    void setProblem(const engine::UsageError& error);
    void setExplanation(Explanation explanation);
    void setPlaceholder(const QString& placeholder);
    const QString& problem() const { return m_problem; }
    /// Returns the origin of the value, and explanation() the text of the line on it.
    QString originText() const;
    QString explanation() const;
    /// Returns the minimum width that shows name, field and origin in one line.
    static int minWidth();

signals:
    void edited();
    /// The user reset the option to the value that applies if it is not set.
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

/// Returns the label of an option: one of a form's own, or that of an option that says what runs, and on
/// what. An option without a label is named as it is typed.
OptionLabel optionLabel(const std::string& option, const std::vector<OptionLabel>& ofForm);

} // namespace batchpeak::ui
