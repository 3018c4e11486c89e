#pragma once
#include "probes/record/answer.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast::probe {

/// The first host of a Slurm node list: "node01" of "node[01-04,7],login".
Answer<std::string> firstHost(std::string_view nodeList);

/// How many tasks each node has: {8, 8, 8, 4} of "8(x3),4".
Answer<std::vector<int>> tasksPerNode(std::string_view text);

}  // namespace fabricast::probe
