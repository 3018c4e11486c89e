#include "planner/launch/import_settings.h"
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
    const bool isEmpty = words.find_first_not_of(' ') == std::string::npos;
    if (isEmpty || says("False") || says("false") || says("null")) {
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
    const bool isOld = says("full_shard") || says("shard_grad_op");
    if (isOld && !says("auto_wrap") && !keys.text("--fsdp_config")) {
        draft.assume("settings.torch.one_unit",
                     "each layer is sharded by itself, as from transformers 5.10 on: without "
                     "auto_wrap 4 gathers the whole model at once (--set "
                     "settings.torch.one_unit=true)");
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
    for (const char* const path : {"auto_wrap_policy", "fsdp_auto_wrap_policy"}) {
        FABRICAST_TRY(importWrapPolicy(draft, config, path, "--fsdp_config"));
    }
    noteApartEnds(draft);
    for (const char* const path : {"activation_checkpointing", "fsdp_activation_checkpointing"}) {
        FABRICAST_ASSIGN(const auto checkpoints, config.flag(path));
        if (checkpoints.value_or(false)) {
            draft.set("layout.recompute", "full", "--fsdp_config");
        }
    }
    return {};
}

}  // namespace

Result<void> importWrapPolicy(ScenarioDraft& draft,
                              LaunchKeys& keys,
                              const std::string& path,
                              const std::string& from) {
    const std::string policy = keys.text(path).value_or("TRANSFORMER_BASED_WRAP");
    if (policy == "NO_WRAP") {
        draft.set("settings.torch.one_unit", true, from);
        return {};
    }
    return policy == "TRANSFORMER_BASED_WRAP" ? Result<void>()
                                              : keys.refuse(*keys.use(path),
                                                            "\"" + policy + "\" is not modelled",
                                                            "TRANSFORMER_BASED_WRAP or NO_WRAP");
}

void noteApartEnds(ScenarioDraft& draft) {
    if (draft.find("settings.torch.one_unit") != nullptr) {
        draft.note(
            "NO_WRAP: Accelerate shards the embedding, and the final norm with the head, apart; "
            "they are forecast with the layers, which takes more memory");
    }
}

Result<void> importTrainerFsdp(ScenarioDraft& draft, const ImportContext& context) {
    FABRICAST_TRY(importFsdpWords(draft));
    return importFsdpConfig(draft, context);
}

}  // namespace fabricast
