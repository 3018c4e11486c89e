#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/compute/attention_time.h"
#include "planner/compute/gemm_time.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What every measured row says beside its shape.
struct MeasuredRow {
    std::string gpu;  ///< as the table calls it
    std::string source;
    Seconds time{};
    std::string where{};  ///< "run.jsonl:17:1", or a row of a table: "gemm.csv:17"
};

struct MeasuredGemm : MeasuredRow {
    Gemm gemm;
};

/// Both passes together where `both` says so.
struct MeasuredAttention : MeasuredRow {
    Attention attention;
    bool both = false;
};

/// One multiply of all experts where `group` has a value; else a whole gated MLP of inference.
struct MeasuredExperts : MeasuredRow {
    GemmType type = GemmType::Bf16;
    std::optional<GroupedGemm> group;
    std::int64_t tokens = 0;
    std::int64_t topK = 0;
    std::int64_t experts = 0;
    std::int64_t hidden = 0;
    std::int64_t inner = 0;
    bool balanced = true;
};

struct MeasuredMemory : MeasuredRow {
    MemoryOp op = MemoryOp::Elementwise;
    double bytes = 0.0;
};

/// Measured times, in the columns that CONTRIBUTING.md lists.
struct MeasuredTables {
    std::vector<MeasuredGemm> gemms;
    std::vector<MeasuredAttention> attentions;
    std::vector<MeasuredExperts> experts;
    std::vector<MeasuredMemory> memories;
};

/// Adds the rows of a table, whose columns say of which kind it is. Rows of types or operations
/// that are not modelled (mxfp8xmxfp4, custom_allreduce) are left out.
///     FABRICAST_TRY(addMeasuredTable(text, "gemm.csv", tables));
Result<void> addMeasuredTable(std::string_view text,
                              const std::string& source,
                              MeasuredTables& tables);

}  // namespace fabricast
