#pragma once
#include "probes/record/answer.h"
#include "probes/record/point.h"

#include <string>
#include <vector>

namespace fabricast::probe {

/// What a profile of a CPU cluster is made of, for a job of so many ranks, `perNode` of them on
/// each node: `quick` or `full`, which has more sizes and every number of ranks.
Answer<std::vector<Point>> mpiSuite(const std::string& name, int ranks, int perNode);

}  // namespace fabricast::probe
