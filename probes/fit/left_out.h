#pragma once
#include <string>
#include <vector>

namespace fabricast {

/// Why points were left out, from lines like "gemm dtype=bf16 …: why": a line for each, or for all
/// of one kind with one reason ("20 points of attention: why").
std::string leftOutText(const std::vector<std::string>& lines);

}  // namespace fabricast
