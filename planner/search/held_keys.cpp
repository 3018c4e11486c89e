#include "planner/search/held_keys.h"

#include "planner/base/checked.h"
#include "planner/search/batch_steps.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace fabricast {
namespace {

struct HeldSize {
    std::string_view key;
    std::int64_t size;
};

std::vector<HeldSize> heldSizes(const PartialLayout& fixed, std::initializer_list<HeldSize> all) {
    std::vector<HeldSize> held(all);
    std::erase_if(held, [&fixed](const HeldSize& one) { return !fixed.says(one.key); });
    return held;
}

std::int64_t productOf(const std::vector<HeldSize>& held) {
    std::int64_t product = 1;
    for (const HeldSize& one : held) {
        product = saturatingProduct(product, one.size);
    }
    return product;
}

/// "tp 16", or "tp 16 x pp 4 = 64".
std::string productText(const std::vector<HeldSize>& held) {
    std::string text;
    for (const HeldSize& one : held) {
        text += (text.empty() ? "" : " x ") + std::string(one.key) + " " + std::to_string(one.size);
    }
    return held.size() == 1 ? text : text + " = " + std::to_string(productOf(held));
}

std::string notDividing(const std::vector<HeldSize>& held, const std::string& whole) {
    return productText(held) + " does not divide " + whole;
}

}  // namespace

std::string whyNotDivided(const LayoutRules& rules, const Scenario& base) {
    const PartialLayout& fixed = rules.fixed;
    const Layout& layout = fixed.layout;
    const std::int64_t gpus = base.cluster.gpus();
    const std::vector<HeldSize> degrees = heldSizes(
        fixed, {{"tp", layout.tp}, {"pp", layout.pp}, {"cp", layout.cp}, {"dp", layout.dp}});
    constexpr std::size_t kAll = 4;
    if (degrees.size() == kAll && productOf(degrees) != gpus) {
        return productText(degrees) + ", and not " + std::to_string(gpus);
    }
    if (gpus % productOf(degrees) != 0) {
        return notDividing(degrees, std::to_string(gpus));
    }
    const NodeSpec& node = base.cluster.node;
    const std::int64_t joined = std::max(node.domainGpus, node.gpus);
    if (fixed.says("tp") && layout.tp > joined && !rules.tensorAcrossNodes) {
        return "tp " + std::to_string(layout.tp) + " is more than the " + std::to_string(joined) +
               " GPUs that a node joins (--allow tp_across_nodes)";
    }
    if (fixed.says("pp") && layout.pp > base.model.layers) {
        return "pp " + std::to_string(layout.pp) + " is more than the model's " +
               std::to_string(base.model.layers) + " layers";
    }
    const std::vector<HeldSize> samples =
        heldSizes(fixed, {{"micro_batch", layout.microBatch}, {"dp", layout.dp}});
    const std::int64_t batch = base.workload.globalBatch;
    return batch % productOf(samples) == 0
               ? std::string()
               : notDividing(samples, "a global batch of " + std::to_string(batch));
}

Result<std::vector<std::string>> keysInTheWay(SearchTask task,
                                              std::span<const std::string> keys,
                                              const Watch& watch) {
    std::vector<std::string> freed;
    task.rules.fixed.said.clear();
    FABRICAST_ASSIGN(const bool isOpen, takesAny(task, watch));
    if (!isOpen) {
        return freed;
    }
    for (const std::string& key : keys) {
        const auto held = task.rules.fixed.said.insert(key).first;
        FABRICAST_ASSIGN(const bool takes, takesAny(task, watch));
        if (!takes) {
            task.rules.fixed.said.erase(held);
            freed.push_back(key);
        }
    }
    return freed;
}

}  // namespace fabricast
