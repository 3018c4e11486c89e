#include "planner/lint/framework_files.h"

#include <array>

namespace fabricast {
namespace {

bool isSecond(const LintFile& file) {
    return accelerateUsesFsdp(file) && file.whole("fsdp_config.fsdp_version", 1) == 2;
}

/// Keys that FSDP2 drops.
constexpr std::array<std::string_view, 4> kOfFirstFsdp = {"fsdp_backward_prefetch",
                                                          "fsdp_forward_prefetch",
                                                          "fsdp_use_orig_params",
                                                          "fsdp_sync_module_states"};

/// What makes a file of FSDP1 one of FSDP2, with the keys that have no meaning there.
std::string toSecondFsdp(const LintFile& file) {
    const std::string strategy = file.text("fsdp_config.fsdp_sharding_strategy");
    const bool keepsWeights = strategy == "SHARD_GRAD_OP" || strategy == "2";
    std::string fix = std::string("fsdp_config: {fsdp_version: 2, fsdp_reshard_after_forward: ") +
                      (keepsWeights ? "false}" : "true}");
    fix += strategy.empty() ? "" : ", leave fsdp_sharding_strategy out";
    for (const std::string_view key : kOfFirstFsdp) {
        if (file.has("fsdp_config." + std::string(key))) {
            fix += ", leave " + std::string(key) + " out";
        }
    }
    return fix + "; `fabricast emit FILE --stack accelerate` writes it";
}

LintHits firstFsdp(const LintView& view) {
    const LintFile& file = view.file;
    if (!accelerateUsesFsdp(file) || isSecond(file)) {
        return {};
    }
    const LaunchKey* const version = file.at("fsdp_config.fsdp_version");
    return {{version != nullptr ? version : file.at("distributed_type"),
             version != nullptr ? "fsdp_version is 1" : "fsdp_version is not said, which means 1",
             toSecondFsdp(file)}};
}

LintHits reshardInWords(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_reshard_after_forward";
    const LintFile& file = view.file;
    if (!isSecond(file) || !file.has(path) || file.isOn(path) || file.isOff(path)) {
        return {};
    }
    return {{file.at(path),
             "fsdp_reshard_after_forward is \"" + file.text(path) + "\", FSDP2 takes true or false",
             "fsdp_reshard_after_forward: true"}};
}

/// FullyShardedDataParallelPlugin of Accelerate 1.15: under FSDP1 sharding_strategy is FULL_SHARD
/// where nobody says it, and it wins.
LintHits unreadReshard(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_reshard_after_forward";
    const LintFile& file = view.file;
    const bool isFirst = accelerateUsesFsdp(file) && !isSecond(file);
    const std::string said = file.text(path);
    const bool isUsual = said.empty() || said == "FULL_SHARD" || said == "1";
    return !isFirst || isUsual || file.has("fsdp_config.fsdp_sharding_strategy")
               ? LintHits{}
               : LintHits{{file.at(path),
                           "fsdp_reshard_after_forward is " + said +
                               ", and FSDP1 takes fsdp_sharding_strategy: FULL_SHARD",
                           "fsdp_sharding_strategy: " + said}};
}

LintHits idleStrategy(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_sharding_strategy";
    if (!isSecond(view.file) || !view.file.has(path)) {
        return {};
    }
    const bool hybrid = view.file.text(path).starts_with("HYBRID");
    return {{view.file.at(path),
             "fsdp_sharding_strategy " + view.file.text(path) + " under FSDP2",
             hybrid ? "parallelism_config with dp_replicate_size and dp_shard_size"
                    : "fsdp_reshard_after_forward: true (or false for SHARD_GRAD_OP)"}};
}

LintHits idleFirstKeys(const LintView& view) {
    LintHits hits;
    for (const std::string_view key : kOfFirstFsdp) {
        const std::string path = "fsdp_config." + std::string(key);
        if (isSecond(view.file) && view.file.has(path)) {
            hits.push_back({view.file.at(path),
                            std::string(key) + " is of FSDP1, and fsdp_version is 2",
                            "leave it out"});
        }
    }
    return hits;
}

LintHits offloadsNothing(const LintView& view) {
    const LintFile& file = view.file;
    const char* const path = "fsdp_config.fsdp_activation_checkpointing_offload";
    const bool checkpoints = file.isOn("fsdp_config.fsdp_activation_checkpointing");
    if (!accelerateUsesFsdp(file) || !file.isOn(path) || (checkpoints && isSecond(file))) {
        return {};
    }
    return {{file.at(path),
             checkpoints ? "activations are offloaded, and fsdp_version is 1"
                         : "activations are offloaded, and not checkpointed",
             "fsdp_activation_checkpointing: true, fsdp_version: 2"}};
}

LintHits oneUnit(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_auto_wrap_policy";
    return accelerateUsesFsdp(view.file) && view.file.at(path) != nullptr &&
                   view.file.at(path)->values == std::vector<std::string>{"NO_WRAP"}
               ? LintHits{{view.file.at(path),
                           "NO_WRAP makes the whole model one unit",
                           "fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP"}}
               : LintHits{};
}

LintHits wholeCheckpoints(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_state_dict_type";
    return accelerateUsesFsdp(view.file) && view.file.text(path) == "FULL_STATE_DICT"
               ? LintHits{{view.file.at(path),
                           "checkpoints are gathered on rank 0",
                           "fsdp_state_dict_type: SHARDED_STATE_DICT, and a whole one at the end"}}
               : LintHits{};
}

LintHits localCheckpoints(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_state_dict_type";
    return isSecond(view.file) && view.file.text(path) == "LOCAL_STATE_DICT"
               ? LintHits{{view.file.at(path),
                           "LOCAL_STATE_DICT under FSDP2",
                           "fsdp_state_dict_type: SHARDED_STATE_DICT"}}
               : LintHits{};
}

/// Of accelerate launch, whatever fsdp_version is; both are true where nobody says.
LintHits unsyncedLoading(const LintView& view) {
    const LintFile& file = view.file;
    const char* const sync = "fsdp_config.fsdp_sync_module_states";
    const char* const loads = "fsdp_config.fsdp_cpu_ram_efficient_loading";
    return accelerateUsesFsdp(file) && file.isOff(sync) && !file.isOff(loads)
               ? LintHits{{file.at(sync),
                           std::string("fsdp_sync_module_states is false, and "
                                       "fsdp_cpu_ram_efficient_loading is ") +
                               (file.has(loads) ? "true" : "not said, which means true"),
                           "fsdp_sync_module_states: true"}}
               : LintHits{};
}

constexpr std::array kAccelerateFsdpRules = {
    LintRule{
        "AC02",
        LintSeverity::Warning,
        "FSDP1",
        "Its wrappers are no longer developed; FSDP2 shards each parameter and holds less memory.",
        &firstFsdp},
    LintRule{"AC03",
             LintSeverity::Error,
             "resharding as a strategy",
             "FSDP2's plugin ends at the start.",
             &reshardInWords},
    LintRule{"AC04",
             LintSeverity::Warning,
             "a sharding strategy under FSDP2",
             "It is ignored: every rank is in one group of shards.",
             &idleStrategy},
    LintRule{"AC05",
             LintSeverity::Warning,
             "keys of FSDP1 under FSDP2",
             "They are ignored.",
             &idleFirstKeys},
    LintRule{"AC06",
             LintSeverity::Error,
             "offloaded activations that are not checkpointed",
             "FSDP's plugin ends at the start.",
             &offloadsNothing},
    LintRule{
        "AC10",
        LintSeverity::Warning,
        "a model that is one unit",
        "All weights are gathered at once: nothing is saved at the peak, and nothing is hidden.",
        &oneUnit},
    LintRule{"AC12",
             LintSeverity::Note,
             "checkpoints that one rank writes",
             "Rank 0 needs host memory for the whole model, and everybody waits.",
             &wholeCheckpoints},
    LintRule{"AC13",
             LintSeverity::Error,
             "local checkpoints under FSDP2",
             "The plugin refuses them.",
             &localCheckpoints},
    LintRule{"AC17",
             LintSeverity::Error,
             "weights of rank 0 that no other rank gets",
             "accelerate launch ends at the start.",
             &unsyncedLoading},
    LintRule{"AC20",
             LintSeverity::Warning,
             "a strategy of sharding in a key that FSDP1 does not read",
             "It trains with FULL_SHARD, whatever the key says.",
             &unreadReshard}};

}  // namespace

std::span<const LintRule> accelerateFsdpRules() {
    return kAccelerateFsdpRules;
}

}  // namespace fabricast
