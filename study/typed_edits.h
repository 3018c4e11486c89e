#pragma once
#include "planner/base/result.h"
#include "planner/spec/edit.h"

#include <string>
#include <vector>

namespace fabricast {

/// The key itself, that of the flag which is called so, or of the layout: "seq" is
/// workload.sequence, "tp" is layout.tp.
std::string keyCalled(const std::string& typed);

/// Several changes in one text, as keys with values or as flags, as suggestions type them.
///     typedEdits("layout.tp=4 precision=fp8", "--with")
///     typedEdits("--stack megatron --layout tp=4,pp=2", "--with")
Result<std::vector<Edit>> typedEdits(const std::string& typed, const std::string& origin);

}  // namespace fabricast
