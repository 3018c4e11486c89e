#pragma once
#include "planner/base/result.h"

#include <string>

namespace fabricast {

/// An error of a study whose window nobody sees: fabricast-gui has no flags for what is to be
/// typed, so the command that keeps them in a file. `command` is that of the study.
///     unseenError({…, "-c dgx-h100, or --gpu …"}, "fabricast plan run.yaml").hint
///     // "fabricast import run.yaml -c dgx-h100 -o study.json, and fabricast-gui study.json"
Error unseenError(Error error, const std::string& command);

}  // namespace fabricast
