// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"
#include "snapshot/snapshot.h"
#include "theme/theme.h"

#include <QString>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

class QLabel;

namespace batchpeak::ui {

/// "24 steps of 64 samples on each of 2 devices", "10 steps: 6 of 26 and 4 of 25 samples"
QString sharesText(const std::vector<config::DeviceShare>& shares);

/// The batch of one optimizer step with the present config and with the recommended size, and the lines of
/// the config that change.
class BatchView : public QWidget
{
    Q_OBJECT

public:
    explicit BatchView(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// Sets the config whose changing lines are shown.
    void setConfig(const engine::ConfigFile& file);
    void display(const engine::Snapshot& snapshot);

private:
    class Picture;

    void showChange(model::Phase phase, std::int64_t size);

    std::optional<engine::ConfigFile> m_file;
    Theme m_theme = Theme::light();
    QLabel* m_batch;
    QLabel* m_beforeText;
    Picture* m_before;
    QLabel* m_afterText;
    Picture* m_after;
    QLabel* m_change;
    std::int64_t m_shownSize = -1;
};

} // namespace batchpeak::ui
