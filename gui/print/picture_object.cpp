#include "gui/print/picture_object.h"

#include "gui/charts/painter_canvas.h"

#include <QPainter>
#include <QTextDocument>
#include <QTextFormat>
#include <algorithm>

namespace fabricast {
namespace {

constexpr double kPointsPerMillimetre = 72.0 / 25.4;
/// Of pictures of numbers, whose letters are then as large as those around them.
constexpr double kNumbersMillimetres = 115.0;
constexpr double kTitlePoints = 9.0;

}  // namespace

PictureObject::PictureObject(const std::vector<PrintedPicture>& pictures, double dotsPerPoint)
    : pictures_(pictures), dotsPerPoint_(dotsPerPoint) {}

const PrintedPicture* PictureObject::pictureOf(const QTextFormat& format) const {
    bool isNumber = false;
    const auto place = format.toImageFormat().name().toULongLong(&isNumber);
    return isNumber && place < pictures_.size() ? &pictures_[place] : nullptr;
}

double PictureObject::titleHeight() const {
    return 1.7 * kTitlePoints * dotsPerPoint_;
}

QSizeF PictureObject::intrinsicSize(QTextDocument* document,
                                    int /*place*/,
                                    const QTextFormat& format) {
    const PrintedPicture* shown = pictureOf(format);
    if (shown == nullptr) {
        return {};
    }
    const double numbers = kNumbersMillimetres * kPointsPerMillimetre * dotsPerPoint_;
    const QSizeF page = document->pageSize();
    const QSizeF room(shown->isWide ? page.width() : std::min(page.width(), numbers),
                      page.height() - 2.0 * titleHeight());
    return shown->picture.size().scaled(room, Qt::KeepAspectRatio) + QSizeF(0.0, titleHeight());
}

void PictureObject::drawObject(QPainter* painter,
                               const QRectF& box,
                               QTextDocument* /*document*/,
                               int /*place*/,
                               const QTextFormat& format) {
    const PrintedPicture* shown = pictureOf(format);
    if (shown == nullptr) {
        return;
    }
    painter->save();
    PainterCanvas canvas(*painter, 1.0, CanvasKind::Vectors);
    const double letters = kTitlePoints * dotsPerPoint_;
    canvas.text(box.topLeft() + QPointF(0.0, letters),
                shown->title.toStdString(),
                {.colour = Qt::black, .size = letters, .bold = true});
    shown->picture.paint(canvas,
                         box.topLeft() + QPointF(0.0, titleHeight()),
                         box.width() / shown->picture.size().width());
    painter->restore();
}

}  // namespace fabricast
