// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QByteArray>
#include <QUrl>

#include <functional>

namespace Pilothouse {

class NetworkAccess;

/// What stands at a public http(s) address, at most `most` bytes: no credentials, no cookies, no referrer, no
/// redirects. Only for an address that a person asked to load. Engine thread; replies there once, later,
/// unless `scope` is destroyed. Errors: NotFound, whatever the reason; the words tell it.
void fetchPublic(NetworkAccess *network, const QUrl &url, qint64 most, QObject *scope,
                 std::function<void(const Result<QByteArray, Error> &)> reply);

} // namespace Pilothouse
