#pragma once
#include "probes/collective/check_pattern.h"
#include "probes/launch/control_channel.h"

#include <cuda_runtime_api.h>

namespace fabricast::probe {

/// Puts what a member sends into device memory, and waits until it is there.
Done sendPattern(const CheckPattern& pattern, const CollectiveTask& task, int place, char* device);

/// Counts what is wrong in the judged parts of what it received.
Answer<std::int64_t> wrongElements(ControlChannel& channel,
                                   const CheckPattern& pattern,
                                   const CollectiveTask& task,
                                   int place,
                                   const char* device);

}  // namespace fabricast::probe
