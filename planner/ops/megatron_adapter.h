#pragma once
#include "planner/ops/megatron_linear.h"

#include <string_view>

namespace fabricast {

/// What Megatron-Bridge's LoRA adds to one parallel linear layer: x through two thin matrices of
/// this rank, scaled, on top of the frozen product. `inputs` and `outputs` are the rank's own.
struct AdapterSite {
    std::string_view target;  ///< "qkv", "o", "gate" (the fused first matrix), "down"
    std::int64_t inputs = 0;
    std::int64_t outputs = 0;
};
TensorId withAdapter(MegatronCode& m, TensorId x, TensorId product, const AdapterSite& site);

}  // namespace fabricast
