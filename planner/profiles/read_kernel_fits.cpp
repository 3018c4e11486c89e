#include "planner/base/quantity_text.h"
#include "planner/profiles/fit_numbers.h"
#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_kernels.h"
#include "planner/spec/kernel_names.h"
#include "planner/text/enum_json.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<FitNumber<GemmFit>, 10> kGemmNumbers = {{
    {"efficiency", &GemmFit::efficiency, 1e-3, 10},
    {"prologue_depth", &GemmFit::prologueDepth, 0, 1e5},
    {"tile_penalty", &GemmFit::tilePenalty, 0, 100},
    {"wave_fraction", &GemmFit::waveFraction, 0, 1},
    {"bandwidth_efficiency", &GemmFit::bandwidthEfficiency, 1e-2, 10},
    {"join_power", &GemmFit::joinPower, 1, 100},
    {"throttle", &GemmFit::throttle, 0, 10},
    {"quantise_traffic", &GemmFit::quantiseTraffic, 0, 1e3},
    {"split_k_traffic", &GemmFit::splitKTraffic, 0, 1e4},
    {"input_bytes", &GemmFit::inputBytes, 0.1, 8},
}};
constexpr std::array<FitNumber<AttentionFit>, 8> kAttentionNumbers = {{
    {"efficiency", &AttentionFit::efficiency, 1e-3, 10},
    {"base_length", &AttentionFit::baseLength, 0, 1e5},
    {"tail", &AttentionFit::tail, 0, 100},
    {"join_power", &AttentionFit::joinPower, 1, 100},
    {"query_traffic", &AttentionFit::queryTraffic, 0, 1e3},
    {"key_traffic", &AttentionFit::keyTraffic, 0, 1e3},
    {"throttle", &AttentionFit::throttle, 0, 10},
    {"input_bytes", &AttentionFit::inputBytes, 0.1, 8},
}};
constexpr std::array<FitNumber<BackwardRatio>, 3> kBackwardNumbers = {{
    {"short", &BackwardRatio::atShort, 0.1, 100},
    {"long", &BackwardRatio::atLong, 0.1, 100},
    {"tail", &BackwardRatio::tail, 0, 10},
}};
constexpr std::array<FitNumber<GroupedFit>, 4> kGroupedNumbers = {{
    {"forward", &GroupedFit::forward, 0.1, 100},
    {"input_gradient", &GroupedFit::inputGradient, 0.1, 100},
    {"weight_gradient", &GroupedFit::weightGradient, 0.1, 100},
    {"unbalanced", &GroupedFit::unbalanced, 1, 100},
}};
constexpr std::array<FitNumber<MemoryFit>, 1> kMemoryNumbers = {{
    {"efficiency", &MemoryFit::efficiency, 1e-3, 10},
}};
constexpr std::array<FitTime<GemmFit>, 2> kGemmTimes = {{
    {"launch_us", &GemmFit::launch},
    {"throttle_time_us", &GemmFit::throttleTime},
}};
constexpr std::array<FitTime<AttentionFit>, 2> kAttentionTimes = {{
    {"launch_us", &AttentionFit::launch},
    {"throttle_time_us", &AttentionFit::throttleTime},
}};
constexpr std::array<FitTime<GroupedFit>, 1> kGroupedTimes = {{
    {"per_expert_us", &GroupedFit::perExpert},
}};
constexpr std::array<FitTime<MemoryFit>, 1> kMemoryTimes = {{
    {"launch_us", &MemoryFit::launch},
}};
constexpr std::array<std::string_view, 2> kCaches = {"dense", "paged"};
constexpr std::array<std::string_view, 2> kTimed = {"in_bursts", "in_loop"};
constexpr std::int64_t kWidestHead = 4096;
/// A head rate is over that at 128.
constexpr double kMostHeadRate = 10;

Result<FlopsPerSecond> readPeak(const JsonValue& section) {
    FABRICAST_ASSIGN(const JsonValue* const peak, section.require("peak"));
    FABRICAST_ASSIGN(const std::string text, peak->text());
    FABRICAST_ASSIGN(const FlopsPerSecond rate, parseQuantity<FlopsPerSecond>(text, peak->where()));
    constexpr double kMost = 1e20;
    if (!(rate.count() > 1 && rate.count() < kMost)) {
        return tl::unexpected(peak->problem("is out of range at " + peak->shown()));
    }
    return rate;
}

Result<GemmFit> readGemmFit(const JsonValue& section) {
    FABRICAST_TRY(
        onlyFitKeys(section, kGemmNumbers, kGemmTimes, {"peak", "output_bytes", "exact_sums"}));
    GemmFit fit;
    FABRICAST_ASSIGN(fit.peak, readPeak(section));
    FABRICAST_TRY(readFitNumbers(section, kGemmNumbers, kGemmTimes, fit));
    FABRICAST_ASSIGN(fit.outputBytes, requireNumber(section, "output_bytes", 1, 8));
    if (section.find("exact_sums") != nullptr) {
        FABRICAST_ASSIGN(fit.exactSums, requireNumber(section, "exact_sums", 1, 10));
    }
    return fit;
}

/// [[64, 0.7], [128, 1]]
Result<std::vector<HeadRate>> readHeadRates(const JsonValue& section) {
    FABRICAST_ASSIGN(const JsonValue* const list, section.require("head_rates"));
    FABRICAST_TRY(list->expect(JsonValue::Kind::Array));
    std::vector<HeadRate> rates;
    for (const JsonValue& item : list->items()) {
        FABRICAST_ASSIGN(const auto pair, requirePair(item));
        FABRICAST_ASSIGN(const std::int64_t dim, pair.first->integer({1, kWidestHead}));
        FABRICAST_ASSIGN(const double rate, pair.second->number(1e-2, kMostHeadRate));
        if (!rates.empty() && rates.back().dim >= dim) {
            return tl::unexpected(
                item.problem("is out of order", "list widths from small to large"));
        }
        rates.push_back({dim, rate});
    }
    return rates;
}

Result<AttentionFit> readAttentionFit(const JsonValue& section) {
    FABRICAST_TRY(onlyFitKeys(section,
                              kAttentionNumbers,
                              kAttentionTimes,
                              {"kernel", "type", "cache", "timed", "peak", "head_rates"}));
    AttentionFit fit;
    FABRICAST_ASSIGN(const JsonValue* const kernel, section.require("kernel"));
    FABRICAST_ASSIGN(fit.code, readEnum<AttentionCode>(*kernel));
    FABRICAST_ASSIGN(const JsonValue* const type, section.require("type"));
    FABRICAST_ASSIGN(fit.type, readEnum<GemmType>(*type));
    FABRICAST_ASSIGN(const std::string cache, readWordOr(section, "cache", "dense", kCaches));
    fit.paged = cache == "paged";
    FABRICAST_ASSIGN(const std::string timed, readWordOr(section, "timed", "in_bursts", kTimed));
    fit.inLoop = timed == "in_loop";
    FABRICAST_ASSIGN(fit.peak, readPeak(section));
    FABRICAST_ASSIGN(fit.headRates, readHeadRates(section));
    FABRICAST_TRY(readFitNumbers(section, kAttentionNumbers, kAttentionTimes, fit));
    return fit;
}

Result<BackwardRatio> readBackwardRatio(const JsonValue& section) {
    constexpr std::array<FitTime<BackwardRatio>, 0> kNone = {};
    FABRICAST_TRY(
        onlyFitKeys(section, kBackwardNumbers, kNone, {"kernel", "head_dim", "value_dim"}));
    BackwardRatio ratio;
    if (const JsonValue* kernel = section.find("kernel")) {
        FABRICAST_ASSIGN(ratio.code, readEnum<AttentionCode>(*kernel));
    }
    FABRICAST_ASSIGN(const JsonValue* const head, section.require("head_dim"));
    FABRICAST_ASSIGN(ratio.headDim, head->integer({1, kWidestHead}));
    FABRICAST_ASSIGN(const JsonValue* const value, section.require("value_dim"));
    FABRICAST_ASSIGN(ratio.valueDim, value->integer({1, kWidestHead}));
    FABRICAST_TRY(readFitNumbers(section, kBackwardNumbers, kNone, ratio));
    FABRICAST_TRY(readSectionSource(section));
    return ratio;
}

}  // namespace

Result<void> readGemmFits(const JsonValue& root, KernelProfile& kernels) {
    FABRICAST_ASSIGN(const JsonValue* const list, root.require("gemm"));
    FABRICAST_TRY(list->onlyKeys(allNames<GemmType>()));
    for (const JsonValue& section : list->members()) {
        FABRICAST_ASSIGN(GemmFit fit, readGemmFit(section));
        FABRICAST_ASSIGN(fit.source, readSectionSource(section));
        FABRICAST_ASSIGN(fit.error, readFitError(section));
        const auto type = fromName<GemmType>(section.name());
        kernels.gemm[static_cast<std::size_t>(*type)] = fit;
    }
    return {};
}

Result<void> readAttentionFits(const JsonValue& root, KernelProfile& kernels) {
    FABRICAST_ASSIGN(const JsonValue* const list, root.require("attention"));
    FABRICAST_TRY(list->expect(JsonValue::Kind::Array));
    for (const JsonValue& section : list->items()) {
        FABRICAST_ASSIGN(AttentionFit fit, readAttentionFit(section));
        FABRICAST_ASSIGN(fit.source, readSectionSource(section));
        FABRICAST_ASSIGN(fit.error, readFitError(section));
        kernels.attention.push_back(std::move(fit));
    }
    // fp16 runs like bf16.
    const bool isNarrow = kernels.supports(GemmType::Bf16) || kernels.supports(GemmType::Fp16);
    const GemmType usual = isNarrow ? GemmType::Bf16 : GemmType::Fp32;
    if (std::ranges::find(kernels.attention, usual, &AttentionFit::type) ==
        kernels.attention.end()) {
        return tl::unexpected(list->problem("lists no kernel in " + std::string(nameOf(usual)),
                                            "list the one that runs"));
    }
    return {};
}

Result<void> readBackwardRatios(const JsonValue& root, KernelProfile& kernels) {
    FABRICAST_ASSIGN(const JsonValue* const list, root.require("backward"));
    FABRICAST_TRY(list->expect(JsonValue::Kind::Array));
    for (const JsonValue& section : list->items()) {
        FABRICAST_ASSIGN(const BackwardRatio ratio, readBackwardRatio(section));
        kernels.backward.push_back(ratio);
    }
    if (std::ranges::find(kernels.backward, AttentionCode::Native, &BackwardRatio::code) ==
        kernels.backward.end()) {
        return tl::unexpected(
            list->problem("lists no ratio for kernels that have none of their own",
                          "list at least heads of 128 without a \"kernel\""));
    }
    return {};
}

Result<void> readGroupedFit(const JsonValue& root, KernelProfile& kernels) {
    FABRICAST_ASSIGN(const JsonValue* const section, root.require("grouped"));
    FABRICAST_TRY(onlyFitKeys(*section, kGroupedNumbers, kGroupedTimes, {}));
    FABRICAST_TRY(readFitNumbers(*section, kGroupedNumbers, kGroupedTimes, kernels.grouped));
    FABRICAST_ASSIGN(kernels.grouped.source, readSectionSource(*section));
    FABRICAST_ASSIGN(kernels.grouped.error, readFitError(*section));
    return {};
}

Result<void> readMemoryFits(const JsonValue& root, KernelProfile& kernels) {
    FABRICAST_ASSIGN(const JsonValue* const list, root.require("memory"));
    FABRICAST_TRY(list->onlyKeys(allNames<MemoryOp>()));
    for (const auto& [op, name] : namesOf(MemoryOp{})) {
        FABRICAST_ASSIGN(const JsonValue* const section, list->require(name));
        FABRICAST_TRY(onlyFitKeys(*section, kMemoryNumbers, kMemoryTimes, {}));
        MemoryFit fit;
        FABRICAST_TRY(readFitNumbers(*section, kMemoryNumbers, kMemoryTimes, fit));
        FABRICAST_ASSIGN(fit.source, readSectionSource(*section));
        FABRICAST_ASSIGN(fit.error, readFitError(*section));
        kernels.memory[static_cast<std::size_t>(op)] = fit;
    }
    return {};
}

}  // namespace fabricast
