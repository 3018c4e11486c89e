#pragma once
#include "planner/launch/launch_files.h"

namespace fabricast {

/// run.sh, which every node runs, and what starts it on all of them under Slurm or Kubernetes.
std::vector<LaunchFile> launcherFiles(const LaunchFacts& facts, const LaunchFiles& files);

/// What Kubernetes' job leaves to its cluster: the network of several nodes, and where states are
/// kept.
std::vector<std::string> untoldToPods(const LaunchFacts& facts);

}  // namespace fabricast
