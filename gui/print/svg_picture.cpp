#include "gui/print/svg_picture.h"

#include "gui/charts/marker_outline.h"

#include <QFont>
#include <QFontMetricsF>
#include <QRegularExpression>
#include <QStringList>
#include <QTransform>
#include <QXmlStreamReader>
#include <utility>

namespace fabricast {
namespace {

/// Of a font, which is wider than that of a browser, as large as there is room for.
double sizeWithin(double room, const QString& words, const Lettering& lettering) {
    constexpr int kMeasured = 100;
    QFont font;
    font.setPixelSize(kMeasured);
    font.setBold(lettering.bold);
    const double width = QFontMetricsF(font).horizontalAdvance(words) / kMeasured * lettering.size;
    return width > room && room > 0.0 ? lettering.size * room / width : lettering.size;
}

tl::unexpected<Error> notDrawn(const QString& what) {
    return fail(Error::Code::Unsupported, "picture", what.toStdString() + " is not drawn");
}

/// Reads the elements of a picture; groups only move what is in them.
class PictureReader {
public:
    PictureReader(const std::string& svg, const StyleSheet& page)
        : xml_(QString::fromStdString(svg)), sheet_(page) {}

    Result<void> read() {
        while (!xml_.atEnd()) {
            xml_.readNext();
            if (xml_.isStartElement()) {
                FABRICAST_TRY(begin());
            } else if (xml_.isEndElement() && xml_.name() == u"g") {
                moved_.pop_back();
            }
        }
        return xml_.hasError() ? Result<void>(notDrawn(xml_.errorString())) : Result<void>();
    }
    [[nodiscard]] const QSizeF& size() const { return size_; }
    [[nodiscard]] std::vector<SvgPicture::Shape>& shapes() { return shapes_; }

private:
    Result<void> begin() {
        const QString name = xml_.name().toString();
        element_ = {name, text("class")};
        if (name == "svg") {
            const QStringList box = text("viewBox").split(' ');
            size_ = box.size() == 4 ? QSizeF(box[2].toDouble(), box[3].toDouble()) : QSizeF();
            root_ = element_;
            return size_.isEmpty() ? Result<void>(notDrawn("a picture without viewBox"))
                                   : Result<void>();
        }
        if (name == "title" || name == "desc") {
            xml_.skipCurrentElement();
            return {};
        }
        if (name == "style") {
            sheet_.add(xml_.readElementText());
            return {};
        }
        if (name == "g") {
            return beginGroup();
        }
        return name == "text" ? addWords() : addShape(name);
    }

    Result<void> beginGroup() {
        static const QRegularExpression translate("^translate\\(([0-9.-]+)[ ,]+([0-9.-]+)\\)$");
        const QString typed = text("transform");
        const QRegularExpressionMatch by = translate.match(typed);
        if (!typed.isEmpty() && !by.hasMatch()) {
            return notDrawn(typed);
        }
        moved_.push_back(shift() + QPointF(by.captured(1).toDouble(), by.captured(2).toDouble()));
        return {};
    }

    Result<void> addWords() {
        const QString anchor = style("text-anchor");
        static const QRegularExpression pixels("([0-9.]+)px");
        const QString font = style("font-size") + " " + style("font");
        const QString size = pixels.match(font).captured(1);
        SvgPicture::Shape shape;
        shape.base = QPointF(number("x"), number("y")) + shift();
        shape.lettering = {.colour = paint("fill", "black"),
                           .size = size.isEmpty() ? 12.0 : size.toDouble(),
                           .anchor = anchor == "middle" ? TextAnchor::Middle
                                     : anchor == "end"  ? TextAnchor::End
                                                        : TextAnchor::Start,
                           .bold = style("font-weight").toInt() >= 600};
        shape.words = xml_.readElementText();
        if (shape.lettering.anchor == TextAnchor::Start) {
            shape.lettering.size =
                sizeWithin(size_.width() - shape.base.x(), shape.words, shape.lettering);
        }
        shapes_.push_back(std::move(shape));
        return {};
    }

    Result<void> addShape(const QString& name) {
        FABRICAST_ASSIGN(std::vector<QPolygonF> outlines, outlinesOf(name));
        for (QPolygonF& outline : outlines) {
            outline.translate(shift());
        }
        const QString dashes = style("stroke-dasharray");
        const QString width = style("stroke-width");
        const QColor ink = paint("stroke", "none");
        shapes_.push_back({.outlines = std::move(outlines),
                           .fill = name == "line" ? QColor() : paint("fill", "black"),
                           .stroke = {.colour = ink,
                                      .width = !ink.isValid()    ? 0.0
                                               : width.isEmpty() ? 1.0
                                                                 : width.toDouble(),
                                      .dashed = !dashes.isEmpty() && dashes != "none"}});
        return {};
    }

    Result<std::vector<QPolygonF>> outlinesOf(const QString& name) {
        if (name == "rect") {
            const QRectF box(number("x"), number("y"), number("width"), number("height"));
            return std::vector{QPolygonF(box)};
        }
        if (name == "line") {
            return std::vector{QPolygonF(
                {QPointF(number("x1"), number("y1")), QPointF(number("x2"), number("y2"))})};
        }
        if (name == "circle") {
            QPolygonF outline = markerOutline(MarkerShape::Circle, 2.0 * number("r")).front();
            outline << outline.front();
            return std::vector{outline.translated(number("cx"), number("cy"))};
        }
        if (name == "path") {
            return svgOutlines(text("d").toStdString());
        }
        return notDrawn("<" + name + ">");
    }

    [[nodiscard]] QPointF shift() const { return moved_.empty() ? QPointF() : moved_.back(); }
    [[nodiscard]] QString text(const char* attribute) const {
        return xml_.attributes().value(attribute).toString();
    }
    [[nodiscard]] double number(const char* attribute) const { return text(attribute).toDouble(); }
    /// A rule comes before an attribute.
    [[nodiscard]] QString style(const char* property) const {
        const QString ruled = sheet_.value(property, element_, root_);
        return ruled.isEmpty() ? text(property) : ruled;
    }
    [[nodiscard]] QColor paint(const char* property, const char* usual) const {
        const QString said = style(property);
        const QString named = said.isEmpty() ? QString(usual) : said;
        QColor colour = named == "none" ? QColor() : QColor(named);
        const QString opacity = style((QByteArray(property) + "-opacity").constData());
        if (colour.isValid() && !opacity.isEmpty()) {
            colour.setAlphaF(opacity.toFloat());
        }
        return colour;
    }

    QXmlStreamReader xml_;
    StyleSheet sheet_;
    StyledElement root_;
    StyledElement element_;
    QSizeF size_;
    std::vector<QPointF> moved_;
    std::vector<SvgPicture::Shape> shapes_;
};

}  // namespace

Result<SvgPicture> SvgPicture::read(const std::string& svg, const StyleSheet& page) {
    PictureReader reader(svg, page);
    FABRICAST_TRY(reader.read());
    SvgPicture picture;
    picture.size_ = reader.size();
    picture.shapes_ = std::move(reader.shapes());
    return picture;
}

void SvgPicture::paint(Canvas& canvas, const QPointF& corner, double scale) const {
    const QTransform place = QTransform::fromTranslate(corner.x(), corner.y()).scale(scale, scale);
    for (const Shape& shape : shapes_) {
        for (const QPolygonF& outline : shape.outlines) {
            const QPolygonF placed = place.map(outline);
            if (shape.fill.isValid()) {
                canvas.area(placed, shape.fill);
            }
            if (shape.stroke.width > 0.0) {
                canvas.line(placed,
                            {.colour = shape.stroke.colour,
                             .width = shape.stroke.width * scale,
                             .dashed = shape.stroke.dashed});
            }
        }
        if (!shape.words.isEmpty()) {
            Lettering lettering = shape.lettering;
            lettering.size *= scale;
            canvas.text(place.map(shape.base), shape.words.toStdString(), lettering);
        }
    }
}

}  // namespace fabricast
