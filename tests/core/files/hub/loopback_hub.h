// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QFile>
#include <QHash>
#include <QList>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QSslKey>
#include <QSslServer>
#include <QSslSocket>
#include <QTimer>

namespace batchpeak::test {

/// A hub on the loopback interface, with HTTPS by a certificate of its own or with plain HTTP. It answers
/// each path with scripted answers, the last one repeatedly, and records the requests. It knows nothing of
/// hubs.
class LoopbackHub
{
public:
    struct Answer
    {
        int status = 200;
        QList<QByteArray> headers = {};
        QByteArray body = {};
        /// The length in the header; -1 for that of the body.
        qint64 claimedLength = -1;
        /// Whether nothing is answered.
        bool isSilent = false;
    };

    explicit LoopbackHub(bool isSecure) : m_isSecure(isSecure)
    {
        if (isSecure) {
            QSslConfiguration configuration = m_secure.sslConfiguration();
            configuration.setLocalCertificate(certificate());
            QFile key(QStringLiteral(BATCHPEAK_SOURCE_DIR "/tests/data/hub/key.pem"));
            if (key.open(QIODevice::ReadOnly))
                configuration.setPrivateKey(QSslKey(&key, QSsl::Rsa));
            m_secure.setSslConfiguration(configuration);
        }
        QTcpServer& server = isSecure ? m_secure : m_plain;
        server.listen(QHostAddress::LocalHost);
        QObject::connect(&server, &QTcpServer::pendingConnectionAvailable, &server, [this, &server] {
            while (QTcpSocket* socket = server.nextPendingConnection()) {
                QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket] { take(socket); });
                take(socket);
            }
        });
    }

    static QSslCertificate certificate()
    {
        QFile file(QStringLiteral(BATCHPEAK_SOURCE_DIR "/tests/data/hub/certificate.pem"));
        return file.open(QIODevice::ReadOnly) ? QSslCertificate(&file) : QSslCertificate();
    }

    QByteArray address() const
    {
        const quint16 port = m_isSecure ? m_secure.serverPort() : m_plain.serverPort();
        return (m_isSecure ? "https://localhost:" : "http://127.0.0.1:") + QByteArray::number(port);
    }

    void answer(const QByteArray& path, const QList<Answer>& answers) { m_answers[path] = answers; }
    /// Requests as they came, each with its headers.
    const QList<QByteArray>& requests() const { return m_requests; }

private:
    void take(QTcpSocket* socket)
    {
        QByteArray& request = m_partial[socket];
        request += socket->readAll();
        if (!request.contains("\r\n\r\n"))
            return;
        const QByteArray whole = std::exchange(request, {});
        m_requests << whole;
        const QByteArray path = whole.split(' ').value(1);
        QList<Answer>& answers = m_answers[path];
        const Answer answer = answers.isEmpty() ? Answer{.status = 404} : answers.first();
        if (answers.size() > 1)
            answers.removeFirst();
        if (answer.isSilent)
            return;
        QByteArray text = "HTTP/1.1 " + QByteArray::number(answer.status) + " Answer\r\n";
        for (const QByteArray& header : answer.headers)
            text += header + "\r\n";
        const qint64 length = answer.claimedLength < 0 ? answer.body.size() : answer.claimedLength;
        text +=
            "Content-Length: " + QByteArray::number(length) + "\r\nConnection: close\r\n\r\n" + answer.body;
        socket->write(text);
        socket->disconnectFromHost();
    }

    bool m_isSecure;
    QTcpServer m_plain;
    QSslServer m_secure;
    QHash<QTcpSocket*, QByteArray> m_partial;
    QHash<QByteArray, QList<Answer>> m_answers;
    QList<QByteArray> m_requests;
};

} // namespace batchpeak::test
