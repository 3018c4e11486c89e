#include "planner/launch/deepspeed_experts.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace fabricast {
namespace {

constexpr const char* kRanks = "--moe-expert-parallel-size";
constexpr const char* kCapacity = "--moe-train-capacity-factor";
constexpr const char* kLeast = "--moe-min-capacity";
constexpr const char* kKeepsAll = "--disable-moe-token-dropping";

/// The layer that the model's code makes of them.
std::string layerOf(const Scenario& scenario) {
    const MoeSpec& moe = *scenario.model.moe;
    const double capacity = scenario.settings.kernels.capacityFactor;
    const std::int64_t least = scenario.settings.deepspeed.minCapacity;
    return "deepspeed.moe.layer.MoE(" + std::to_string(scenario.model.hidden) +
           ", expert, num_experts=" + std::to_string(moe.experts) +
           ", ep_size=" + std::to_string(scenario.layout.ep) + ", k=" + std::to_string(moe.topK) +
           (capacity > 0 ? ", capacity_factor=" + decimalText(capacity) +
                               ", min_capacity=" + std::to_string(least)
                         : std::string(", drop_tokens=False")) +
           (moe.residual ? ", use_residual=True)" : ")");
}

}  // namespace

void addExpertArguments(const Scenario& scenario, LaunchFiles& files) {
    const KernelSettings& kernels = scenario.settings.kernels;
    if (kernels.experts != ExpertKernel::DeepSpeed || !scenario.model.moe) {
        return;
    }
    files.untold.push_back(
        "experts: train.py takes these arguments as Megatron-DeepSpeed does, "
        "and makes " +
        layerOf(scenario));
    const auto add = [&files](const char* argument, const std::string& value) {
        files.command.emplace_back(argument);
        files.command.push_back(value);
    };
    const MoeSpec& moe = *scenario.model.moe;
    add("--num-experts", std::to_string(moe.experts));
    add("--topk", std::to_string(moe.topK));
    add(kRanks, std::to_string(scenario.layout.ep));
    if (kernels.capacityFactor > 0) {
        add(kCapacity, decimalText(kernels.capacityFactor));
    } else {
        files.command.emplace_back(kKeepsAll);
    }
    add(kLeast, std::to_string(scenario.settings.deepspeed.minCapacity));
    if (moe.residual) {
        add("--mlp-type", "residual");
    }
}

void appendExpertArguments(const LaunchKeys& script, LaunchKeys& keys) {
    keys.append(
        script,
        {"--num-experts", "--moe-", "--topk", "--mlp-type", "--disable-moe-token-dropping"});
}

Result<void> importExpertArguments(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    for (const char* const path : {"--num-experts", "--topk", "--mlp-type"}) {
        (void)keys.use(path);  // the model's
    }
    FABRICAST_ASSIGN(const auto experts, keys.whole("--num-experts"));
    if (!keys.has(kRanks) && experts.value_or(1) <= 1) {
        return {};
    }
    draft.set("settings.kernels.experts", "deepspeed", keys.has(kRanks) ? kRanks : "--num-experts");
    FABRICAST_TRY(draft.copyWhole("layout.ep", kRanks));
    FABRICAST_TRY(draft.copyWhole("settings.deepspeed.min_capacity", kLeast));
    FABRICAST_ASSIGN(const auto keepsAll, keys.flag(kKeepsAll));
    FABRICAST_ASSIGN(const auto capacity, keys.number(kCapacity));
    if (!keepsAll.value_or(false)) {
        constexpr double kUsualCapacity = 1.0;  // of MoE's capacity_factor
        draft.set("settings.kernels.capacity_factor",
                  capacity.value_or(kUsualCapacity),
                  capacity ? kCapacity : kRanks);
    }
    return {};
}

}  // namespace fabricast
