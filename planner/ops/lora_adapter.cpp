#include "planner/ops/lora_adapter.h"

#include <string>

namespace fabricast {

namespace {

/// PEFT keeps adapters in a type of their own; autocast casts those that are wider than it
/// computes.
int declareTrained(OpBuilder& g, const LoraSettings& lora, int weight) {
    WeightUse& use = g.weightAt(weight);
    use.trained = true;
    use.width = bytesPerElement(lora.dtype);
    use.cast =
        use.isMatrix && g.options().autocast && g.readWidth(use.width) != g.options().computeWidth;
    return weight;
}

}  // namespace

bool isAdapted(const LoraSettings& lora, const LinearSite& site) {
    const auto has = [&](std::string_view name) {
        return lora.targets.contains(std::string(name));
    };
    if (lora.rank == 0) {
        return false;
    }
    return has(site.target) || (site.target == "qkv" && (has("q") || has("k") || has("v")));
}

Adapter declareAdapter(OpBuilder& g, const LoraSettings& lora, const LinearSite& site) {
    Adapter adapter{.in = site.in,
                    .out = site.out,
                    .rank = lora.rank,
                    .width = g.readWidth(bytesPerElement(lora.dtype))};
    adapter.down = declareTrained(g, lora, g.matrix("lora_A", lora.rank, site.in));
    adapter.up = declareTrained(g, lora, g.matrix("lora_B", site.out, lora.rank));
    if (lora.dora) {
        adapter.magnitude = declareTrained(g, lora, g.weight("lora_magnitude", site.out, false));
    }
    return adapter;
}

TensorId adapterProduct(OpBuilder& g, const Adapter& adapter, TensorId x) {
    const std::int64_t tokens = g.info(x).elements / adapter.in;
    const TensorId low = g.linear(x, adapter.down, tokens * adapter.rank);
    g.holdUntilHere({x});
    return g.linear(low, adapter.up, tokens * adapter.out);
}

TensorId scaleUpdate(OpBuilder& g, TensorId product) {
    return g.pointwise(
        "lora_scale", {product}, g.info(product).elements, g.info(product).width, {});
}

}  // namespace fabricast
