#pragma once
#include "planner/sharding/rank_tensors.h"
#include "planner/spec/settings.h"

#include <cstdint>

namespace fabricast {

/// Whether adapters train over a base of 4 or 8 bits: only its linears are.
bool isPacked(const Settings& settings, const RankTensor& tensor);

/// Numbers of two bytes that the codes of a 4-bit tensor lie in (bnb_4bit_quant_storage=bfloat16).
std::int64_t packedNumbers(const RankTensor& tensor);

}  // namespace fabricast
