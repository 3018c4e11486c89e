#include "probes/fit/record_tables.h"

#include "planner/spec/kernel_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

/// What record files call types and operations, where profiles call them otherwise.
constexpr std::array<std::pair<std::string_view, GemmType>, 1> kTypes = {
    {{"fp8", GemmType::Fp8Gemm}}};
constexpr std::array<std::pair<std::string_view, MemoryOp>, 3> kRecordedOps = {
    {{"swiglu", MemoryOp::Elementwise},
     {"rope", MemoryOp::Elementwise},
     {"add", MemoryOp::Elementwise}}};

template <class Value, std::size_t N>
std::optional<Value> named(std::string_view name,
                           const std::array<std::pair<std::string_view, Value>, N>& others) {
    for (const auto& [other, value] : others) {
        if (other == name) {
            return value;
        }
    }
    return fromName<Value>(name);
}

std::string uselessPointBecause(const RecordedPoint& point) {
    if (!point.refused.empty()) {
        return point.refused;
    }
    if (point.fact("wrong", 0.0) != 0.0) {
        return "its results were wrong";
    }
    return point.unit != "s" || !(point.median > 0.0) ? "it has no time" : "";
}

/// Layouts are compared within one type: the "source" of a row keeps the types apart.
MeasuredRow rowOf(const RecordedPoint& point) {
    return {.gpu = "",
            .source = "record " + point.setting("dtype", ""),
            .time = Seconds(point.median),
            .where = point.where};
}

Error noSuch(const RecordedPoint& point, const std::string& setting, std::string hint) {
    return {Error::Code::BadInput,
            point.where,
            "'" + point.text + "': " + setting + "=" + point.setting(setting, "") +
                " is none that can be fitted",
            std::move(hint)};
}

Result<GemmType> typeOf(const RecordedPoint& point) {
    const auto type = named<GemmType>(point.setting("dtype", ""), kTypes);
    if (!type) {
        return tl::unexpected(noSuch(point, "dtype", "bf16, fp16, tf32, fp32 or fp8"));
    }
    return *type;
}

Result<GemmLayout> layoutOf(const RecordedPoint& point) {
    const std::string layout = point.setting("layout", "tn");
    if (layout != "tn" && layout != "nn" && layout != "nt") {
        return tl::unexpected(noSuch(point, "layout", "tn, nn or nt"));
    }
    return layout == "tn" ? GemmLayout::Tn : layout == "nn" ? GemmLayout::Nn : GemmLayout::Nt;
}

using Maker = Result<std::string> (*)(const RecordedPoint&, MeasuredTables&);

Result<std::string> addGemmPoint(const RecordedPoint& point, MeasuredTables& tables) {
    MeasuredGemm row{rowOf(point), {}};
    FABRICAST_ASSIGN(row.gemm.type, typeOf(point));
    FABRICAST_ASSIGN(row.gemm.layout, layoutOf(point));
    FABRICAST_ASSIGN(row.gemm.m, wholeSetting(point, "m", 1));
    FABRICAST_ASSIGN(row.gemm.n, wholeSetting(point, "n", 1));
    FABRICAST_ASSIGN(row.gemm.k, wholeSetting(point, "k", 1));
    row.gemm.accumulateFp32 = point.setting("accumulate", "0") == "1";
    tables.gemms.push_back(std::move(row));
    return std::string();
}

/// How the products of experts were sent. Where a point does not say, its kernel does.
std::string howOf(const RecordedPoint& point) {
    const bool loop = point.word("algorithm").starts_with("loop of ");
    return point.setting("how", loop ? "loop" : "streams");
}

Result<std::string> addGrouped(const RecordedPoint& point, MeasuredTables& tables) {
    MeasuredExperts row{rowOf(point)};
    FABRICAST_ASSIGN(row.type, typeOf(point));
    FABRICAST_ASSIGN(const GemmLayout layout, layoutOf(point));
    FABRICAST_ASSIGN(row.experts, wholeSetting(point, "experts", 1));
    FABRICAST_ASSIGN(row.tokens, wholeSetting(point, "tokens", 1));
    FABRICAST_ASSIGN(row.hidden, wholeSetting(point, "k", 1));
    FABRICAST_ASSIGN(row.inner, wholeSetting(point, "n", 1));
    row.topK = 1;
    // A profile's numbers are for a few streams, as Transformer Engine has them.
    if (howOf(point) != "streams") {
        return "how=" + howOf(point) + " is not how=streams";
    }
    row.group = GroupedGemm{
        .experts = row.experts,
        .rowsPerExpert = static_cast<double>(row.tokens) / static_cast<double>(row.experts),
        .inputs = row.hidden,
        .outputs = row.inner,
        .pass = layout == GemmLayout::Tn   ? GroupedPass::Forward
                : layout == GemmLayout::Nn ? GroupedPass::InputGradient
                                           : GroupedPass::WeightGradient,
        .type = row.type,
        .accumulateFp32 = point.setting("accumulate", "0") == "1",
        .perExpert = true};
    tables.experts.push_back(std::move(row));
    return std::string();
}

/// Whose kernel it was. A probe's own stands for no framework's; its word may say which library
/// could not do it ("written out (no backward by cuDNN)").
std::optional<AttentionCode> codeOfAlgorithm(const std::string& algorithm) {
    return algorithm == "cudnn" ? std::optional(AttentionCode::CuDnn) : std::nullopt;
}

Result<std::string> addAttentionPoint(const RecordedPoint& point, MeasuredTables& tables) {
    MeasuredAttention row{rowOf(point), {}};
    Attention& attention = row.attention;
    const std::string pass = point.setting("pass", "forward");
    if (pass != "forward" && pass != "backward") {
        return tl::unexpected(noSuch(point, "pass", "forward or backward"));
    }
    attention.pass = pass == "forward" ? AttentionPass::Forward : AttentionPass::Backward;
    FABRICAST_ASSIGN(attention.type, typeOf(point));
    FABRICAST_ASSIGN(attention.batch, wholeSetting(point, "batch", 1));
    FABRICAST_ASSIGN(attention.heads, wholeSetting(point, "heads", 1));
    FABRICAST_ASSIGN(attention.kvHeads, wholeSetting(point, "kv_heads", 1));
    FABRICAST_ASSIGN(attention.queries, wholeSetting(point, "sequence", 1));
    FABRICAST_ASSIGN(attention.headDim, wholeSetting(point, "dim", 1));
    attention.keys = attention.queries;
    attention.valueDim = attention.headDim;
    attention.causal = point.setting("causal", "1") != "0";
    const auto code = codeOfAlgorithm(point.word("algorithm"));
    if (!code) {
        return "its kernel (" + point.word("algorithm") + ") is no framework's";
    }
    attention.code = *code;
    tables.attentions.push_back(std::move(row));
    return std::string();
}

Result<std::string> addMemoryPoint(const RecordedPoint& point, MeasuredTables& tables) {
    const std::string name = point.what == "adam" ? "optimizer" : point.setting("op", "");
    const auto op = named<MemoryOp>(name, kRecordedOps);
    if (!op) {
        return "no section of a profile is for it";
    }
    const double bytes = point.fact("bytes", 0.0);
    if (!(bytes > 0)) {
        return "it does not say how many bytes it moved";
    }
    tables.memories.push_back({rowOf(point), *op, bytes});
    return std::string();
}

Maker makerOf(const RecordedPoint& point) {
    constexpr std::array<std::pair<std::string_view, Maker>, 5> kMakers = {
        {{"gemm", &addGemmPoint},
         {"grouped_gemm", &addGrouped},
         {"attention", &addAttentionPoint},
         {"memory", &addMemoryPoint},
         {"adam", &addMemoryPoint}}};
    // The host's memory is measured by its threads.
    if (point.settings.contains("threads")) {
        return nullptr;
    }
    const auto* const found = std::ranges::find(
        kMakers, std::string_view(point.what), [](const auto& entry) { return entry.first; });
    return found == kMakers.end() ? nullptr : found->second;
}

}  // namespace

namespace {

/// An fp8 product that adds up in fewer bits.
bool addsFast(const RecordedPoint& point) {
    return point.setting("fast_accum", "0") == "1" && uselessPointBecause(point).empty();
}

}  // namespace

bool isKernelPoint(const RecordedPoint& point) {
    return makerOf(point) != nullptr;
}

Result<RecordTables> recordTables(std::span<const RecordedPoint> points) {
    RecordTables result;
    const bool fastSums = std::ranges::any_of(points, addsFast);
    for (const RecordedPoint& point : points) {
        const Maker add = makerOf(point);
        if (add == nullptr) {
            continue;
        }
        std::string why = uselessPointBecause(point);
        if (why.empty() && fastSums && point.setting("dtype", "") == "fp8" && !addsFast(point)) {
            why = "fast_accum=1 was measured too, and is what forward products use";
        }
        if (why.empty()) {
            FABRICAST_ASSIGN(why, add(point, result.tables));
        }
        if (!why.empty()) {
            result.leftOut.push_back(point.text + ": " + why);
            continue;
        }
        const std::string throttled = point.word("throttled");
        result.throttled += throttled.empty() || throttled == "no" ? 0U : 1U;
        ++result.used;
    }
    return result;
}

}  // namespace fabricast
