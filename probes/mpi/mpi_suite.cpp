#include "probes/mpi/mpi_suite.h"

#include <array>

namespace fabricast::probe {

namespace {

Point collective(const char* what, std::int64_t bytes, int ranks, int perNode) {
    return {.what = what,
            .settings = {{"bytes", std::to_string(bytes)},
                         {"ranks", std::to_string(ranks)},
                         {"nodes", std::to_string((ranks + perNode - 1) / perNode)}}};
}

/// Two ranks, all, and those between: doubling, or every number.
std::vector<int> groupSizes(int ranks, bool every) {
    std::vector<int> sizes;
    for (int size = 2; size < ranks; size = every ? size + 1 : 2 * size) {
        sizes.push_back(size);
    }
    if (ranks >= 2) {
        sizes.push_back(ranks);
    }
    return sizes;
}

void addCollectives(bool full, int ranks, int perNode, std::vector<Point>& points) {
    constexpr std::int64_t kLeast = std::int64_t{4} << 10;
    constexpr std::int64_t kMost = std::int64_t{64} << 20;
    for (const int size : groupSizes(ranks, full)) {
        for (const char* what : {"all_reduce", "all_gather", "reduce_scatter"}) {
            for (std::int64_t bytes = kLeast; bytes <= kMost; bytes *= full ? 2 : 4) {
                points.push_back(collective(what, bytes, size, perNode));
            }
        }
    }
    for (const char* what : {"all_to_all", "broadcast", "send_recv"}) {
        for (std::int64_t bytes = kLeast; ranks >= 2 && bytes <= kMost; bytes *= full ? 4 : 16) {
            points.push_back(collective(what, bytes, ranks, perNode));
        }
    }
}

void addProducts(bool full, std::vector<Point>& points) {
    const std::vector<int> sides =
        full ? std::vector{64, 128, 256, 512, 1024, 2048} : std::vector{64, 256, 512, 1024};
    for (const int rows : sides) {
        for (const int inner : sides) {
            for (const char* layout : {"tn", "nn", "nt"}) {
                points.push_back({.what = "gemm",
                                  .settings = {{"dtype", "fp32"},
                                               {"layout", layout},
                                               {"m", std::to_string(rows)},
                                               {"n", std::to_string(inner)},
                                               {"k", std::to_string(full ? inner : 512)}}});
            }
        }
    }
}

void addMemory(std::vector<Point>& points) {
    for (const char* bytes : {"64K", "1M", "16M", "256M"}) {
        points.push_back({.what = "memory", .settings = {{"op", "copy"}, {"bytes", bytes}}});
    }
    for (const char* op : {"norm", "swiglu", "add", "softmax", "cross_entropy"}) {
        for (const char* rows : {"256", "2048"}) {
            points.push_back(
                {.what = "memory", .settings = {{"op", op}, {"rows", rows}, {"columns", "512"}}});
        }
    }
    for (const char* pass : {"forward", "backward"}) {
        for (const char* sequence : {"128", "256", "512"}) {
            points.push_back({.what = "attention",
                              .settings = {{"pass", pass},
                                           {"dtype", "fp32"},
                                           {"batch", "1"},
                                           {"heads", "4"},
                                           {"kv_heads", "4"},
                                           {"sequence", sequence},
                                           {"dim", "64"},
                                           {"causal", "1"}}});
        }
    }
    for (const char* parameters : {"1M", "8M"}) {
        points.push_back(
            {.what = "adam", .settings = {{"form", "flat"}, {"parameters", parameters}}});
    }
}

}  // namespace

Answer<std::vector<Point>> mpiSuite(const std::string& name, int ranks, int perNode) {
    if (name != "quick" && name != "full") {
        return Trouble{"--suite " + name + " is neither quick nor full"};
    }
    const bool full = name == "full";
    std::vector<Point> points;
    addCollectives(full, ranks, perNode, points);
    addMemory(points);
    addProducts(full, points);
    if (ranks >= 2) {
        points.push_back({.what = "overlap",
                          .settings = {{"m", "512"},
                                       {"n", "512"},
                                       {"k", "512"},
                                       {"bytes", "8M"},
                                       {"ranks", std::to_string(ranks)}}});
    }
    return points;
}

}  // namespace fabricast::probe
