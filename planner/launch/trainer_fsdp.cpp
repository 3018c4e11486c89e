#include "planner/launch/import_trainers.h"

namespace fabricast {
namespace {

/// How the parameters are sharded, where no file of its own says so.
Result<void> importFsdpWords(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const LaunchKey* const key = keys.use("--fsdp");
    std::string words;
    for (const std::string& one : key == nullptr ? std::vector<std::string>() : key->values) {
        words += " " + one + " ";
    }
    const auto says = [&words](const char* word) { return words.find(word) != std::string::npos; };
    if (key == nullptr || says("False") || says("false")) {
        draft.set("layout.shard", "none", "script");
        return {};
    }
    if (says("hybrid_shard")) {
        return keys.refuse(
            *key,
            "hybrid_shard does not say how many ranks share a copy",
            "Accelerate's parallelism_config with dp_replicate_size and dp_shard_size");
    }
    draft.set("layout.shard", says("no_shard") ? "none" : "fsdp", "--fsdp");
    if (says("shard_grad_op")) {
        draft.set("settings.torch.reshard", "never", "--fsdp");
    }
    if (says("offload")) {
        draft.set("layout.offload", "parameters_cpu", "--fsdp");
    }
    draft.note("FSDP is forecast as FSDP2");
    return {};
}

/// What FSDP's own arguments say beside "--fsdp".
Result<void> importFsdpConfig(ScenarioDraft& draft, const ImportContext& context) {
    LaunchKeys& keys = draft.keys();
    if (!keys.text("--fsdp_config")) {
        return {};
    }
    FABRICAST_ASSIGN(LaunchKeys config, configOf(keys, "--fsdp_config", context));
    for (const char* const path : {"reshard_after_forward", "fsdp_reshard_after_forward"}) {
        FABRICAST_ASSIGN(const auto reshards, config.flag(path));
        if (reshards && !*reshards) {
            draft.set("settings.torch.reshard", "never", "--fsdp_config");
        }
    }
    for (const char* const path : {"activation_checkpointing", "fsdp_activation_checkpointing"}) {
        FABRICAST_ASSIGN(const auto checkpoints, config.flag(path));
        if (checkpoints.value_or(false)) {
            draft.set("layout.recompute", "full", "--fsdp_config");
        }
    }
    return {};
}

}  // namespace

Result<void> importTrainerFsdp(ScenarioDraft& draft, const ImportContext& context) {
    FABRICAST_TRY(importFsdpWords(draft));
    return importFsdpConfig(draft, context);
}

}  // namespace fabricast
