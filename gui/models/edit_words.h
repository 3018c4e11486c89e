#pragma once
#include "planner/spec/edit.h"

#include <span>
#include <string>

namespace fabricast {

/// Edits in words, for those who type no flags: "servers: 16", "training software:
/// torchtitan", "tensor parallel (tp): auto".
std::string editWords(std::span<const Edit> edits);

}  // namespace fabricast
