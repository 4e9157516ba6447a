// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "theme/theme.h"

#include <QFrame>

#include <vector>

class QMenu;
class QToolButton;

namespace batchpeak::ui {

class ElidedLabel;
class FidelityChip;
class WindowActions;

/// The top of the window: the available actions at the left, and the config being explored at the right. If
/// there is no room for texts, the buttons show only their icons.
class ToolBar : public QFrame
{
    Q_OBJECT

public:
    /// \param recent  menu of the recently opened files
    /// \param menu    menu of all actions that have no button of their own
    ToolBar(const WindowActions& actions, QMenu* recent, QMenu* menu, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param isRunnable  whether trials are possible; if not, there are no measurements for a fidelity label
    void display(const engine::Snapshot& snapshot, bool isRunnable = true);

    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;

private:
    void fit();
    QList<QToolButton*> buttons() const;

    ElidedLabel* m_run;
    FidelityChip* m_fidelity;
    QToolButton* m_menuButton;
    /// Width that the bar needs with all texts, as of the last time that they were shown.
    int m_wholeWidth = 0;
    bool m_isRunnable = false;
};

/// "sft.yaml · network from gpt2 · LoRA 16, 0.06 % trained · GPU 0 NVIDIA H200 · bf16 · global batch 1,536"
QString runText(const engine::RunDescription& run, const std::vector<engine::DeviceSnapshot>& devices);
/// Returns the same text for a whole exploration; empty without a config.
QString runText(const engine::Snapshot& snapshot);

} // namespace batchpeak::ui
