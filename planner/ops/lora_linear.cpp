#include "planner/ops/lora_linear.h"

#include "planner/ops/dora_linear.h"
#include "planner/ops/quantized_linear.h"

#include <vector>

namespace fabricast {

namespace {

TensorId baseLinear(OpBuilder& g, const Settings& settings, const LinearSite& site, TensorId x) {
    const auto bias = [&]() { return site.bias ? g.weight("bias", site.out, false) : -1; };
    if (settings.tuning == Tuning::Lora && isQuantized(settings.lora.base)) {
        const QuantizedMatrix matrix = quantizedMatrix(settings.lora, site.out, site.in);
        return quantizedLinear(g, site.name, matrix, x, bias());
    }
    const std::int64_t tokens = g.info(x).elements / site.in;
    const int weight = g.matrix(site.name, site.out, site.in);
    return g.linear(x, weight, tokens * site.out, bias());
}

/// The forward of peft's lora.Linear, Linear8bitLt and Linear4bit. Over an unquantised base x is
/// cast to the adapter's type, under autocast too; over a quantised one only without it, and a
/// 4-bit product is cloned first. Names in that function keep their tensors until it returns.
TensorId adapt(
    OpBuilder& g, const LoraSettings& lora, const LinearSite& site, TensorId x, TensorId result) {
    const bool quantized = isQuantized(lora.base);
    const bool casts = !quantized || !g.options().autocast;
    const std::int64_t width = g.info(result).width;
    if (lora.base == Dtype::Nf4) {
        result = g.pointwise("clone", {result}, g.info(result).elements, width, {});
        g.last().passesGradient = true;
    }
    const Adapter adapter = declareAdapter(g, lora, site);
    const TensorId read = casts ? g.cast(x, adapter.width) : x;
    const TensorId dropped = lora.dropout > 0 ? g.dropout(read) : read;
    TensorIds named = {x, read};
    TensorId update = kNoTensor;
    if (lora.dora) {
        update = doraUpdate(g, lora, adapter, dropped, result);
    } else {
        update = scaleUpdate(g, adapterProduct(g, adapter, dropped));
        if (quantized && casts) {
            update = g.cast(update, width);
            named.push_back(update);
        }
    }
    result = g.add(result, update);
    result = casts ? g.cast(result, width) : result;
    g.holdUntilHere(named);
    return result;
}

}  // namespace

Dtype frozenType(const LoraSettings& lora) {
    if (lora.preparedForKbit) {
        return Dtype::Fp32;
    }
    return isQuantized(lora.base) ? Dtype::Bf16 : lora.base;
}

bool widensOutput(const Settings& settings) {
    const LoraSettings& lora = settings.lora;
    const bool endsHalfLayer = lora.targets.contains("o") || lora.targets.contains("down");
    return lora.dora && endsHalfLayer && isQuantized(lora.base) && settings.precision.autocast &&
           lora.dtype == Dtype::Fp32;
}

TensorId siteLinear(OpBuilder& g, const Settings& settings, const LinearSite& site, TensorId x) {
    g.enterModule();
    TensorId result = baseLinear(g, settings, site, x);
    if (settings.tuning == Tuning::Lora && isAdapted(settings.lora, site)) {
        result = adapt(g, settings.lora, site, x, result);
    }
    g.leaveModule();
    return result;
}

}  // namespace fabricast
