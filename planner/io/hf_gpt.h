#pragma once
#include "planner/base/result.h"
#include "planner/io/hf_reader.h"
#include "planner/spec/model_spec.h"

#include <span>
#include <string_view>

namespace fabricast {

/// This is one family whose key names are its own: GPT-2, GPT-NeoX, Falcon, OPT, BLOOM, MPT.
struct HfGptFamily {
    std::string_view modelType;
    std::string_view className;
    Result<ModelSpec> (*read)(const HfReader& config);
};

std::span<const HfGptFamily> hfGptFamilies();

// Falcon and OPT have options of their own and stand in files of their own.
Result<ModelSpec> readFalcon(const HfReader& config);
Result<ModelSpec> readOpt(const HfReader& config);

/// Multi-head attention over `hidden` with one head_dim for all; hidden must divide by heads.
Result<AttentionSpec> multiHeadAttention(const HfReader& config,
                                         const ModelSpec& model,
                                         std::int64_t heads);

}  // namespace fabricast
