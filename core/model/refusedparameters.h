// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QHash>
#include <QSet>
#include <QString>
#include <QStringList>

namespace Pilothouse {

/// Parameters that services refused and that can be left out, remembered while the program runs. A place is
/// an address and a model: what one model of a service refuses, another one may need. Engine thread.
class RefusedParameters {
public:
    [[nodiscard]] QSet<QString> at(const QString &place) const { return m_refused.value(place); }
    void add(const QString &place, const QString &parameter) { m_refused[place].insert(parameter); }

    /// Which of the parameters `sent` the body of an error is about, empty if none: the one in `param`, in
    /// the path of a validation error, or the first that the message names. Words that are ordinary English
    /// count in a message only between quotes.
    [[nodiscard]] static QString named(const QByteArray &errorBody, const QStringList &sent);

private:
    QHash<QString, QSet<QString>> m_refused;
};

} // namespace Pilothouse
