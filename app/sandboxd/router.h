// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "controlplane.h"
#include "dataplane.h"
#include "httptypes.h"
#include "leases.h"

#include <QByteArray>
#include <QList>

namespace Pilothouse {

/// First contact of a request: Host and Origin (a web page must not reach this service through a name of its
/// own), then the plane it belongs to. Both planes live on one port.
class Router {
public:
    Router(ControlPlane &control, DataPlane &data, Leases &leases, QList<QByteArray> hostSuffixes);

    void handle(const HttpExchangePtr &exchange);

private:
    struct Route {
        int refusal = 0; ///< Status; 0: fine.
        QByteArray labelId; ///< From a host name boxd-ID.SUFFIX.
        bool isPreview = false; ///< PORT-ID.SUFFIX
    };
    [[nodiscard]] Route routeByHost(const HttpRequest &request) const;
    void handleHealth(const HttpExchangePtr &exchange);
    void handleLease(const HttpExchangePtr &exchange);

    ControlPlane &m_control;
    DataPlane &m_data;
    Leases &m_leases;
    QList<QByteArray> m_hostSuffixes;
};

} // namespace Pilothouse
