// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/monofont.h"

#include <QFontDatabase>
#include <QGlyphRun>
#include <QStringList>
#include <QTextLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Not by the font's switch for shaping altogether (QFont::PreferNoShaping): with it Qt 6.4 draws nothing at
// all for characters that its tables do not know, new emoji and private ones, and a command would not show
// what it runs.
void withoutLigatures(QFont &font)
{
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    font.setFeature("calt", 0);
    font.setFeature("liga", 0);
#else
    Q_UNUSED(font)
#endif
}

QList<quint32> glyphs(const QString &text, const QFont &font)
{
    QTextLayout layout(text, font);
    layout.beginLayout();
    layout.createLine();
    layout.endLayout();
    QList<quint32> all;
    for (const QGlyphRun &run : layout.glyphRuns())
        all += run.glyphIndexes();
    return all;
}

} // namespace

bool formsLigatures(const QFont &font)
{
    for (const QString &joined : {u"!="_s, u"=>"_s, u"->"_s, u"=="_s, u"<="_s, u"&&"_s, u"fi"_s}) {
        QList<quint32> alone;
        for (const QChar character : joined)
            alone += glyphs(QString(character), font);
        if (glyphs(joined, font) != alone)
            return true;
    }
    return false;
}

QFont monoFont()
{
    const QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    for (const QString &family : {u"JetBrains Mono"_s, u"JetBrains Mono NL"_s, fixed.family(),
                                  u"DejaVu Sans Mono"_s, u"Noto Sans Mono"_s, u"Liberation Mono"_s}) {
        QFont font = family == fixed.family() ? fixed : QFont(family);
        withoutLigatures(font);
        const bool isThere = family == fixed.family() || QFontDatabase::hasFamily(family);
        if (isThere && !formsLigatures(font))
            return font;
    }
    return fixed;
}

} // namespace Pilothouse
