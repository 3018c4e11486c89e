#pragma once
#include "gui/print/printed_html.h"

#include <QObject>
#include <QSizeF>
#include <QTextObjectInterface>
#include <vector>

namespace fabricast {

/// Paints the pictures of a document where it has images, as lines and letters.
///     PictureObject pictures(printed.pictures, dotsPerPoint);
///     document.documentLayout()->registerHandler(QTextFormat::ImageObject, &pictures);
class PictureObject final : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)

public:
    PictureObject(const std::vector<PrintedPicture>& pictures, double dotsPerPoint);

    QSizeF intrinsicSize(QTextDocument* document, int place, const QTextFormat& format) override;
    void drawObject(QPainter* painter,
                    const QRectF& box,
                    QTextDocument* document,
                    int place,
                    const QTextFormat& format) override;

private:
    [[nodiscard]] const PrintedPicture* pictureOf(const QTextFormat& format) const;
    [[nodiscard]] double titleHeight() const;

    const std::vector<PrintedPicture>& pictures_;
    double dotsPerPoint_;
};

}  // namespace fabricast
