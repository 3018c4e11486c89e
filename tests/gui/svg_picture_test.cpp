#include "gui/print/svg_picture.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace svg_picture_test {

std::string svg(const std::string& content) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 480 90\">" +
           content + "</svg>";
}

SvgPicture pictureOf(const std::string& content, std::string_view css = {}) {
    return SvgPicture::read(svg(content), StyleSheet(css)).value();
}

TEST(SvgPath, LinesMayBeOfAPlaceOrOfAWay) {
    const auto box = svgOutlines("M1 2h3v4h-3z").value();
    ASSERT_EQ(box.size(), 1U);
    EXPECT_EQ(box[0], QPolygonF({{1, 2}, {4, 2}, {4, 6}, {1, 6}, {1, 2}}));
    const auto two = svgOutlines("M0 0L1.5 -2,3 4M5 5H7V8l1 1").value();
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[0], QPolygonF({{0, 0}, {1.5, -2}, {3, 4}}));
    EXPECT_EQ(two[1], QPolygonF({{5, 5}, {7, 5}, {7, 8}, {8, 9}}));
}

TEST(SvgPath, WhatIsNoLineIsRefused) {
    for (const char* path : {"M0 0C1 1 2 2 3 3", "L1 1", "M0", "M0 0L1 x", "5"}) {
        EXPECT_FALSE(svgOutlines(path)) << path;
    }
}

TEST(SvgPicture, AShapeHasTheColoursOfItsClassInAGroupItsPlace) {
    const SvgPicture picture = pictureOf(
        "<g transform=\"translate(10 20)\"><rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" "
        "class=\"bar c1\"/></g><line x1=\"0\" y1=\"1\" x2=\"2\" y2=\"3\" class=\"limit\"/>",
        ".c1 { fill: #ff0000 } svg.chart .limit { stroke: #0000ff; stroke-width: 2; "
        "stroke-dasharray: 5 3 }");
    EXPECT_EQ(picture.size(), QSizeF(480, 90));
    ASSERT_EQ(picture.shapes().size(), 2U);
    const SvgPicture::Shape& bar = picture.shapes()[0];
    EXPECT_EQ(bar.outlines.front().boundingRect(), QRectF(11, 22, 3, 4));
    EXPECT_EQ(bar.fill, QColor("#ff0000"));
    EXPECT_EQ(bar.stroke.width, 0.0);
    const SvgPicture::Shape& limit = picture.shapes()[1];
    EXPECT_FALSE(limit.fill.isValid());
    EXPECT_EQ(limit.stroke.colour, QColor("#0000ff"));
    EXPECT_TRUE(limit.stroke.dashed);
}

TEST(SvgPicture, WordsHaveTheirSizeAndAnchor) {
    const SvgPicture picture = pictureOf(
        "<style>.name { font-size: 13px; font-weight: 600 }</style>"
        "<text x=\"5\" y=\"6\" text-anchor=\"end\">a &lt; b</text>"
        "<text x=\"7\" y=\"8\" class=\"name\">stage 0</text><title>unseen</title>",
        "svg.chart text { fill: #222222; font: 12.5px sans-serif }");
    ASSERT_EQ(picture.shapes().size(), 2U);
    EXPECT_EQ(picture.shapes()[0].words, "a < b");
    EXPECT_EQ(picture.shapes()[0].lettering.size, 12.5);
    EXPECT_EQ(picture.shapes()[0].lettering.anchor, TextAnchor::End);
    EXPECT_EQ(picture.shapes()[0].lettering.colour, QColor("#222222"));
    EXPECT_TRUE(picture.shapes()[1].lettering.bold);
    EXPECT_EQ(picture.shapes()[1].lettering.size, 13.0);
}

TEST(SvgPicture, LongWordsEndWithinThePicture) {
    const auto sizeOf = [](const std::string& words) {
        const SvgPicture picture = pictureOf("<text x=\"380\" y=\"6\">" + words + "</text>");
        return picture.shapes()[0].lettering.size;
    };
    EXPECT_EQ(sizeOf("short"), 12.0);
    EXPECT_LT(sizeOf("as long as this is, a hundred pixels are too few"), 6.0);
}

TEST(SvgPicture, WhatCannotBeDrawnIsNamed) {
    const auto refused = [](const std::string& content) {
        const auto picture = SvgPicture::read(svg(content), StyleSheet(""));
        return picture ? std::string() : picture.error().text();
    };
    EXPECT_NE(refused("<ellipse rx=\"2\"/>").find("<ellipse>"), std::string::npos);
    EXPECT_NE(refused("<g transform=\"rotate(3)\"/>").find("rotate(3)"), std::string::npos);
    EXPECT_NE(refused("<rect").size(), 0U);
    EXPECT_FALSE(SvgPicture::read("<svg/>", StyleSheet("")));
}

}  // namespace svg_picture_test
}  // namespace fabricast
