// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "path_field.h"

#include "dialog_button.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>

namespace batchpeak::ui {

PathField::PathField(Kind kind, const QString& name, const QString& filter, QWidget* parent)
    : QWidget(parent), m_kind(kind), m_name(name), m_filter(filter), m_line(new QLineEdit(this))
{
    m_line->setAccessibleName(name);
    auto* button = dialogButton(QStringLiteral("…"), "secondary", this);
    button->setAccessibleName(tr("Look for: %1").arg(name));
    button->setToolTip(kind == Kind::File ? tr("Choose a file") : tr("Choose a folder"));
    button->setFixedWidth(40);
    connect(button, &QPushButton::clicked, this, &PathField::browse);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_line, 1);
    layout->addWidget(button);
    setFocusProxy(m_line);
}

QString PathField::text() const
{
    return m_line->text().trimmed();
}

void PathField::setText(const QString& text)
{
    m_line->setText(text);
}

void PathField::setPlaceholder(const QString& text)
{
    m_line->setPlaceholderText(text);
}

void PathField::browse()
{
    const QString present = text();
    const QString chosen = m_kind == Kind::File
                               ? QFileDialog::getOpenFileName(this, m_name, present, m_filter)
                               : QFileDialog::getExistingDirectory(this, m_name, present);
    if (!chosen.isEmpty())
        setText(QDir::toNativeSeparators(chosen));
}

} // namespace batchpeak::ui
