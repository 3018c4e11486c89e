#include "gui/charts/network_map.h"

#include "tests/gui/charts/sample_charts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace fabricast {
namespace {

const ChartTheme kNetworkTheme = lightChartTheme();
const QSizeF kNetworkSize(900, 500);

double allCapacity(const NetworkMapValues& values) {
    return std::accumulate(
        values.links.begin(), values.links.end(), 0.0, [](double sum, const MapLink& link) {
            return sum + link.capacity;
        });
}

double allTraffic(const NetworkMapValues& values) {
    return std::accumulate(
        values.links.begin(), values.links.end(), 0.0, [](double sum, const MapLink& link) {
            return sum + link.capacity * link.load;
        });
}

TEST(NetworkMap, JoinsWhatIsTooManyAndLosesNothing) {
    const NetworkMapValues whole = sampleNetwork(3, 16);
    const NetworkMapValues joined = aggregated(whole, 5);
    EXPECT_LT(joined.boxes.size(), whole.boxes.size());
    EXPECT_LT(joined.links.size(), whole.links.size());
    EXPECT_NEAR(allCapacity(joined) / allCapacity(whole), 1.0, 1e-9);
    EXPECT_NEAR(allTraffic(joined) / allTraffic(whole), 1.0, 1e-9);
    std::int64_t nodes = 0;
    for (const MapBox& box : joined.boxes) {
        nodes += box.level == MapLevel::Node ? box.count : 0;
    }
    EXPECT_EQ(nodes, 48);
    const auto rest = std::ranges::find(joined.boxes, "+ 12", &MapBox::label);
    ASSERT_NE(rest, joined.boxes.end());
    EXPECT_EQ(rest->count, 12);
}

TEST(NetworkMap, ABoxHasTheLinksThatEndThere) {
    const NetworkMapValues values = sampleNetwork(2, 4);
    const NetworkMapLayout layout = networkMapLayout(values, kNetworkSize, kNetworkTheme);
    EXPECT_EQ(mapLinksOf(values, layout, 0), std::vector<std::size_t>{0}) << "a link is its own";
    std::size_t ends = 0;
    for (std::size_t box = 0; box < layout.boxes.size(); ++box) {
        const std::uint32_t id = values.boxes[layout.boxes[box].box].id;
        const auto item = static_cast<int>(layout.links.size() + box);
        for (const std::size_t place : mapLinksOf(values, layout, item)) {
            const MapLink& link = values.links[layout.links[place].link];
            EXPECT_TRUE(link.from == id || link.to == id);
            ++ends;
        }
    }
    EXPECT_EQ(ends, 2 * layout.links.size());
}

TEST(NetworkMap, LeavesWhatFitsAsItIs) {
    const NetworkMapValues whole = sampleNetwork(2, 4);
    const NetworkMapValues joined = aggregated(whole, 4);
    EXPECT_EQ(joined.boxes.size(), whole.boxes.size());
    EXPECT_EQ(joined.links.size(), whole.links.size());
}

TEST(NetworkMap, BoxesDoNotOverlapAndLieInTheirPods) {
    const NetworkMapValues values = aggregated(sampleNetwork(3, 16), 6);
    const NetworkMapLayout layout = networkMapLayout(values, kNetworkSize, kNetworkTheme);
    for (const MapBoxPlace& place : layout.boxes) {
        EXPECT_TRUE(QRectF({0, 0}, kNetworkSize).contains(place.area));
        for (const MapBoxPlace& other : layout.boxes) {
            EXPECT_TRUE(&place == &other || !place.area.intersects(other.area));
        }
        const auto pod =
            std::ranges::find(layout.pods, values.boxes[place.box].pod, &MapPodPlace::pod);
        EXPECT_TRUE(pod == layout.pods.end() || pod->area.contains(place.area));
    }
}

TEST(NetworkMap, TheNetworkIsOnTop) {
    const NetworkMapValues values = sampleNetwork(2, 4);
    const NetworkMapLayout layout = networkMapLayout(values, kNetworkSize, kNetworkTheme);
    for (const MapLinkPlace& link : layout.links) {
        // Each goes from what is below to what is above.
        EXPECT_GT(link.from.y(), link.to.y());
    }
}

TEST(NetworkMap, AClickOnALinkFindsIt) {
    NetworkMapValues values{.boxes = {{.id = 7, .level = MapLevel::Spine, .label = "spine"},
                                      {.id = 8, .pod = 0, .label = "a"},
                                      {.id = 9, .pod = 0, .label = "b"}},
                            .links = {{.id = 70, .from = 8, .to = 7, .capacity = 50e9},
                                      {.id = 71, .from = 9, .to = 7, .capacity = 100e9},
                                      {.id = 72, .from = 9, .to = 1234, .capacity = 1e9}}};
    const NetworkMapLayout layout = networkMapLayout(values, kNetworkSize, kNetworkTheme);
    ASSERT_EQ(layout.links.size(), 2U) << "one goes nowhere";
    EXPECT_GT(layout.links[1].width, layout.links[0].width);
    for (int link = 0; link < 2; ++link) {
        const MapLinkPlace& place = layout.links[static_cast<std::size_t>(link)];
        EXPECT_EQ(mapLinkAt(layout, (place.from + place.to) / 2), link);
        EXPECT_EQ(mapBoxAt(layout, mapItemBox(layout, 3).center()), 1);
    }
    EXPECT_EQ(mapLinkAt(layout, {1, 1}), -1);
    EXPECT_EQ(mapBoxAt(layout, {1, 1}), -1);
    // From box a to box b.
    EXPECT_EQ(mapItemBeside(layout, 3, {1, 0}), 4);
}

TEST(NetworkMap, FullerLinksHaveOtherColours) {
    for (const ChartTheme& theme : {lightChartTheme(), darkChartTheme()}) {
        EXPECT_NE(loadColour(0.0, theme), loadColour(0.5, theme));
        EXPECT_EQ(loadColour(1.0, theme), theme.bad);
        EXPECT_EQ(loadColour(1.7, theme), theme.bad);
    }
}

TEST(NetworkMap, IsDescribed) {
    const NetworkMapValues values{
        .title = "Network",
        .boxes = {{.id = 1, .level = MapLevel::Leaf, .label = "rail 0"},
                  {.id = 2, .level = MapLevel::Node, .pod = 3, .label = "node 0", .count = 2}},
        .links = {{.id = 5,
                   .from = 2,
                   .to = 1,
                   .capacity = 100e9,
                   .load = 0.95,
                   .count = 2,
                   .failed = 1,
                   .note = "dp"}}};
    EXPECT_EQ(describeNetworkMap(values),
              "Network: 2 nodes and switches, 1 link. The most loaded link, node 0 \u2013 rail 0, "
              "is used by "
              "95 % of 100 GB/s. 1 link is used by 90 % or more. 1 has failed links.");
    EXPECT_EQ(mapLinkText(values, 0),
              "node 0 \u2013 rail 0\n95 % of 100 GB/s\n2 links\n1 of them failed\ndp");
    EXPECT_EQ(mapBoxText(values, 1), "node 0\nnode of pod 3\n2 of them");
    EXPECT_EQ(csvText(networkMapTable(values)),
              "from,to,links,capacity (B/s),load (1 is 100 %),failed,traffic\nnode 0,rail "
              "0,2,1e+11,0.95,1,dp\n");
}

}  // namespace
}  // namespace fabricast
