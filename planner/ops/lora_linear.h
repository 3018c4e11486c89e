#pragma once
#include "planner/ops/op_builder.h"
#include "planner/spec/scenario.h"
#include "planner/spec/settings.h"

#include <cstdint>
#include <string_view>

namespace fabricast {

/// A linear layer inside a transformer layer, and its name in LoRA's targets.
struct LinearSite {
    std::string_view name;
    std::string_view target;  ///< q, k, v, o, gate, up, down; qkv where they are one matrix
    std::int64_t in = 0;
    std::int64_t out = 0;
    bool bias = false;
};

/// The trained weights that PEFT adds to one linear layer.
struct Adapter {
    int down = -1;       ///< lora_A, rank x in
    int up = -1;         ///< lora_B, out x rank
    int magnitude = -1;  ///< DoRA's, out
    int base = -1;       ///< the frozen matrix, out x in
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t rank = 0;
    std::int64_t width = 4;  ///< bytes of an element as its ops read it
};

/// Over how many ranks the rows of each factor are cut, beyond the cut of the layer itself.
struct AdapterCut {
    std::int64_t down = 1;
    std::int64_t up = 1;
};

bool isAdapted(const LoraSettings& lora, const LinearSite& site);
Adapter declareAdapter(OpBuilder& g,
                       const LoraSettings& lora,
                       const LinearSite& site,
                       const AdapterCut& cut = {});
/// lora_B(lora_A(x)), and that times the scaling.
TensorId adapterProduct(OpBuilder& g, const Adapter& adapter, TensorId x);
TensorId scaleUpdate(OpBuilder& g, TensorId product);

/// What PEFT's LoRA makes of a linear layer where the scenario tunes by it, frozen where its
/// targets leave it out; a plain linear layer where everything is trained.
///     q = siteLinear(g, settings, {"q_proj", "q", hidden, heads * dim}, x);
TensorId siteLinear(OpBuilder& g, const Settings& settings, const LinearSite& site, TensorId x);

/// Its product is fp32 whatever the type of x: DoRA's fp32 magnitudes over a quantised base, which
/// autocast leaves as they are. The residual stream is then fp32 from the first layer on.
bool widensOutput(const Settings& settings);

/// Whether PEFT's modules_to_save names the module: `embed_tokens` or `lm_head`.
bool trainsCopy(const Settings& settings, std::string_view module);
/// The table of that module: the trained copy, declared behind the frozen original that nothing
/// reads any more, unless that is `another`'s. In the original's type, whatever adapters have, but
/// for narrower ones over a quantised base.
int declareCopy(OpBuilder& g, const LoraSettings& lora, const LinearSite& site, bool another);

/// The type of the frozen weights that are not quantised: embedding, norms, head, unquantised base.
Dtype frozenType(const LoraSettings& lora);

}  // namespace fabricast
