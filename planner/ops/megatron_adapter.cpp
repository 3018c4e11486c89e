#include "planner/ops/megatron_adapter.h"

#include "planner/ops/lora_adapter.h"

namespace fabricast {

TensorId withAdapter(MegatronCode& m, TensorId x, TensorId product, const AdapterSite& site) {
    const Settings& settings = m.scenario.settings;
    const LinearSite linear{
        .name = site.target, .target = site.target, .in = site.inputs, .out = site.outputs};
    if (settings.tuning != Tuning::Lora || !isAdapted(settings.lora, linear)) {
        return product;
    }
    OpBuilder& g = m.g;
    const Adapter adapter = declareAdapter(g, settings.lora, linear);
    const std::int64_t rows = g.info(product).elements / site.outputs;
    const TensorId low = g.linear(x, adapter.down, rows * adapter.rank);
    const TensorId update = g.linear(low, adapter.up, rows * site.outputs);
    return g.add(product, scaleUpdate(g, update));
}

}  // namespace fabricast
