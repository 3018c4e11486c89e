#pragma once
#include "planner/result/comparison.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

/// What a requirement is about.
enum class Metric : std::uint8_t {
    Fits,
    StepSeconds,
    TokensPerSecond,
    TokensPerGpuSecond,
    Mfu,
    MemoryPeak,
    MemoryPeakShare,
    HostMemory,
    Goodput,
    UsdPerMtok,
    KwhPerMtok,
    Days,
    UsdPerRun,
    Gpus,
    Nodes
};

/// How a metric is written, and in which unit its bounds are.
struct MetricName {
    Metric metric;
    std::string_view name;
    NumberUnit unit;
    std::string_view words;  ///< for people who do not know the name
};
inline constexpr std::array kMetrics = {
    MetricName{Metric::Fits, "fits", NumberUnit::Size, "memory of GPUs and hosts"},
    MetricName{Metric::StepSeconds, "step_s", NumberUnit::Duration, "time of a step"},
    MetricName{Metric::TokensPerSecond, "tokens_per_s", NumberUnit::TokenRate, "of all GPUs"},
    MetricName{Metric::TokensPerGpuSecond, "tokens_per_s_gpu", NumberUnit::TokenRate, "of one GPU"},
    MetricName{Metric::Mfu, "mfu", NumberUnit::Share, "model FLOPs utilisation"},
    MetricName{Metric::MemoryPeak, "mem_peak", NumberUnit::Size, "of the most loaded GPU"},
    MetricName{Metric::MemoryPeakShare, "mem_peak_frac", NumberUnit::Share, "of the GPU's memory"},
    MetricName{Metric::HostMemory, "host_memory", NumberUnit::Size, "needed in a node"},
    MetricName{Metric::Goodput, "goodput", NumberUnit::Share, "share of useful time"},
    MetricName{Metric::UsdPerMtok, "usd_per_mtok", NumberUnit::Amount, "price of 1M tokens"},
    MetricName{Metric::KwhPerMtok, "kwh_per_mtok", NumberUnit::Amount, "energy of 1M tokens"},
    MetricName{Metric::Days, "days", NumberUnit::Amount, "of the run of --tokens"},
    MetricName{Metric::UsdPerRun, "usd_per_run", NumberUnit::Amount, "of the run of --tokens"},
    MetricName{Metric::Gpus, "gpus", NumberUnit::Count, "of the layout"},
    MetricName{Metric::Nodes, "nodes", NumberUnit::Count, "of the cluster"}};

constexpr const MetricName& nameOf(Metric metric) {
    return kMetrics[static_cast<std::size_t>(metric)];
}

enum class Relation : std::uint8_t { Less, AtMost, Equal, AtLeast, Greater };

/// Which value of a forecast is compared: where none is said, the whole interval.
enum class Judged : std::uint8_t { Interval, Low, Middle, High };

enum class RequirementLevel : std::uint8_t { Error, Warning };

/// A condition that a forecast is to hold, as it is written:
///     "fits surely"    "tokens_per_s >= 1.2M @ p10"    "mem_peak <= 72 GiB : warn"
///     "tokens_per_s >= baseline * 0.98"
struct Requirement {
    std::string text;
    std::string where;  ///< file:line:column, or the flag
    Metric metric = Metric::Fits;
    Relation relation = Relation::AtLeast;
    double bound = 1.0;       ///< seconds, bytes, shares, dollars; a factor with `ofBaseline`
    bool ofBaseline = false;  ///< the bound is this many times what the baseline has
    Judged judged = Judged::Interval;
    bool surely = false;  ///< of "fits": likely is not enough
    RequirementLevel level = RequirementLevel::Error;
};

}  // namespace fabricast
