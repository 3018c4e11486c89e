#pragma once
#include "probes/collective/check_pattern.h"
#include "probes/launch/star.h"

#include <cuda_runtime_api.h>

namespace fabricast::probe {

/// Puts what a member sends into device memory.
Done sendPattern(Star& star,
                 const CheckPattern& pattern,
                 std::int64_t elements,
                 int elementBytes,
                 int place,
                 char* device);

/// Counts what is wrong in what it received.
Answer<std::int64_t> wrongElements(Star& star,
                                   const CheckPattern& pattern,
                                   std::int64_t elements,
                                   int elementBytes,
                                   int place,
                                   const char* device);

}  // namespace fabricast::probe
