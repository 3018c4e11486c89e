#include "planner/base/checked.h"
#include "planner/launch/import_megatron.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

constexpr const char* kStrategy = "--data-parallel-sharding-strategy";
constexpr const char* kInstances = "--num-distributed-optimizer-instances";
constexpr const char* kOuter = "--outer-dp-sharding-strategy";

/// What is split over data ranks, by the strategies of Megatron-FSDP.
struct FsdpStrategy {
    std::string_view name;
    std::string_view shard;
};
constexpr std::array kStrategies = {FsdpStrategy{"no_shard", "none"},
                                    FsdpStrategy{"optim", "zero1"},
                                    FsdpStrategy{"optim_grads", "zero2"},
                                    FsdpStrategy{"optim_grads_params", "fsdp"}};

std::int64_t ranksOf(const JsonValue& scenario, const char* key) {
    const JsonValue* const layout = scenario.find("layout");
    const JsonValue* const value = layout == nullptr ? nullptr : layout->find(key);
    return value == nullptr ? std::int64_t{0} : value->integer({}).value_or(0);
}

/// Weights split within each of these instances, and whole in all of them together.
Result<void> importInstances(ScenarioDraft& draft, std::int64_t instances) {
    LaunchKeys& keys = draft.keys();
    const LaunchKey& key = *keys.use(kInstances);
    if (const std::string outer = keys.text(kOuter).value_or("no_shard"); outer != "no_shard") {
        return keys.refuse(*keys.use(kOuter),
                           "\"" + outer + "\" is not modelled",
                           std::string("no_shard, or without ") + kInstances);
    }
    const std::int64_t replicas =
        saturatingProduct(ranksOf(draft.scenario(), "dp"),
                          std::max<std::int64_t>(1, ranksOf(draft.scenario(), "cp")));
    if (replicas == 0) {
        return keys.refuse(key,
                           "shares out ranks, and nothing says how many there are",
                           "a script that starts them: torchrun --nnodes 2 --nproc-per-node 8 …");
    }
    if (replicas % instances != 0) {
        return keys.refuse(key,
                           std::to_string(instances) + " does not divide the " +
                               std::to_string(replicas) + " data and context ranks",
                           "a number that divides " + std::to_string(replicas));
    }
    draft.set("layout.shard", "hsdp", kInstances);
    draft.set("layout.shard_size", replicas / instances, kInstances);
    return {};
}

}  // namespace

Result<void> importMegatronFsdp(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const char* const asks =
        keys.has("--use-custom-fsdp") ? "--use-custom-fsdp" : "--use-megatron-fsdp";
    if (keys.use(asks) == nullptr) {
        return {};
    }
    const std::optional<std::string> said = keys.text(kStrategy);
    const std::string name = said.value_or("optim_grads_params");
    const auto* const strategy = std::ranges::find(kStrategies, name, &FsdpStrategy::name);
    if (strategy == kStrategies.end()) {
        return keys.refuse(*keys.use(kStrategy),
                           "\"" + name + "\" is no strategy of Megatron-FSDP",
                           "no_shard, optim, optim_grads or optim_grads_params");
    }
    if (!said) {
        draft.note(std::string(kStrategy) +
                   " is optim_grads_params from Megatron-Core 0.18 on; before, no_shard");
    }
    draft.set("stack", "megatron-fsdp", asks);
    draft.set("layout.shard", strategy->shard, said ? kStrategy : asks);
    FABRICAST_ASSIGN(const auto instances, keys.whole(kInstances));
    if (instances.value_or(1) > 1 && strategy->shard == "fsdp") {
        return importInstances(draft, *instances);
    }
    return {};
}

}  // namespace fabricast
