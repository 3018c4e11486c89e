#pragma once
#include "probes/collective/nccl_tests_table.h"
#include "probes/launch/control_channel.h"

namespace fabricast::probe {

/// Trouble where there is no GPU, or no driver for this CUDA: one line for whoever starts a probe.
Answer<int> countGpus();

/// Before NCCL is first called: lets it take the ranks of one GPU for ranks of as many hosts, which
/// talk through the loopback. Good for seeing that all works, and for no time. What the user has
/// set already stays.
void setSharedGpuEnvironment(int rank);

/// Takes the GPU of this rank, and says on every rank which each one has. Two ranks with one GPU
/// are refused, unless it is to be shared.
Answer<std::vector<RankDevice>> takeGpus(ControlChannel& channel, bool shared);

}  // namespace fabricast::probe
