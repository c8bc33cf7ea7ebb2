// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filespane.h"
#include "files/filessession.h"
#include "files/filetreemodel.h"
#include "files/filetreeview.h"
#include "files/previewpane.h"
#include "scriptedfiles.h"
#include "theme/theme.h"

#include <QApplication>
#include <QBuffer>
#include <QDateTime>
#include <QDir>
#include <QPainter>
#include <QTest>

#include <cmath>
#include <cstdio>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

// The pane in its states, as pictures in a folder, to be looked at.

namespace {

const QString Id = u"6a3c8d7e-0000-4000-8000-000000000001"_s;

EventBatch batch(EventKind kind, const QByteArray &payload, qint64 seq, qint64 atMs)
{
    auto event = std::make_shared<Event>();
    event->conversation = Id;
    event->kind = kind;
    event->payload = payload;
    event->seq = seq;
    event->atMs = atMs;
    return {{event, {}}};
}

/// A picture that never gets ready is taken as it is.
template <typename Condition>
void waitFor(Condition condition, int milliseconds)
{
    (void)QTest::qWaitFor(condition, milliseconds);
}

QByteArray chart()
{
    QImage image(480, 152, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    for (int i = 0; i < 16; ++i)
        painter.fillRect(30 + i * 28, 130 - int(100 * std::exp(-(i - 6) * (i - 6) / 12.0)), 20,
                         int(100 * std::exp(-(i - 6) * (i - 6) / 12.0)), QColor::fromRgb(0x3b7f96));
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

} // namespace

int main(int argc, char **argv)
{
    QApplication app(argc, argv);
    Theme::install(app);
    const QDir out(argc > 1 ? QString::fromLocal8Bit(argv[1]) : QDir::tempPath());
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    for (const Scheme scheme : {Scheme::Light, Scheme::Dark}) {
        Theme::instance().force(scheme);
        const QString name = scheme == Scheme::Light ? u"light"_s : u"dark"_s;
        Tests::ScriptedFiles files;
        files.clock = double(now) / 1000.0;
        const double old = files.clock - 100000;
        for (const char *path :
             {".github/ci.yml", "docs/index.md", "src/checkout/__init__.py", "src/checkout/api.py",
              "src/checkout/replay_cache.py", "src/checkout/signing.py", "src/checkout/webhooks.py",
              "tests/fixtures/a.json", "tests/test_api.py", "tests/test_legacy_replay_window.py",
              "tests/test_webhooks.py", ".venv/x", ".env.example", "pyproject.toml", "README.md", "uv.lock",
              "odd\nname\xFF.txt"})
            files.add(QByteArray("/home/user/") + path,
                      "import hashlib\nimport hmac\n\n\nclass Verifier:\n    pass\n", old);
        FilesPane pane(&files, nullptr);
        pane.resize(825, 780);
        pane.show();
        pane.setConversation(Id, u"local"_s, u"sb-1"_s, u"active"_s);
        pane.takeEvents(batch(EventKind::TurnStart, "{\"turn\":1}", 1, now - 50000));
        const auto settle = [&] {
            return QTest::qWaitFor(
                [&] { return !pane.session()->isListing() && !pane.preview()->isLoading(); }, 5000);
        };
        if (!settle())
            return 1;
        QByteArray code;
        for (int i = 0; i < 60; ++i)
            code += "def verify(self, body, *, now=None):\n    sig = self._parse(body)\n    # One reading "
                    "for both.\n"
                    "    if not 0 <= now - sig.timestamp < 300:\n        log.warning(\"age %.0f s: "
                    "refused\", age)\n\n";
        files.add("/home/user/src/checkout/webhooks.py", code, files.clock);
        files.add("/home/user/reports/soak-histogram.png", chart(), files.clock);
        files.add("/home/user/reports/soak-junit.xml", QByteArray(61000, 'x'), files.clock);
        files.add("/home/user/data.bin",
                  QByteArray("\x7f"
                             "ELF\0\1\2\3 some bytes \xff\xfe",
                             30),
                  files.clock);
        files.erase("/home/user/tests/test_legacy_replay_window.py");
        pane.session()->refresh();
        waitFor(
            [&] { return pane.session()->changes()->counts(FileChanges::Scope::Conversation).total() > 2; },
            5000);
        FileTreeModel *model = pane.session()->model();
        for (const char *folder : {"reports", "src", "src/checkout", "tests"})
            pane.tree()->expand(model->indexOf(QByteArray("/home/user/") + folder));
        const auto shot = [&](const QString &what) {
            QCoreApplication::processEvents();
            pane.grab().save(out.filePath(u"files-"_s + what + u'-' + name + u".png"_s));
        };
        const auto look = [&](const QByteArray &path, const QString &what) {
            pane.tree()->select(model->indexOf(path));
            waitFor([&] { return pane.preview()->path() == path && !pane.preview()->isLoading(); }, 5000);
            shot(what);
        };
        look("/home/user/src/checkout/webhooks.py", u"text"_s);
        look("/home/user/reports/soak-histogram.png", u"image"_s);
        look("/home/user/data.bin", u"hex"_s);
        files.holdTransfers = true;
        pane.operations()->upload({&files, pane.session()->place(), Id}, {u"/tmp/a.tar.gz"_s}, "/home/user");
        files.progressTransfer({4000000, 9000000, 0, 1, "a.tar.gz"});
        files.faults["makeFolder /home/user/x"] =
            Tests::fault(FileFault::Kind::Exists, u"Something of that name is there already."_s);
        pane.operations()->makeFolder({&files, pane.session()->place(), Id}, "/home/user/x");
        waitFor([&] { return pane.operations()->running() == 1; }, 5000);
        shot(u"operations"_s);
        pane.setConversation(Id, u"local"_s, u"sb-1"_s, u"paused"_s);
        shot(u"paused"_s);
        pane.resize(360, 700);
        shot(u"narrow"_s);
        pane.resize(540, 700);
        shot(u"default"_s);
        pane.setConversation(Id + u'2', u"local"_s, u"sb-2"_s, u"paused"_s);
        shot(u"nothing"_s);
    }
    std::printf("Pictures are in %s\n", qPrintable(out.path()));
    return 0;
}
