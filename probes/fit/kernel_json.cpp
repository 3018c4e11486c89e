#include "probes/fit/kernel_json.h"

#include "planner/base/quantity_text.h"
#include "planner/profiles/sourced_json.h"
#include "planner/spec/kernel_names.h"
#include "planner/text/json_text.h"

#include <cmath>

namespace fabricast {
namespace {

constexpr double kMicroseconds = 1e6;

/// Four digits: more would claim what no fit knows.
double rounded(double value) {
    if (value == 0.0) {
        return 0.0;
    }
    constexpr double kDigits = 4;
    const double scale = std::pow(10.0, kDigits - 1 - std::floor(std::log10(std::abs(value))));
    return std::round(value * scale) / scale;
}

class KernelWriter {
public:
    KernelWriter(const FittedKernels& fitted, const std::string& title)
        : fitted_(fitted), kernels_(fitted.kernels), title_(title) {}

    std::string run() && {
        json_.beginObject();
        json_.add("schema", "fabricast.kernel/1");
        json_.add("name", kernels_.name);
        json_.add("title", title_);
        json_.add("multiprocessors", kernels_.multiprocessors);
        json_.add("memory_bandwidth", quantityText(kernels_.memoryBandwidth));
        addTiles();
        addRates();
        addGemms();
        addAttentions();
        addBackwards();
        addGrouped();
        addMemories();
        json_.end();
        return std::move(json_).finish();
    }

private:
    void add(std::string_view key, double value) { json_.add(key, rounded(value)); }
    void add(std::string_view key, Seconds value) { add(key, value.count() * kMicroseconds); }

    void addOrigin(const std::string& section, Source source, const FitError& error) {
        const auto rows = fitted_.rows.find(section);
        const bool isFitted = rows != fitted_.rows.end();
        if (isFitted) {
            json_.add("rows", rows->second);
        }
        if (error.mean > 0) {
            add("mean_error", error.mean);
            add("p90_error", error.p90);
        }
        json_.add("source", sourceName(isFitted ? source : Source::Assumed));
        if (isFitted && !fitted_.from.empty()) {
            json_.add("from", fitted_.from);
        } else if (!isFitted) {
            json_.add("note",
                      "not measured here" +
                          (fitted_.others.empty() ? "" : ": as the kernels of " + fitted_.others));
        }
    }

    void addTiles() {
        json_.beginArray("tiles");
        for (const Tile& tile : kernels_.tiles) {
            json_.beginArray();
            json_.item(static_cast<std::int64_t>(tile.rows));
            json_.item(static_cast<std::int64_t>(tile.columns));
            json_.end();
        }
        json_.end();
    }

    void addRates() {
        json_.beginObject("layout");
        add("input_gradient", kernels_.inputGradientFactor);
        add("weight_gradient", kernels_.weightGradientFactor);
        const bool isFitted = fitted_.rows.contains("layout");
        json_.add("source", isFitted ? "measured" : "assumed");
        if (isFitted && !fitted_.from.empty()) {
            json_.add("from", fitted_.from);
        } else if (!isFitted) {
            json_.add("note", "not measured here");
        }
        json_.end();
        json_.beginObject("sustained");
        add("factor", kernels_.sustained.factor);
        add("least", kernels_.sustained.least);
        json_.add("source", sourceName(kernels_.sustained.source));
        json_.add("note", "short measurements do not say it");
        json_.end();
    }

    void addGemms() {
        json_.beginObject("gemm");
        for (const auto& [type, name] : namesOf(GemmType{})) {
            const GemmFit* fit = kernels_.fit(type);
            const std::string section = "gemm." + std::string(name);
            // Types that follow from others are not written: reading makes them again.
            if (fit != nullptr &&
                (fitted_.rows.contains(section) || fit->source != Source::Assumed)) {
                json_.beginObject(name);
                addGemm(*fit);
                addOrigin(section, fit->source, fit->error);
                json_.end();
            }
        }
        json_.end();
    }

    void addGemm(const GemmFit& fit) {
        json_.add("peak", quantityText(fit.peak));
        add("efficiency", fit.efficiency);
        add("prologue_depth", fit.prologueDepth);
        add("tile_penalty", fit.tilePenalty);
        add("wave_fraction", fit.waveFraction);
        add("launch_us", fit.launch);
        add("bandwidth_efficiency", fit.bandwidthEfficiency);
        add("join_power", fit.joinPower);
        add("throttle", fit.throttle);
        add("throttle_time_us", fit.throttleTime);
        add("quantise_traffic", fit.quantiseTraffic);
        add("split_k_traffic", fit.splitKTraffic);
        add("input_bytes", fit.inputBytes);
        add("output_bytes", fit.outputBytes);
    }

    void addAttentions() {
        json_.beginArray("attention");
        for (const AttentionFit& fit : kernels_.attention) {
            const std::string section = "attention." + std::string(nameOf(fit.code)) + "." +
                                        std::string(nameOf(fit.type)) + (fit.paged ? ".paged" : "");
            json_.beginObject();
            json_.add("kernel", nameOf(fit.code));
            json_.add("type", nameOf(fit.type));
            json_.add("cache", fit.paged ? "paged" : "dense");
            addAttention(fit);
            addOrigin(section, fit.source, fit.error);
            json_.end();
        }
        json_.end();
    }

    void addAttention(const AttentionFit& fit) {
        json_.add("peak", quantityText(fit.peak));
        add("efficiency", fit.efficiency);
        json_.beginArray("head_rates");
        for (const HeadRate& rate : fit.headRates) {
            json_.beginArray();
            json_.item(rate.dim);
            json_.item(rounded(rate.rate));
            json_.end();
        }
        json_.end();
        add("base_length", fit.baseLength);
        add("tail", fit.tail);
        add("join_power", fit.joinPower);
        add("query_traffic", fit.queryTraffic);
        add("key_traffic", fit.keyTraffic);
        add("launch_us", fit.launch);
        add("throttle", fit.throttle);
        add("throttle_time_us", fit.throttleTime);
        add("input_bytes", fit.inputBytes);
    }

    void addBackwards() {
        json_.beginArray("backward");
        for (const BackwardRatio& ratio : kernels_.backward) {
            json_.beginObject();
            if (ratio.code != AttentionCode::Native) {
                json_.add("kernel", nameOf(ratio.code));
            }
            json_.add("head_dim", ratio.headDim);
            json_.add("value_dim", ratio.valueDim);
            add("short", ratio.atShort);
            add("long", ratio.atLong);
            add("tail", ratio.tail);
            addOrigin(backwardSection(ratio), Source::Measured, {});
            json_.end();
        }
        json_.end();
    }

    void addGrouped() {
        const GroupedFit& fit = kernels_.grouped;
        json_.beginObject("grouped");
        add("forward", fit.forward);
        add("input_gradient", fit.inputGradient);
        add("weight_gradient", fit.weightGradient);
        add("unbalanced", fit.unbalanced);
        add("per_expert_us", fit.perExpert);
        addOrigin("grouped", fit.source, fit.error);
        json_.end();
    }

    void addMemories() {
        json_.beginObject("memory");
        for (const auto& [op, name] : namesOf(MemoryOp{})) {
            const MemoryFit& fit = kernels_.fit(op);
            json_.beginObject(name);
            add("efficiency", fit.efficiency);
            add("launch_us", fit.launch);
            addOrigin("memory." + std::string(name), fit.source, fit.error);
            json_.end();
        }
        json_.end();
    }

    const FittedKernels& fitted_;
    const KernelProfile& kernels_;
    const std::string& title_;
    JsonText json_;
};

}  // namespace

std::string kernelJson(const FittedKernels& fitted, const std::string& title) {
    return KernelWriter(fitted, title).run();
}

}  // namespace fabricast
