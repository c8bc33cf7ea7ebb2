// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/icons.h"

#include "theme/theme.h"

#include <QCoreApplication>
#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

#include <cmath>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostPixmaps = 600; // About 1 KB each; icons, sizes and schemes in use are far fewer.

struct Key {
    QString name;
    int size = 0;
    QRgb color = 0;
    QRgb under = 0;
    int dprPercent = 0;

    friend bool operator==(const Key &, const Key &) = default;
};

std::size_t qHash(const Key &key, std::size_t seed = 0)
{
    return qHashMulti(seed, key.name, key.size, key.color, key.under, key.dprPercent);
}

QHash<Key, QPixmap> &cache()
{
    static QHash<Key, QPixmap> pixmaps;
    return pixmaps;
}

// Lines keep their weight for the eye: thicker in the grid where the icon is small.
QByteArray strokeFor(int size)
{
    if (size <= 12)
        return "2.4";
    return size >= 20 ? "1.75" : "2";
}

QByteArray source(const QString &name)
{
    static QHash<QString, QByteArray> sources;
    auto it = sources.constFind(name);
    if (it == sources.constEnd()) {
        QFile file(u":/pilothouse/icons/%1.svg"_s.arg(name));
        QByteArray bytes;
        if (file.open(QIODevice::ReadOnly))
            bytes = file.readAll();
        else
            qWarning("no icon %s", qPrintable(name));
        it = sources.insert(name, bytes);
    }
    return *it;
}

QPixmap render(const QString &name, int size, const QColor &color, const QColor &under, qreal dpr)
{
    const int side = std::max(1, static_cast<int>(std::lround(size * dpr)));
    QPixmap pixmap(side, side);
    pixmap.fill(Qt::transparent);
    QByteArray svg = source(name);
    if (!svg.isEmpty()) {
        svg.replace("currentColor", color.name().toLatin1());
        svg.replace("knockout", under.name().toLatin1());
        if (svg.contains("viewBox=\"0 0 24 24\""))
            svg.replace("stroke-width=\"2\"", QByteArray("stroke-width=\"" + strokeFor(size) + '"'));
        QSvgRenderer renderer(svg);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        renderer.render(&painter, QRectF(0, 0, side, side));
    }
    pixmap.setDevicePixelRatio(dpr);
    return pixmap;
}

QPixmap cached(const QString &name, int size, const QColor &color, const QColor &under, qreal dpr)
{
    const Key key{name, size, color.rgb(), under.rgb(), static_cast<int>(std::lround(dpr * 100))};
    auto it = cache().constFind(key);
    if (it == cache().constEnd()) {
        if (cache().size() >= MostPixmaps)
            cache().clear();
        // Pixmaps must not outlive the application.
        static const bool once = [] {
            qAddPostRoutine([] { cache().clear(); });
            return true;
        }();
        Q_UNUSED(once)
        it = cache().insert(key, render(name, size, color, under, dpr));
    }
    return *it;
}

class Engine : public QIconEngine {
public:
    Engine(QString name, Role color, Role under)
        : m_name(std::move(name))
        , m_color(color)
        , m_under(under)
    { }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        paintIcon(painter, rect, m_name, mode == QIcon::Disabled ? Role::Disabled : m_color, m_under);
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1);
    }
    // `size` is in device pixels.
    QPixmap scaledPixmap(const QSize &size, QIcon::Mode mode, QIcon::State, qreal scale) override
    {
        const int side = std::min(size.width(), size.height());
        return iconPixmap(m_name, static_cast<int>(std::lround(side / scale)),
                          mode == QIcon::Disabled ? Role::Disabled : m_color, scale, m_under);
    }
    [[nodiscard]] QIconEngine *clone() const override { return new Engine(m_name, m_color, m_under); }

private:
    QString m_name;
    Role m_color;
    Role m_under;
};

} // namespace

QPixmap iconPixmap(const QString &name, int size, Role color, qreal dpr, Role under)
{
    const Theme &theme = Theme::instance();
    return cached(name, size, theme.color(color), theme.color(under), dpr);
}

void paintIcon(QPainter *painter, const QRectF &rect, const QString &name, Role color, Role under)
{
    const int side = static_cast<int>(std::min(rect.width(), rect.height()));
    if (side <= 0)
        return;
    const QPixmap pixmap = iconPixmap(name, side, color, painter->device()->devicePixelRatioF(), under);
    painter->drawPixmap(QPointF(std::floor(rect.center().x() - side / 2.0 + 0.5),
                                std::floor(rect.center().y() - side / 2.0 + 0.5)),
                        pixmap);
}

QIcon icon(const QString &name, Role color, Role under) { return QIcon(new Engine(name, color, under)); }

} // namespace Pilothouse
