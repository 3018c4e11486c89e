#pragma once
#include "planner/base/result.h"
#include "planner/compute/attention_time.h"
#include "planner/compute/gemm_time.h"
#include "planner/ops/op_list.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace fabricast {

/// y = x · Wᵀ of one op: `rows` of x, `count` matrices side by side (experts, heads).
struct Product {
    std::int64_t rows = 0;
    std::int64_t columns = 0;  ///< of y
    std::int64_t depth = 0;
    std::int64_t count = 1;
    bool grouped = false;
};

/// The product that a GEMM of a list is, from what it reads and makes; empty for other ops.
std::optional<Product> productOf(const Scenario& scenario, const OpList& list, const Op& op);

/// The type that a layer's linear runs in; `quantized` is for those that the settings quantise.
GemmType gemmTypeOf(const Settings& settings, bool quantized, const KernelProfile& kernels);
/// An error where the GPU does not multiply in the types that the settings ask for.
Result<void> checkTypes(const Scenario& scenario, const KernelProfile& kernels);

/// The layer's attention on this rank, once for every window that its layers have.
struct WindowedAttention {
    Attention attention;
    double share = 1.0;  ///< of the layers
};
std::vector<WindowedAttention> attentionsOf(const Scenario& scenario, const KernelProfile& kernels);

}  // namespace fabricast
