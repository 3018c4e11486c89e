#pragma once
#include "gui/charts/plot_frame.h"
#include "planner/report/table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

/// What a box of the map is; the network is on top.
enum class MapLevel : std::uint8_t { Node, Leaf, Spine, Core };

/// A node, rail switch, spine, or several of them drawn as one.
struct MapBox {
    std::uint32_t id = 0;  ///< the caller's, unique
    MapLevel level = MapLevel::Node;
    std::int32_t pod = -1;  ///< -1: in none
    std::string label;
    std::int64_t count = 1;  ///< how many it stands for
    bool failed = false;
};

/// A link, or several in parallel, between two boxes.
struct MapLink {
    std::uint32_t id = 0;    ///< the caller's, unique
    std::uint32_t from = 0;  ///< ids of boxes
    std::uint32_t to = 0;
    double capacity = 0.0;  ///< of all of them, bytes per second
    double load = 0.0;  ///< share of it that is used, 0 to 1; above 1: more is asked than there is
    std::int64_t count = 1;
    std::int64_t failed = 0;  ///< of them
    std::string note;         ///< in the tip: whose traffic
};

/// A link with so much load is marked.
inline constexpr double kFullLink = 0.9;

/// This is a cluster's network: pods of nodes, rails, switches, and how loaded the links are.
struct NetworkMapValues {
    std::string title;
    std::vector<MapBox> boxes;
    std::vector<MapLink> links;
};

/// With at most so many boxes of a level in a pod: the rest becomes one box, and links between the
/// same boxes one link. A joined box or link has the id of its first; loads are weighted by
/// capacity.
NetworkMapValues aggregated(const NetworkMapValues& values, std::size_t mostPerPod);

struct MapBoxPlace {
    std::size_t box = 0;  ///< index of the values
    QRectF area;
};

struct MapLinkPlace {
    std::size_t link = 0;
    QPointF from;
    QPointF to;
    double width = 1.0;
};

struct MapPodPlace {
    std::int32_t pod = 0;
    QRectF area;
};

struct NetworkMapLayout {
    std::vector<MapPodPlace> pods;
    std::vector<MapBoxPlace> boxes;
    std::vector<MapLinkPlace> links;
    QRectF scale;  ///< of the colours
};

NetworkMapLayout networkMapLayout(const NetworkMapValues& values,
                                  const QSizeF& size,
                                  const ChartTheme& theme);
/// Index into the layout's links, or -1; within three pixels.
int mapLinkAt(const NetworkMapLayout& layout, const QPointF& place);
int mapBoxAt(const NetworkMapLayout& layout, const QPointF& place);
/// Of the links, then the boxes, the one whose middle is nearest on one side of another's.
int mapItemBeside(const NetworkMapLayout& layout, int item, const QPointF& step);
/// The middle of a link or box.
QRectF mapItemBox(const NetworkMapLayout& layout, int item);
std::string mapLinkText(const NetworkMapValues& values, std::size_t link);
std::string mapBoxText(const NetworkMapValues& values, std::size_t box);
std::string describeNetworkMap(const NetworkMapValues& values);
Table networkMapTable(const NetworkMapValues& values);
QColor loadColour(double load, const ChartTheme& theme);
/// Over the map: the links of a box, or the one link that an item is.
std::vector<std::size_t> mapLinksOf(const NetworkMapValues& values,
                                    const NetworkMapLayout& layout,
                                    int item);
void paintLinksOf(Canvas& canvas,
                  const NetworkMapValues& values,
                  const NetworkMapLayout& layout,
                  int item,
                  const ChartTheme& theme);
void paintNetworkMap(Canvas& canvas,
                     const NetworkMapValues& values,
                     const NetworkMapLayout& layout,
                     const ChartTheme& theme);

}  // namespace fabricast
