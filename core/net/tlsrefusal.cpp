// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/tlsrefusal.h"

#include "net/apierror.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QSslCertificate>
#include <QSslError>
#include <QStringList>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Names in certificates may have any length; this holds those that real authorities use.
constexpr qsizetype LongestField = 100;
// Real chains have two to four links and fail for one to three reasons.
constexpr qsizetype MostLinks = 6;
constexpr qsizetype MostReasons = 4;
constexpr qsizetype MostNames = 5;

QString bounded(const QString &text)
{
    QString clean = cleanErrorText(text);
    if (clean.size() > LongestField)
        clean = clean.left(LongestField) + u'…';
    return clean;
}

QString nameOf(const QSslCertificate &certificate, bool ofIssuer)
{
    const auto field = [&](QSslCertificate::SubjectInfo info) {
        const QStringList values = ofIssuer ? certificate.issuerInfo(info) : certificate.subjectInfo(info);
        return bounded(values.join(u", "_s));
    };
    const QString common = field(QSslCertificate::CommonName);
    const QString organization = field(QSslCertificate::Organization);
    if (common.isEmpty())
        return organization.isEmpty() ? u"(no name)"_s : organization;
    return organization.isEmpty() ? common : QString(common + u" ("_s + organization + u')');
}

QString hostsOf(const QSslCertificate &certificate)
{
    QStringList names;
    const auto alternatives = certificate.subjectAlternativeNames();
    for (const QString &name : alternatives) {
        names.append(bounded(name));
        if (names.size() == MostNames) {
            names.append(u"…"_s);
            break;
        }
    }
    return names.isEmpty() ? nameOf(certificate, false) : names.join(u", "_s);
}

QString reason(const QString &host, const QSslError &error, const QSslCertificate &shown)
{
    switch (error.error()) {
    case QSslError::HostNameMismatch:
        return u"it is not for "_s + bounded(host) + u" but for "_s + hostsOf(shown);
    case QSslError::CertificateExpired:
        return error.certificate() == shown
            ? u"it has expired"_s
            : QString(u"the certificate of "_s + nameOf(error.certificate(), false)
                      + u" above it has expired"_s);
    case QSslError::CertificateNotYetValid:
        return u"it is not valid yet (is the clock of this computer right?)"_s;
    case QSslError::SelfSignedCertificate:
        return u"it is signed by itself, and this system does not trust it"_s;
    case QSslError::SelfSignedCertificateInChain:
        return u"it leads to a root that this system does not trust"_s;
    case QSslError::UnableToGetLocalIssuerCertificate:
    case QSslError::UnableToGetIssuerCertificate:
        return u"this system does not know its issuer"_s;
    case QSslError::UnableToVerifyFirstCertificate:
        return u"its signature cannot be checked without the issuer's certificate"_s;
    default: // Qt's list is long and grows; its own words are plain enough.
        return bounded(error.errorString());
    }
}

QString day(const QDateTime &time)
{
    return time.isValid() ? time.toUTC().toString(u"yyyy-MM-dd HH:mm 'UTC'"_s) : u"unknown"_s;
}

} // namespace

QString describeRefusal(const QString &host, const QList<QSslError> &errors,
                        const QList<QSslCertificate> &chain)
{
    QSslCertificate shown = chain.value(0);
    for (const QSslError &error : errors) {
        if (shown.isNull())
            shown = error.certificate();
    }
    QStringList reasons;
    for (const QSslError &error : errors) {
        const QString text = reason(host, error, shown);
        if (!text.isEmpty() && !reasons.contains(text) && reasons.size() < MostReasons)
            reasons.append(text);
    }
    QString text = reasons.join(u"; "_s);
    if (shown.isNull())
        return text;
    if (!text.isEmpty())
        text += u". "_s;
    text += u"Subject: "_s + nameOf(shown, false) + u". Issuer: "_s + nameOf(shown, true) + u". Valid from "_s
        + day(shown.effectiveDate()) + u" to "_s + day(shown.expiryDate()) + u". SHA-256: "_s
        + QString::fromLatin1(shown.digest(QCryptographicHash::Sha256).toHex(':').toUpper()) + u". Chain: "_s;
    QStringList links;
    for (const QSslCertificate &link : chain) {
        links.append(nameOf(link, false));
        if (links.size() == MostLinks) {
            links.append(u"…"_s);
            break;
        }
    }
    if (links.isEmpty())
        links.append(nameOf(shown, false));
    const QSslCertificate &top = chain.isEmpty() ? shown : chain.last();
    if (!top.isSelfSigned())
        links.append(nameOf(top, true) + u" (not sent)"_s);
    return QString(text + links.join(u" ← "_s));
}

} // namespace Pilothouse
