#pragma once
#include "planner/base/result.h"
#include "planner/spec/kernel_profile.h"
#include "planner/text/json_document.h"

namespace fabricast {

// The sections of a kernel profile, one kind of kernel each; schema/kernel.schema.json has the
// keys.

Result<void> readGemmFits(const JsonValue& root, KernelProfile& kernels);
Result<void> readAttentionFits(const JsonValue& root, KernelProfile& kernels);
Result<void> readBackwardRatios(const JsonValue& root, KernelProfile& kernels);
Result<void> readGroupedFit(const JsonValue& root, KernelProfile& kernels);
Result<void> readMemoryFits(const JsonValue& root, KernelProfile& kernels);

/// "source" of a section; "from", "note" and "rows" are for people.
Result<Source> readSectionSource(const JsonValue& section);

}  // namespace fabricast
