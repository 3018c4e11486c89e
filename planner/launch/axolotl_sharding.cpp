#include "planner/base/checked.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/import_trainers.h"
#include "planner/launch/started_ranks.h"

namespace fabricast {

Result<void> importAxolotlSharding(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    if (!keys.has("fsdp_config") && !keys.has("fsdp_version") && !keys.has("fsdp")) {
        draft.set("layout.shard", "none", "");
        return {};
    }
    FABRICAST_ASSIGN(const auto version, keys.whole("fsdp_version"));
    if (version.value_or(1) == 1) {
        draft.note("fsdp_version 1 is forecast as 2: FSDP1 is deprecated, set fsdp_version: 2");
    }
    const LaunchKey* const old = keys.use("fsdp");
    for (const std::string& one : old == nullptr ? std::vector<std::string>() : old->values) {
        if (one == "offload") {
            draft.set("layout.offload", "parameters_cpu", "fsdp");
        } else if (one == "shard_grad_op") {
            draft.set("settings.torch.reshard", "never", "fsdp");
        } else if (one != "full_shard" && one != "auto_wrap") {
            return keys.refuse(*old, "\"" + one + "\" is not modelled", "full_shard, auto_wrap");
        }
    }
    const std::string strategy = keys.text("fsdp_config.sharding_strategy").value_or("FULL_SHARD");
    if (strategy == "SHARD_GRAD_OP") {
        draft.set("settings.torch.reshard", "never", "fsdp_config.sharding_strategy");
    } else if (strategy != "FULL_SHARD" && strategy != "1") {
        return keys.refuse(*keys.use("fsdp_config.sharding_strategy"),
                           "is not modelled for FSDP2",
                           "fsdp_version: 2 with dp_replicate_size and dp_shard_size");
    }
    FABRICAST_ASSIGN(const auto shards, keys.whole("dp_shard_size"));
    FABRICAST_ASSIGN(const auto copies, keys.whole("dp_replicate_size"));
    FABRICAST_ASSIGN(const auto context, keys.whole("context_parallel_size"));
    const std::int64_t cp = context.value_or(1);
    const bool isCopied = copies.value_or(1) > 1;
    FABRICAST_ASSIGN(const auto experts, keys.whole("expert_parallel_size"));
    if (isCopied && !shards) {  // Axolotl works out the one of the two that is missing
        draft.set("layout.copies", *copies, "dp_replicate_size");
    } else if (isCopied || (shards.value_or(1) > 1 && experts.value_or(1) <= 1)) {
        draft.set("layout.shard", "hsdp", isCopied ? "dp_replicate_size" : "dp_shard_size");
        draft.set("layout.shard_size", saturatingProduct(*shards, cp), "dp_shard_size");
    } else {
        draft.set("layout.shard", "fsdp", "fsdp_version");
    }
    if (isCopied && shards) {
        draft.set("layout.dp", saturatingProduct(*shards, *copies), "dp_shard_size");
    }
    FABRICAST_ASSIGN(const auto offload, keys.flag("fsdp_config.offload_params"));
    if (offload.value_or(false)) {
        draft.set("layout.offload", "parameters_cpu", "fsdp_config.offload_params");
    }
    FABRICAST_ASSIGN(const auto reshards, keys.flag("fsdp_config.reshard_after_forward"));
    if (reshards && !*reshards) {
        draft.set("settings.torch.reshard", "never", "fsdp_config.reshard_after_forward");
    }
    const std::string wrap = "fsdp_config.auto_wrap_policy";
    FABRICAST_TRY(importWrapPolicy(draft, keys, wrap, wrap));
    const bool isOne = draft.find("settings.torch.one_unit") != nullptr;
    if (isOne && draft.find("settings.torch.reshard") == nullptr) {
        draft.set("settings.torch.reshard", "always", wrap);  // its call names it for the root
    }
    return {};
}

Result<void> importAxolotlRanks(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const std::optional<StartedRanks> ranks, startedRanks(draft));
    if (!ranks) {
        if (const std::string python = oneProcessOf(keys); !python.empty()) {
            draft.set("layout.dp", std::int64_t{1}, python);
        }
        return {};
    }
    FABRICAST_ASSIGN(const auto tensor, keys.whole("tensor_parallel_size"));
    FABRICAST_ASSIGN(const auto context, keys.whole("context_parallel_size"));
    const std::int64_t together = saturatingProduct(tensor.value_or(1), context.value_or(1));
    if (together < 1 || ranks->count % together != 0) {
        return keys.refuse(*keys.use(ranks->from),
                           "starts " + std::to_string(ranks->count) +
                               " ranks, which is not a multiple of the " +
                               std::to_string(together) + " of tensor and context parallelism",
                           "a multiple of " + std::to_string(together) + " ranks");
    }
    draft.set("layout.dp", ranks->count / together, ranks->from);
    return {};
}

}  // namespace fabricast
