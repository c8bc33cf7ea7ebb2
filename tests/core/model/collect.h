// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelclient.h"

#include <QList>
#include <QObject>
#include <QPointer>

namespace Pilothouse::Tests {

/// Keeps the events of one stream.
class Collector : public QObject {
    Q_OBJECT
public:
    explicit Collector(ModelStream *source)
        : stream(source)
    {
        connect(source, &ModelStream::eventReceived, this, [this](const StreamEvent &event) {
            events.append(event);
            if (event.type == StreamEvent::Type::Stop || event.type == StreamEvent::Type::Error)
                ++ends;
        });
    }

    [[nodiscard]] bool isOver() const { return ends > 0; }
    [[nodiscard]] QString text() const
    {
        QString all;
        for (const StreamEvent &event : events) {
            if (event.type == StreamEvent::Type::TextDelta)
                all += event.text;
        }
        return all;
    }
    [[nodiscard]] QList<StreamEvent> ofType(StreamEvent::Type type) const
    {
        QList<StreamEvent> found;
        for (const StreamEvent &event : events) {
            if (event.type == type)
                found.append(event);
        }
        return found;
    }

    QPointer<ModelStream> stream;
    QList<StreamEvent> events;
    int ends = 0;
};

} // namespace Pilothouse::Tests
