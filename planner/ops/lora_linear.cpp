#include "planner/ops/lora_linear.h"

#include "planner/ops/quantized_linear.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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

/// An op outside the graph that backward walks.
TensorId aside(OpBuilder& g, Op op, std::int64_t elements, std::int64_t width) {
    const TensorId out = g.fresh(elements, width, false);
    op.outputs = {out};
    g.push(std::move(op));
    return out;
}

/// lora_B(lora_A(1)) in the type of x. Its own graph keeps the unit matrix and the low-rank product
/// for as long as the result has a name.
TensorIds wholeAdapter(OpBuilder& g, const Adapter& adapter, std::int64_t width) {
    const std::int64_t computed = g.options().autocast ? g.options().computeWidth : adapter.width;
    const auto multiply = [&](TensorId x, int weight, std::int64_t elements) {
        return aside(
            g,
            {.kind = OpKind::Gemm, .name = "lora_weight", .inputs = {x}, .weights = {weight}},
            elements,
            computed);
    };
    const TensorId unit = aside(g, {.name = "eye"}, adapter.in * adapter.in, adapter.width);
    g.enterModule();
    g.claimWeight(adapter.down);
    const TensorId read = g.cast(unit, computed);
    const TensorId low = multiply(read, adapter.down, adapter.in * adapter.rank);
    g.leaveModule();
    g.enterModule();
    g.claimWeight(adapter.up);
    const TensorId whole = multiply(low, adapter.up, adapter.in * adapter.out);
    g.leaveModule();
    return {read, low, g.cast(whole, width)};
}

/// The frozen matrix in the type of x; kNoTensor where it is stored so.
TensorId baseMatrix(OpBuilder& g,
                    const LoraSettings& lora,
                    const Adapter& adapter,
                    std::int64_t width) {
    const std::int64_t elements = adapter.in * adapter.out;
    if (!isQuantized(lora.base)) {
        return g.readWidth(g.options().storedWidth) == width
                   ? kNoTensor
                   : aside(g, {.kind = OpKind::Copy, .name = "cast"}, elements, width);
    }
    const QuantizedMatrix matrix = quantizedMatrix(lora, adapter.out, adapter.in);
    Op op{.kind = OpKind::Copy, .name = "dequantize", .forwardTemps = dequantizationTemps(matrix)};
    return g.cast(aside(g, std::move(op), elements, dequantizedWidth(matrix)), width);
}

/// The norm of each row of base + scaling · adapter; not differentiated.
TensorId rowNorms(OpBuilder& g, const Adapter& adapter, TensorId whole, TensorId matrix) {
    const TensorInfo added = g.info(whole);
    Op op{.kind = OpKind::Norm, .name = "weight_norm", .inputs = {whole}};
    if (matrix != kNoTensor) {
        op.inputs.push_back(matrix);
    }
    op.forwardTemps = {added.bytes, added.bytes};  // the scaled adapter, and the sum
    return aside(g, std::move(op), adapter.out, added.width);
}

TensorId magnitudeOverNorm(OpBuilder& g, const Adapter& adapter, TensorId norms) {
    const std::int64_t width = std::max(adapter.width, g.info(norms).width);
    const TensorId scale = g.fresh(adapter.out, width);
    g.push({.name = "magnitude",
            .inputs = {norms},
            .outputs = {scale},
            .saved = {norms},
            .weights = {adapter.magnitude}});
    return scale;
}

/// After dropout the base's own product is formed again from what was dropped.
TensorId multiplyBase(OpBuilder& g, const Adapter& adapter, TensorId x, TensorId matrix) {
    const bool autocast = g.options().autocast;
    const std::int64_t width = autocast ? g.options().computeWidth : g.info(x).width;
    const TensorId read = g.cast(x, width);
    const std::int64_t tokens = g.info(x).elements / adapter.in;
    const TensorId out = g.fresh(tokens * adapter.out, width, g.info(read).requiresGrad);
    Op op{.kind = OpKind::Gemm, .name = "base_result", .inputs = {read}, .outputs = {out}};
    if (matrix != kNoTensor && g.info(read).requiresGrad) {
        const TensorId used = g.cast(matrix, width);
        op.inputs.push_back(used);
        op.saved = {used};
    }
    g.push(std::move(op));
    return out;
}

/// What PEFT's DoRA adds to a linear layer's product `base` of `x`, as its forward writes it: the
/// adapters multiplied out to a whole matrix, the norm of each row of their sum with the base, and
/// the product rescaled by the trained magnitudes over those norms. The magnitudes' module reads
/// the base's matrix and lora_A's besides.
TensorId doraUpdate(
    OpBuilder& g, const LoraSettings& lora, const Adapter& adapter, TensorId x, TensorId base) {
    g.enterModule();
    g.claimWeight(adapter.magnitude);
    TensorIds named = wholeAdapter(g, adapter, g.info(x).width);
    const TensorId matrix = baseMatrix(g, lora, adapter, g.info(x).width);
    const TensorId scale =
        magnitudeOverNorm(g, adapter, rowNorms(g, adapter, named.back(), matrix));
    const TensorId product = adapterProduct(g, adapter, x);
    named.push_back(product);
    if (matrix != kNoTensor) {
        named.push_back(matrix);
    }
    const TensorId result = lora.dropout > 0 ? multiplyBase(g, adapter, x, matrix) : base;
    const TensorId less = g.pointwise("less_one", {scale}, adapter.out, g.info(scale).width, {});
    const TensorId rescaled = g.multiply(result, less);
    const TensorId update = scaleUpdate(g, g.multiply(product, scale));
    const TensorId sum = g.add(rescaled, update);
    g.holdUntilHere(named);
    g.borrowWeight(adapter.base);
    g.borrowWeight(adapter.down);
    g.leaveModule();
    return sum;
}

/// A product, and the matrix that made it.
struct BaseProduct {
    TensorId out = kNoTensor;
    int weight = -1;
};

BaseProduct baseLinear(OpBuilder& g, const Settings& settings, const LinearSite& site, TensorId x) {
    const auto bias = [&]() { return site.bias ? g.weight("bias", site.out, false) : -1; };
    if (settings.tuning == Tuning::Lora && isQuantized(settings.lora.base)) {
        const QuantizedMatrix matrix = quantizedMatrix(settings.lora, site.out, site.in);
        const TensorId out = quantizedLinear(g, site.name, matrix, x, bias());
        return {out, g.lastWeight()};
    }
    const std::int64_t tokens = g.info(x).elements / site.in;
    const int weight = g.matrix(site.name, site.out, site.in);
    return {g.linear(x, weight, tokens * site.out, bias()), weight};
}

/// Bytes of the type that lora_A's weight says it has. Outside of its own forward it is FSDP1's
/// view of the stored shard, where that keeps parameters as they were; all else has what ops read.
std::int64_t typeOfWeight(const Settings& settings, const Adapter& adapter) {
    const bool showsShard = settings.engine == Engine::Fsdp1 && settings.torch.useOrigParams;
    return showsShard ? bytesPerElement(settings.lora.dtype) : adapter.width;
}

/// The forward of peft's lora.Linear, Linear8bitLt and Linear4bit. Over an unquantised base x is
/// cast to the adapter's type, under autocast too; over a quantised one only without it, and a
/// 4-bit product is cloned first. Names in that function keep their tensors until it returns.
TensorId adapt(OpBuilder& g,
               const Settings& settings,
               const LinearSite& site,
               TensorId x,
               const BaseProduct& base) {
    const LoraSettings& lora = settings.lora;
    TensorId result = base.out;
    const bool quantized = isQuantized(lora.base);
    const bool casts = !quantized || !g.options().autocast;
    const std::int64_t width = g.info(result).width;
    if (lora.base == Dtype::Nf4) {
        result = g.pointwise("clone", {result}, g.info(result).elements, width, {});
        g.last().passesGradient = true;
    }
    Adapter adapter = declareAdapter(g, lora, site);
    adapter.base = base.weight;
    const TensorId read = casts ? g.cast(x, typeOfWeight(settings, adapter)) : x;
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

bool isAdapted(const LoraSettings& lora, const LinearSite& site) {
    const auto has = [&](std::string_view name) { return lora.targets.contains(name); };
    if (lora.rank == 0) {
        return false;
    }
    return has(site.target) || (site.target == "qkv" && (has("q") || has("k") || has("v")));
}

Adapter declareAdapter(OpBuilder& g,
                       const LoraSettings& lora,
                       const LinearSite& site,
                       const AdapterCut& cut) {
    Adapter adapter{.in = site.in,
                    .out = site.out,
                    .rank = lora.rank,
                    .width = g.readWidth(bytesPerElement(lora.dtype))};
    adapter.down = declareTrained(g, lora, g.matrix("lora_A", lora.rank / cut.down, site.in));
    adapter.up = declareTrained(g, lora, g.matrix("lora_B", site.out / cut.up, lora.rank));
    if (lora.dora) {
        adapter.magnitude = declareTrained(g, lora, g.weight("lora_magnitude", site.out, false));
    }
    return adapter;
}

/// Its dropout, lora_A and lora_B are modules inside the adapted one.
TensorId adapterProduct(OpBuilder& g, const Adapter& adapter, TensorId x) {
    const std::int64_t tokens = g.info(x).elements / adapter.in;
    const auto multiply = [&](TensorId input, int weight, std::int64_t elements) {
        g.enterModule();
        g.claimWeight(weight);
        const TensorId product = g.linear(input, weight, elements);
        g.leaveModule();
        return product;
    };
    g.enterModule();
    g.leaveModule();
    const TensorId low = multiply(x, adapter.down, tokens * adapter.rank);
    g.holdUntilHere({x});
    return multiply(low, adapter.up, tokens * adapter.out);
}

TensorId scaleUpdate(OpBuilder& g, TensorId product) {
    return g.pointwise(
        "lora_scale", {product}, g.info(product).elements, g.info(product).width, {});
}

bool trainsCopy(const Settings& settings, std::string_view module) {
    return settings.tuning == Tuning::Lora && settings.lora.modulesToSave.contains(module);
}

// peft's ModulesToSaveWrapper: a deep copy, which cast_adapter_dtype passes over, and TRL's
// SFTTrainer casts with the adapters where the base is quantised.
int declareCopy(OpBuilder& g, const LoraSettings& lora, const LinearSite& site, bool another) {
    if (!another) {
        g.matrix(site.name, site.out, site.in);
    }
    const int copy = g.matrix(site.name, site.out, site.in);
    WeightUse& use = g.weightAt(copy);
    use.trained = true;
    if (isQuantized(lora.base)) {
        use.width = std::min(use.width, bytesPerElement(lora.dtype));
    }
    use.cast = g.options().autocast && g.readWidth(use.width) != g.options().computeWidth;
    return copy;
}

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
    const bool adapted = settings.tuning == Tuning::Lora && isAdapted(settings.lora, site);
    g.enterModule();
    if (!adapted) {
        const TensorId result = baseLinear(g, settings, site, x).out;
        g.leaveModule();
        return result;
    }
    g.enterModule();  // base_layer
    const BaseProduct base = baseLinear(g, settings, site, x);
    g.leaveModule();
    const TensorId result = adapt(g, settings, site, x, base);
    g.leaveModule();
    return result;
}

}  // namespace fabricast
