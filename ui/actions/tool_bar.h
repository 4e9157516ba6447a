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

/// The top of the window: what can be done at the left, what is being explored at the right. Where words have
/// no room, the signs of the buttons stand alone.
class ToolBar : public QFrame
{
    Q_OBJECT

public:
    /// \param recent  menu of the files opened before
    /// \param menu    everything that has no button of its own
    ToolBar(const WindowActions& actions, QMenu* recent, QMenu* menu, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param isRunnable  else nothing is measured that could be labeled
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
    /// What it takes with all words, as of the last time that they stood there.
    int m_wholeWidth = 0;
    bool m_isRunnable = false;
};

/// "sft.yaml · network from gpt2 · LoRA 16, 0.06 % trained · GPU 0 NVIDIA H200 · bf16 · global batch 1,536"
QString runText(const engine::RunDescription& run, const std::vector<engine::DeviceSnapshot>& devices);
/// The same of a whole exploration; empty without a config.
QString runText(const engine::Snapshot& snapshot);

} // namespace batchpeak::ui
