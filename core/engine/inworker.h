// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QPromise>
#include <QThreadPool>

#include <memory>

namespace Pilothouse {

/// Runs `work()` in a worker thread and then `done(result)` in the thread of `context`, unless that is
/// destroyed before. To be called in that thread. (QFuture::then() with a context that is gone is a fault in
/// Qt 6.4.)
template <typename Work, typename Done>
void inWorker(QObject *context, Work work, Done done)
{
    using Value = std::decay_t<decltype(work())>;
    auto promise = std::make_shared<QPromise<Value>>();
    promise->start();
    auto *watcher = new QFutureWatcher<Value>(context);
    QObject::connect(watcher, &QFutureWatcher<Value>::finished, context, [watcher, done = std::move(done)] {
        watcher->deleteLater();
        if (watcher->future().resultCount() > 0)
            done(watcher->result());
    });
    watcher->setFuture(promise->future());
    QThreadPool::globalInstance()->start([promise, work = std::move(work)]() mutable {
        promise->addResult(work());
        promise->finish();
    });
}

} // namespace Pilothouse
