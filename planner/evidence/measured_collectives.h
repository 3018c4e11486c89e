#pragma once
#include "planner/spec/cluster_spec.h"
#include "planner/spec/collective_kind.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

/// Times of one collective over one group, by size; sizes rise.
struct MeasuredCurve {
    struct Point {
        double bytes = 0.0;
        Seconds seconds;
    };
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int64_t ranks = 2;
    std::int64_t nodes = 1;
    std::vector<Point> points;
};

/// This is what nccl-tests (or rccl-tests) printed on one machine: a file of
/// hardware_profiles/collectives with "curves".
struct MeasuredCollectives {
    std::string name;
    std::string title;
    std::string date;  ///< of the measurement, "2026-11-20"; may be empty
    bool own = false;  ///< from a folder of the user, not built in
    ClusterSpec machine;
    std::vector<std::string> gpus;  ///< GPU profiles it holds for: the machine's, and the same die
    std::vector<MeasuredCurve> curves;
};

}  // namespace fabricast
