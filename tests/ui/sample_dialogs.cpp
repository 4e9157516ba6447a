// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_dialogs.h"

#include "sample_trainings.h"
#include "theme/theme.h"
#include "ui/export_dialog.h"
#include "ui/network_dialog.h"
#include "ui/training_window/confirmation_dialog.h"

#include <QCoreApplication>
#include <QFile>
#include <QRadioButton>
#include <QTemporaryDir>
#include <QWidget>

namespace batchpeak::test {

using namespace batchpeak::ui;

namespace {

const QByteArray trainingArguments = "# Supervised fine-tuning\n"
                                     "model_name_or_path: example/our-own-7b\n"
                                     "output_dir: out # on the fast disk\n"
                                     "learning_rate: 2.0e-05\n"
                                     "gradient_accumulation_steps: 8\n"
                                     "per_device_train_batch_size: 8\n"
                                     "per_device_eval_batch_size: 4\n"
                                     "num_train_epochs: 1\n"
                                     "auto_find_batch_size: true\n"
                                     "max_seq_length: 2048\n";

const QByteArray network = "batchpeak: 1\n"
                           "model:\n"
                           "  family: llama\n"
                           "  layers: 16\n"
                           "  hidden_size: 2048\n"
                           "  heads: 32\n"
                           "  key_value_heads: 8\n"
                           "  feed_forward_size: 8192\n"
                           "  vocabulary_size: 128256\n"
                           "  max_positions: 131072\n"
                           "batch_size: 64\n";

/// Shows the dialogs that belong to one window, and keeps their pictures.
class Studio
{
public:
    explicit Studio(const Theme& theme) : m_theme(theme) { applyTheme(m_window, theme); }

    engine::ConfigFile config() const
    {
        return engine::ConfigFile::open(fileWith("sft.yaml", trainingArguments));
    }
    QString networkFile() const { return fileWith("network.yaml", network); }

    template<typename Prepare>
    void takeExport(const char* name, std::int64_t size, Prepare prepare)
    {
        const engine::ConfigFile file = config();
        ExportDialog dialog(file, model::Phase::Train, size, m_theme, &m_window);
        dialog.setPath(QStringLiteral("/home/user/finetune/sft.yaml"));
        prepare(dialog);
        keep(name, dialog);
    }

    void takeNetwork(const char* name, const engine::ConfigFile& file, const QString& present,
                     const QString& text)
    {
        NetworkDialog dialog(file, present, m_theme, &m_window);
        dialog.setText(text);
        keep(name, dialog);
    }

    void takeConfirmation(const char* name, const training::ConfirmationSnapshot& snapshot)
    {
        ConfirmationDialog dialog(m_theme, &m_window);
        dialog.display(snapshot);
        keep(name, dialog);
    }

    std::vector<DialogPicture> pictures;

private:
    QString fileWith(const char* name, const QByteArray& text) const
    {
        QFile file(m_folder.filePath(QString::fromUtf8(name)));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        return file.fileName();
    }

    void keep(const char* name, QDialog& dialog)
    {
        dialog.show();
        // Scroll bars come and go with what the layout posts.
        QCoreApplication::processEvents();
        pictures.push_back({QString::fromUtf8(name), dialog.grab()});
    }

    Theme m_theme;
    QTemporaryDir m_folder;
    QWidget m_window;
};

} // namespace

std::vector<DialogPicture> dialogPictures(const Theme& theme)
{
    Studio studio(theme);
    studio.takeExport("export", 16, [](ExportDialog&) {});
    studio.takeExport("export-choice", 12, [](ExportDialog&) {});
    studio.takeExport("export-chosen", 12,
                      [](ExportDialog& dialog) { dialog.findChildren<QRadioButton*>().back()->click(); });
    studio.takeExport("export-failed", 16, [](ExportDialog& dialog) {
        dialog.setPath(QStringLiteral("/no/such/folder/sft.yaml"));
        dialog.accept();
    });
    const engine::ConfigFile config = studio.config();
    studio.takeNetwork("network", config, {}, {});
    studio.takeNetwork("network-found", config, {}, studio.networkFile());
    studio.takeNetwork("network-unknown", config, {}, QStringLiteral("nobody/nothing"));
    studio.takeNetwork("network-override", engine::ConfigFile::open(studio.networkFile()),
                       studio.networkFile(), studio.networkFile());
    studio.takeConfirmation("confirm-running", runningConfirmation());
    studio.takeConfirmation("confirm-done", doneConfirmation());
    studio.takeConfirmation("confirm-failed", failedConfirmation());
    return std::move(studio.pictures);
}

} // namespace batchpeak::test
