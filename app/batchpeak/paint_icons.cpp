// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app_icon.h"

#include <QDir>

#include <cstdio>

/// Writes the icon as PNG files for installation: FOLDER/<size>.png.
int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fputs("usage: batchpeak-paint-icons FOLDER\n", stderr);
        return 1;
    }
    const QDir folder(QString::fromLocal8Bit(argv[1]));
    for (const int pixels : {16, 32, 48, 64, 128, 256}) {
        const QString path = folder.filePath(QStringLiteral("%1.png").arg(pixels));
        if (!batchpeak::appIconImage(pixels).save(path)) {
            std::fprintf(stderr, "batchpeak-paint-icons: %s cannot be written.\n", qPrintable(path));
            return 1;
        }
    }
    return 0;
}
