// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "option_field.h"

#include <QWidget>

#include <string>
#include <vector>

class QGridLayout;

namespace batchpeak::ui {

/// The fields of a form in sections with headings, some of them collapsible: in two columns if it is wide
/// enough, else in one. It does not interpret the fields.
class OptionSections : public QWidget
{
    Q_OBJECT

public:
    explicit OptionSections(QWidget* parent = nullptr);

    /// \param isFolded  whether the section is collapsed: its fields appear once the heading is clicked
    void addSection(const QString& title, const std::vector<OptionField*>& fields, bool isFolded = false);
    /// Removes the explanations beside fields other than problems, so that the fields need little room.
    void setCompact();

    const std::vector<OptionField*>& fields() const { return m_fields; }
    /// Returns null for an option that has no field here.
    OptionField* field(const std::string& name) const;
    /// Returns the problem of each field, as full sentences in lines of their own; empty while all inputs are
    /// valid.
    QString problem() const;
    /// Returns the minimum of the one-column layout, so that a narrow window can use that.
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Section
    {
        QWidget* body = nullptr;
        QGridLayout* grid = nullptr;
        std::vector<OptionField*> fields;
    };

    void layOut();

    std::vector<Section> m_sections;
    std::vector<OptionField*> m_fields;
    bool m_isCompact = false;
    int m_columns = 0;
    OptionField::Explanation m_explanation = OptionField::Explanation::Below;
};

} // namespace batchpeak::ui
