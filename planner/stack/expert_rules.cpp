#include "planner/spec/setting_names.h"
#include "planner/stack/rules.h"

namespace fabricast {
namespace {

bool isMegatrons(const KernelSettings& kernels) {
    return kernels.code == ModelCode::Megatron || kernels.code == ModelCode::TransformerEngine;
}

std::string keyOf(std::string_view name) {
    return "settings.kernels." + std::string(name);
}

/// A key that changes nothing of the stack's experts.
tl::unexpected<Error> ofNoUse(const Stack& stack, std::string_view key, const std::string& usual) {
    return lacks(keyOf(key),
                 std::string(stack.name) + " has no " + std::string(key) + ": it is Megatron's",
                 usual + ", or --stack megatron");
}

/// What only Megatron's experts have.
Result<void> checkMegatronsOwn(const Stack& stack, const KernelSettings& kernels) {
    if (isMegatrons(kernels)) {
        return {};
    }
    const bool dropsTokens =
        kernels.experts == ExpertKernel::DeepSpeed || kernels.experts == ExpertKernel::AutoEp;
    if (kernels.capacityFactor > 0 && !dropsTokens) {
        return lacks(
            keyOf("capacity_factor"),
            "experts of " + std::string(stack.name) + " have no capacity: none drops a token",
            "0, or --stack megatron");
    }
    if (kernels.padToCapacity) {
        return ofNoUse(stack, "pad_to_capacity", "false");
    }
    if (kernels.graphExperts) {
        return ofNoUse(stack, "graph_experts", "false");
    }
    return kernels.dispatcher == Dispatcher::AllToAll
               ? Result<void>()
               : ofNoUse(stack, "dispatcher", std::string(nameOf(Dispatcher::AllToAll)));
}

/// Where the model has experts to route to, a capacity and a load may be said.
Result<void> checkNoExperts(const KernelSettings& kernels) {
    const auto refusal = [](std::string_view key, std::string usual) {
        return breaks(keyOf(key), "the model has no experts", std::move(usual));
    };
    if (kernels.capacityFactor > 0) {
        return refusal("capacity_factor", "0");
    }
    if (kernels.padToCapacity) {
        return refusal("pad_to_capacity", "false");
    }
    return kernels.imbalance == 1.0 ? Result<void>() : refusal("imbalance", "1");
}

/// A graph of a whole iteration has to know the rows of experts, or to leave their number to the
/// kernels that send them, as HybridEP's do.
Result<void> checkGraphs(const KernelSettings& kernels) {
    if (!kernels.graphExperts) {
        return {};
    }
    if (!kernels.cudaGraphs) {
        return breaks(keyOf("graph_experts"),
                      "without cuda_graphs nothing is a graph",
                      "--set settings.kernels.cuda_graphs=true");
    }
    if (!kernels.padToCapacity && !kernels.dispatchOncePerNode) {
        return breaks(keyOf("graph_experts"),
                      "the host has to count the rows of experts without a fixed capacity, and no "
                      "graph waits for it",
                      "--set settings.kernels.capacity_factor=1 --set "
                      "settings.kernels.pad_to_capacity=true");
    }
    return {};
}

}  // namespace

Result<void> checkExpertKeys(const Stack& stack, const Scenario& scenario) {
    const KernelSettings& kernels = scenario.settings.kernels;
    FABRICAST_TRY(checkMegatronsOwn(stack, kernels));
    if (kernels.quantizedExperts && kernels.code != ModelCode::TorchTitan) {
        return lacks(keyOf("quantized_experts"),
                     std::string(stack.name) +
                         " multiplies experts in the type of its linear layers: the key is "
                         "torchtitan's",
                     "false, or --stack torchtitan");
    }
    if (!scenario.model.moe) {
        return checkNoExperts(kernels);
    }
    if (kernels.padToCapacity && kernels.capacityFactor <= 0) {
        return breaks(keyOf("pad_to_capacity"),
                      "moe_expert_capacity_factor must be set to use "
                      "moe_pad_expert_input_to_capacity",
                      "--set settings.kernels.capacity_factor=1");
    }
    return checkGraphs(kernels);
}

}  // namespace fabricast
