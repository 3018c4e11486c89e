#include "probes/fit/collective_points.h"

#include "planner/profiles/read_measured_collectives.h"
#include "planner/text/json_document.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace fabricast {
namespace collective_points_test {

const std::string kHead =
    "{\"schema\":\"fabricast.measurements/1\",\"machine\":{\"nccl\":\"2.28.9\"}}\n";

std::string lineOf(const std::string& point, double us, const std::string& more = "") {
    const std::string s = std::to_string(us) + "e-6";
    return R"({"point":")" + point + R"(","unit":"s",)" + more + R"("samples":[)" + s + "," + s +
           ",1]}\n";
}

std::vector<RecordedPoint> pointsOf(const std::string& lines) {
    auto record = parseMeasurements(kHead + lines, "run.jsonl");
    EXPECT_TRUE(record) << record.error().text();
    return record ? std::move(record->points) : std::vector<RecordedPoint>();
}

CollectivePoints collected(const std::string& lines) {
    auto points = collectivePoints(pointsOf(lines));
    EXPECT_TRUE(points) << points.error().text();
    return points ? *std::move(points) : CollectivePoints{};
}

double microseconds(const MeasuredCurve& curve, std::size_t point) {
    return std::round(curve.points.at(point).seconds.count() * 1e8) / 100;
}

TEST(CollectivePoints, BecomeCurvesByGroup) {
    const CollectivePoints points =
        collected(lineOf("all_gather bytes=1M ranks=8 nodes=1", 20) +
                  lineOf("all_reduce bytes=2M ranks=16 nodes=2", 90) +
                  lineOf("all_reduce bytes=1M ranks=16 nodes=2", 50) +
                  lineOf("send_recv bytes=1M ranks=2 nodes=2", 30) +
                  lineOf("all_to_all bytes=1M ranks=8 nodes=1", 25) + lineOf("gemm m=8", 1));
    ASSERT_EQ(points.curves.size(), 4U);
    EXPECT_EQ(points.curves[0].kind, CollectiveKind::AllReduce);
    EXPECT_EQ(points.curves[0].ranks, 16);
    EXPECT_EQ(points.curves[0].nodes, 2);
    ASSERT_EQ(points.curves[0].points.size(), 2U);
    EXPECT_EQ(points.curves[0].points[0].bytes, 1048576.0);
    EXPECT_EQ(microseconds(points.curves[0], 0), 50.0);  // the median, not the third sample
    EXPECT_EQ(points.curves[1].kind, CollectiveKind::AllGather);
    EXPECT_EQ(points.curves[2].kind, CollectiveKind::AllToAll);
    EXPECT_EQ(points.curves[3].kind, CollectiveKind::SendReceive);
    EXPECT_EQ(points.used, 5U);
    EXPECT_EQ(points.mostMoved, 0.0);
    EXPECT_TRUE(points.leftOut.empty());
}

TEST(CollectivePoints, WhatFallsIsLevelled) {
    const CollectivePoints points = collected(lineOf("all_reduce bytes=1 ranks=2 nodes=1", 5) +
                                              lineOf("all_reduce bytes=2 ranks=2 nodes=1", 16) +
                                              lineOf("all_reduce bytes=4 ranks=2 nodes=1", 9) +
                                              lineOf("all_reduce bytes=8 ranks=2 nodes=1", 20));
    ASSERT_EQ(points.curves.size(), 1U);
    EXPECT_EQ(microseconds(points.curves[0], 0), 5.0);
    EXPECT_EQ(microseconds(points.curves[0], 1), 12.0);
    EXPECT_EQ(microseconds(points.curves[0], 2), 12.0);
    EXPECT_EQ(microseconds(points.curves[0], 3), 20.0);
    EXPECT_NEAR(points.mostMoved, 1.0 / 3.0, 1e-9);
}

TEST(CollectivePoints, SaysWhatIsLeftOut) {
    const CollectivePoints points = collected(
        lineOf("all_reduce bytes=1 ranks=2 nodes=1", 5, R"("words":{"shared_gpu":"yes"},)") +
        lineOf("all_reduce bytes=2 ranks=2 nodes=1", 5, R"("facts":{"wrong":3},)") +
        lineOf("all_reduce bytes=4 ranks=1 nodes=1", 5) +
        "{\"point\":\"broadcast bytes=1 ranks=2 nodes=1\",\"refused\":\"no peer access\"}\n" +
        lineOf("all_gather bytes=8 ranks=8 nodes=1 stride=2", 5) +
        lineOf("all_gather bytes=8 ranks=8 nodes=1", 6) +
        lineOf("all_gather bytes=16 ranks=8 nodes=1", 7) +
        lineOf("all_gather bytes=8 ranks=8 nodes=1 dtype=fp16", 6) +
        lineOf("all_gather bytes=16 ranks=8 nodes=1 dtype=fp16", 7));
    ASSERT_EQ(points.curves.size(), 1U);
    EXPECT_EQ(microseconds(points.curves[0], 0), 6.0);
    const std::vector<std::string> expected = {
        "all_reduce bytes=1 nodes=1 ranks=2: its ranks shared a GPU",
        "all_reduce bytes=2 nodes=1 ranks=2: its results were wrong",
        "all_reduce bytes=4 nodes=1 ranks=1: one rank talks to nobody",
        "broadcast bytes=1 nodes=1 ranks=2: no peer access",
        "all_gather ranks=8 nodes=1 stride=1 dtype=fp16: stride=1 has as many sizes and comes "
        "first by stride, group and type, and one curve is kept of a group",
        "all_gather ranks=8 nodes=1 stride=2: stride=1 has more sizes, and one curve is kept of a "
        "group"};
    EXPECT_EQ(points.leftOut, expected);
}

TEST(CollectivePoints, ATieIsCalledOne) {
    const CollectivePoints points =
        collected(lineOf("all_reduce bytes=8 dtype=fp32 ranks=8 nodes=1", 5) +
                  lineOf("all_reduce bytes=8 dtype=fp16 ranks=8 nodes=1", 6));
    ASSERT_EQ(points.leftOut.size(), 1U);
    EXPECT_NE(points.leftOut.front().find(" has as many sizes and comes first by stride"),
              std::string::npos)
        << points.leftOut.front();
}

/// One group alone has all network ports; in training all work at once.
TEST(CollectivePoints, AGroupAloneIsNoPartOfTheCurveOfAll) {
    const CollectivePoints points =
        collected(lineOf("all_reduce bytes=1M ranks=4 nodes=4 stride=8", 50) +
                  lineOf("all_reduce bytes=1M groups=1 ranks=4 nodes=4 stride=8", 20) +
                  lineOf("all_reduce bytes=2M groups=1 ranks=4 nodes=4 stride=9", 30));
    ASSERT_EQ(points.curves.size(), 1U);
    ASSERT_EQ(points.curves[0].points.size(), 1U);
    EXPECT_EQ(microseconds(points.curves[0], 0), 50.0);
    ASSERT_EQ(points.leftOut.size(), 2U);
    EXPECT_NE(points.leftOut[0].find("stride=8 groups=1"), std::string::npos) << points.leftOut[0];
}

TEST(CollectivePoints, AnUnclearPointIsAnErrorWithItsPlace) {
    const auto unclear = collectivePoints(pointsOf(lineOf("all_reduce bytes=1 ranks=2", 5)));
    ASSERT_FALSE(unclear);
    EXPECT_EQ(unclear.error().text(), "run.jsonl:2:1: 'all_reduce bytes=1 ranks=2' lacks nodes=");
    const auto wide = collectivePoints(pointsOf(lineOf("all_reduce bytes=1 ranks=2 nodes=3", 5)));
    ASSERT_FALSE(wide);
    EXPECT_EQ(wide.error().why,
              "'all_reduce bytes=1 nodes=3 ranks=2': 2 ranks do not span 3 nodes");
}

TEST(CollectivePoints, TheFileIsReadBackAsItWasMeasured) {
    const CollectivePoints points =
        collected(lineOf("all_reduce bytes=1M ranks=16 nodes=2", 50.123456) +
                  lineOf("all_reduce bytes=2M ranks=16 nodes=2", 90));
    const std::string text = collectivesJson({.name = "measured-ours",
                                              .title = "ours, 2 nodes",
                                              .machine = "hgx-h100",
                                              .software = "nccl 2.28.9",
                                              .from = "fabricast-probe-nccl, 2026-11-22",
                                              .note = "run.jsonl"},
                                             points);
    const auto root = parseJson(text, "measured-ours.json");
    ASSERT_TRUE(root) << root.error().text();
    ASSERT_TRUE(isMeasured(*root));
    const auto file = readMeasuredCollectives(*root);
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->machine.name, "hgx-h100");
    ASSERT_EQ(file->measured.curves.size(), 1U);
    EXPECT_EQ(file->measured.curves[0].kind, CollectiveKind::AllReduce);
    EXPECT_EQ(file->measured.curves[0].points[0].bytes, 1048576.0);
    EXPECT_DOUBLE_EQ(file->measured.curves[0].points[0].seconds.count(), 50.123e-6);
}

}  // namespace collective_points_test
}  // namespace fabricast
