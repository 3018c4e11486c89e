#pragma once
#include "gui/charts/canvas.h"
#include "gui/print/style_sheet.h"
#include "planner/base/result.h"

#include <QPolygonF>
#include <QSizeF>
#include <QString>
#include <string>
#include <vector>

namespace fabricast {

/// The outlines of a path of straight lines: "M0 0h12v4h-12z". A curve is refused.
Result<std::vector<QPolygonF>> svgOutlines(const std::string& path);

/// This is a picture of a report, which is SVG, to be painted on a canvas as the charts of the
/// window are: boxes, straight lines, circles and words, in the colours of a style sheet. A picture
/// with anything else is refused by the name of that.
///     FABRICAST_ASSIGN(const SvgPicture picture, SvgPicture::read(drawing.svg, sheet));
///     picture.paint(canvas, corner, width / picture.size().width());
class SvgPicture {
public:
    struct Shape {
        std::vector<QPolygonF> outlines{};  ///< one that ends where it begins is closed
        QColor fill{};                      ///< not valid: nothing is filled
        Stroke stroke{.colour = {}, .width = 0.0};
        QPointF base{};
        QString words{};
        Lettering lettering{};
    };

    static Result<SvgPicture> read(const std::string& svg, const StyleSheet& page);
    [[nodiscard]] QSizeF size() const { return size_; }
    [[nodiscard]] const std::vector<Shape>& shapes() const { return shapes_; }
    void paint(Canvas& canvas, const QPointF& corner, double scale) const;

private:
    QSizeF size_;
    std::vector<Shape> shapes_;
};

}  // namespace fabricast
