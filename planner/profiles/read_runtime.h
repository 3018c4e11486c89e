#pragma once
#include "planner/base/result.h"
#include "planner/spec/runtime_memory.h"
#include "planner/text/json_document.h"

#include <string>

namespace fabricast {

/// The name of the runtime file for GPUs without measurements.
inline constexpr const char* kUsualRuntime = "usual";

/// A file of hardware_profiles/runtimes. All of its numbers must be known.
Result<RuntimeMemory> readRuntime(const JsonValue& root);

/// Such a file; `name` is a GPU's.
std::string runtimeJson(const RuntimeMemory& runtime, const std::string& name);

}  // namespace fabricast
