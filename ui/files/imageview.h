// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QImage>
#include <QWidget>

namespace Pilothouse {

/// An image in the middle of its place: as large as it is, or smaller so that all of it is seen.
class ImageView : public QWidget {
    Q_OBJECT
public:
    explicit ImageView(QWidget *parent = nullptr);

    /// `size`: in the file; `image` may hold fewer pixels.
    void setImage(const QImage &image, const QSize &size, const QString &accessibleName);
    [[nodiscard]] const QImage &image() const { return m_image; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QImage m_image;
    QSize m_size;
    QPixmap m_scaled; ///< For the place and scale it was last painted at.
};

} // namespace Pilothouse
