#include "probes/collective/sweep.h"

#include <algorithm>
#include <limits>

namespace fabricast::probe {

namespace {

struct Sizes {
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::int64_t factor = 1;
    std::int64_t step = 0;
};

std::vector<std::int64_t> listOf(const Sizes& sizes) {
    std::vector<std::int64_t> list;
    const bool multiplies = sizes.factor > 1;
    for (std::int64_t size = sizes.least; size <= sizes.most;) {
        list.push_back(size);
        if (size > (multiplies ? sizes.most / sizes.factor : sizes.most - sizes.step)) {
            break;
        }
        size = multiplies ? size * sizes.factor : size + sizes.step;
    }
    return list;
}

Point pointOf(GroupCall call, const StridedGroup& shape, int nodes, std::int64_t bytes) {
    Point point{.what = std::string(nameOf(call))};
    point.settings = {{"bytes", std::to_string(bytes)},
                      {"ranks", std::to_string(shape.ranks)},
                      {"nodes", std::to_string(nodes)}};
    if (shape.stride != 1) {
        point.settings["stride"] = std::to_string(shape.stride);
    }
    return point;
}

/// In the order in which they matter: small and large of all before the next group.
Answer<std::vector<Point>> pointsOf(const std::vector<GroupCall>& calls,
                                    const std::vector<StridedGroup>& shapes,
                                    const Sizes& sizes,
                                    const std::string& dtype,
                                    int ranksPerNode) {
    std::vector<Point> points;
    for (const StridedGroup& shape : shapes) {
        for (const GroupCall call : calls) {
            for (const std::int64_t bytes : listOf(sizes)) {
                Point point = pointOf(call, shape, nodesSpanned(shape, ranksPerNode), bytes);
                if (!dtype.empty()) {
                    point.settings["dtype"] = dtype;
                }
                const Answer<CollectiveTask> task = taskOf(point);
                if (!task) {
                    return task.trouble();
                }
                if (countsOf(*task).count > 0) {
                    points.push_back(std::move(point));
                }
            }
        }
    }
    return points;
}

void addShape(std::vector<StridedGroup>& shapes, int ranks, int stride) {
    const StridedGroup shape{ranks, stride};
    if (ranks >= 2 && std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) {
        shapes.push_back(shape);
    }
}

std::vector<StridedGroup> suiteShapes(int world, int ranksPerNode, bool full) {
    const int nodes = world / ranksPerNode;
    std::vector<StridedGroup> shapes;
    addShape(shapes, std::min(ranksPerNode, world), 1);
    addShape(shapes, world, 1);
    addShape(shapes, nodes, ranksPerNode);
    for (int ranks = 2; full && ranks < ranksPerNode; ranks *= 2) {
        addShape(shapes, ranks, 1);
    }
    for (int some = 2; full && some < nodes; some *= 2) {
        addShape(shapes, some * ranksPerNode, 1);
        addShape(shapes, some, ranksPerNode);
    }
    if (shapes.empty()) {
        shapes.push_back({});  // a world of one: what a call costs by itself
    }
    return shapes;
}

}  // namespace

Answer<std::vector<Point>> sweepPoints(const SweepFlags& flags, int world, int ranksPerNode) {
    constexpr std::int64_t kUsual = std::int64_t{32} << 20;
    Sizes sizes;
    sizes.least = flags.least > 0 ? flags.least : flags.most > 0 ? flags.most : kUsual;
    sizes.most = flags.most > 0 ? flags.most : sizes.least;
    if (sizes.most < sizes.least) {
        return Trouble{"-e " + std::to_string(sizes.most) + " is less than -b " +
                       std::to_string(sizes.least)};
    }
    sizes.factor = std::max<std::int64_t>(flags.factor, 1);
    sizes.step = sizes.factor > 1 ? 0 : flags.step > 0 ? flags.step : std::int64_t{1} << 20;
    constexpr std::int64_t kMostSizes = 10000;
    if (sizes.factor == 1 && (sizes.most - sizes.least) / sizes.step > kMostSizes) {
        return Trouble{"-i " + std::to_string(sizes.step) +
                       " makes too many sizes: give -f 2 or a larger step"};
    }
    const Answer<std::vector<StridedGroup>> shapes = flags.axes.empty()
                                                         ? std::vector<StridedGroup>{{world, 1}}
                                                         : shapesOfAxes(flags.axes, world);
    if (!shapes) {
        return Trouble{"--group: " + shapes.trouble().why};
    }
    const std::vector<GroupCall> calls =
        flags.calls.empty() ? std::vector<GroupCall>{GroupCall::AllReduce} : flags.calls;
    return pointsOf(calls, *shapes, sizes, flags.dtype, ranksPerNode);
}

Answer<std::vector<Point>> collectiveSuite(const std::string& suite, int world, int ranksPerNode) {
    if (suite != "quick" && suite != "full") {
        return Trouble{"--suite: '" + suite + "' is neither quick nor full"};
    }
    const bool full = suite == "full";
    const Sizes sizes =
        full ? Sizes{512, std::int64_t{4} << 30, 2, 0} : Sizes{1024, std::int64_t{256} << 20, 8, 0};
    std::vector<Point> points;
    for (const char* of : {"nccl_init", "nccl_first_call", "nccl_split"}) {
        points.push_back({.what = "footprint", .settings = {{"of", of}}});
    }
    const Answer<std::vector<Point>> calls = pointsOf({kGroupCalls.begin(), kGroupCalls.end()},
                                                      suiteShapes(world, ranksPerNode, full),
                                                      sizes,
                                                      "",
                                                      ranksPerNode);
    if (!calls) {
        return calls;
    }
    points.insert(points.end(), calls->begin(), calls->end());
    return points;
}

}  // namespace fabricast::probe
