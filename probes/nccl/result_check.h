#pragma once
#include "probes/collective/check_pattern.h"
#include "probes/launch/control_channel.h"

#include <cuda_runtime_api.h>

namespace fabricast::probe {

/// Puts what a member sends into device memory.
Done sendPattern(ControlChannel& channel,
                 const CheckPattern& pattern,
                 std::int64_t elements,
                 int elementBytes,
                 int place,
                 char* device);

/// Counts what is wrong in what it received.
Answer<std::int64_t> wrongElements(ControlChannel& channel,
                                   const CheckPattern& pattern,
                                   std::int64_t elements,
                                   int elementBytes,
                                   int place,
                                   const char* device);

}  // namespace fabricast::probe
