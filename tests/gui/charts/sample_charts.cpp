#include "tests/gui/charts/sample_charts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

namespace fabricast {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

/// Numbers from 0 to 1 that look random, the same on each machine.
class Dice {
public:
    double roll() {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(state_ >> 11U) / 9007199254740992.0;
    }

private:
    std::uint64_t state_ = 20261125;
};

}  // namespace

ScatterValues sampleScatter(std::size_t points) {
    ScatterValues values{.title = "Plans: throughput against memory",
                         .x = {.title = "peak memory", .unit = AxisUnit::Bytes},
                         .y = {.title = "tokens/s", .unit = AxisUnit::Count},
                         .xLimit = 74.5 * kGiB,
                         .limitName = "usable 74.5 GiB",
                         .groups = {"megatron", "fsdp2", "deepspeed", "torchtitan"}};
    Dice dice;
    for (std::size_t index = 0; index < points; ++index) {
        const double memory = (18.0 + 90.0 * dice.roll()) * kGiB;
        const double best = 1.25e6 * (1.0 - std::exp(-memory / (26.0 * kGiB)));
        const auto group = static_cast<std::uint8_t>(index % values.groups.size());
        values.points.push_back({.x = memory,
                                 .y = best * (1.0 - 0.55 * std::pow(dice.roll(), 0.7)),
                                 .id = static_cast<std::uint32_t>(index),
                                 .group = group,
                                 .fits = memory < *values.xLimit,
                                 .label = "tp8 pp4 dp16 mb" + std::to_string(index % 8 + 1)});
    }
    return values;
}

MemoryBarValues sampleMemory(std::size_t stages) {
    MemoryBarValues values{.title = "Memory per stage at its peak",
                           .parts = {"weights",
                                     "gradients",
                                     "optimizer",
                                     "activations",
                                     "recomputed",
                                     "gathered",
                                     "communication",
                                     "loss",
                                     "workspace",
                                     "context"},
                           .usable = 74.5 * kGiB,
                           .present = 79.6 * kGiB};
    for (std::size_t stage = 0; stage < stages; ++stage) {
        const double depth = static_cast<double>(stages - stage) /
                             static_cast<double>(std::max<std::size_t>(stages, 1));
        MemoryBar bar{.label = "stage " + std::to_string(stage),
                      .parts = {8.8 * kGiB,
                                8.8 * kGiB,
                                6.6 * kGiB,
                                38.0 * kGiB * depth,
                                2.1 * kGiB,
                                1.3 * kGiB,
                                2.5 * kGiB,
                                stage + 1 == stages ? 9.5 * kGiB : 0.0,
                                1.1 * kGiB,
                                1.4 * kGiB},
                      .note = "peak: backward of layer " + std::to_string(79 - 20 * stage)};
        bar.interval = ValueRange{bar.total() * 0.96, bar.total() * 1.06};
        values.bars.push_back(bar);
        bar.parts[3] *= 0.55;
        values.ghosts.push_back(bar);
    }
    return values;
}

namespace {

void addSpan(SpanLane& lane, const ValueRange& time, std::uint8_t kind, std::uint32_t label) {
    lane.start.push_back(time.low);
    lane.end.push_back(time.high);
    lane.kind.push_back(kind);
    lane.label.push_back(label);
    lane.critical.push_back(0);
}

StepCurve sampleMemoryCurve(const SpanLane& lane) {
    StepCurve curve{.name = "memory, stage 0", .limit = 74.5 * kGiB};
    double bytes = 24.0 * kGiB;
    for (std::size_t span = 0; span < lane.size(); ++span) {
        bytes += (lane.kind[span] == 0 ? 3.0 : lane.kind[span] == 1 ? -3.0 : 0.0) * kGiB;
        curve.times.push_back(lane.start[span]);
        curve.bytes.push_back(std::max(bytes, 24.0 * kGiB));
    }
    return curve;
}

/// Stage `stage` of a 1F1B pipeline: warm-up forwards, then one forward and one backward in turn.
void fillStage(TimelineValues& values, std::size_t stage, std::size_t stages, std::size_t count) {
    constexpr double kForward = 11e-3;
    constexpr double kBackward = 22e-3;
    SpanLane& lane = values.lanes[stage];
    const std::size_t warmup = std::min(stages - stage, count);
    double now = static_cast<double>(stage) * kForward;
    const auto add = [&](double length, std::uint8_t kind, std::size_t micro) {
        addSpan(lane, {now, now + length}, kind, static_cast<std::uint32_t>(2 * micro + kind));
        lane.critical.back() = stage == 0 || kind == 1 ? 1 : 0;
        now += length;
    };
    for (std::size_t micro = 0; micro < warmup; ++micro) {
        add(kForward, 0, micro);
    }
    now = static_cast<double>(stages) * kForward +
          static_cast<double>(stages - 1 - stage) * kBackward;
    for (std::size_t micro = 0; micro < count; ++micro) {
        add(kBackward, 1, micro);
        if (micro + warmup < count) {
            add(kForward, 0, micro + warmup);
        }
    }
    addSpan(lane, {now, now + 30e-3}, 2, static_cast<std::uint32_t>(2 * count));
    addSpan(lane, {now + 30e-3, now + 42e-3}, 3, static_cast<std::uint32_t>(2 * count + 1));
}

}  // namespace

TimelineValues sampleTimeline(std::size_t stages, std::size_t microBatches) {
    TimelineValues values{.title = "One step, simulated",
                          .kinds = {"forward", "backward", "gradient reduction", "optimizer"}};
    for (std::size_t micro = 0; micro < microBatches; ++micro) {
        values.labels.push_back("F" + std::to_string(micro));
        values.labels.push_back("B" + std::to_string(micro));
    }
    values.labels.push_back("reduce-scatter");
    values.labels.push_back("Adam");
    values.lanes.resize(stages);
    for (std::size_t stage = 0; stage < stages; ++stage) {
        values.lanes[stage].name = "stage " + std::to_string(stage);
        fillStage(values, stage, stages, microBatches);
    }
    for (std::size_t stage = 0; stage + 1 < stages; ++stage) {
        const SpanLane& from = values.lanes[stage];
        const SpanLane& to = values.lanes[stage + 1];
        values.arrows.push_back({.fromLane = static_cast<std::uint32_t>(stage),
                                 .fromTime = from.end.front(),
                                 .toLane = static_cast<std::uint32_t>(stage + 1),
                                 .toTime = to.start.front(),
                                 .critical = stage == 0});
    }
    if (stages > 0) {
        values.curves.push_back(sampleMemoryCurve(values.lanes.front()));
    }
    return values;
}

TornadoValues sampleTornado() {
    return {.title = "What the step time depends on",
            .axis = {.title = "step time", .unit = AxisUnit::Seconds},
            .base = 5.9,
            .rows = {{"memory bandwidth", 6.02, 5.85, "half", "twice"},
                     {"network between nodes", 7.4, 5.31, "half", "twice"},
                     {"arithmetic of the GPU", 9.1, 4.62, "half", "twice"},
                     {"NVLink", 6.6, 5.6, "half", "twice"},
                     {"microbatches per step", 6.3, 6.1, "half", "twice"},
                     {"host memory", 5.9, 5.9, "half", "twice"}}};
}

WaterfallValues sampleWaterfall() {
    return {.title = "From A to B: where the time goes",
            .axis = {.title = "step time", .unit = AxisUnit::Seconds},
            .fromLabel = "A: tp8 pp4 dp16",
            .toLabel = "B: tp4 pp8 dp16",
            .from = 5.9,
            .steps = {{"compute", -0.08},
                      {"tensor parallel communication", -0.62},
                      {"pipeline bubble", 0.41},
                      {"stage transfers", 0.07},
                      {"gradient reduction", -0.02},
                      {"optimizer", -0.11}}};
}

NetworkMapValues sampleNetwork(std::int32_t pods, std::uint32_t nodesPerPod) {
    NetworkMapValues values{.title = "Network: load of the links in a step"};
    constexpr std::uint32_t kRails = 4;
    Dice dice;
    std::uint32_t next = 0;
    std::vector<std::uint32_t> spines;
    for (std::uint32_t spine = 0; spine < 4; ++spine) {
        spines.push_back(next);
        values.boxes.push_back(
            {.id = next++, .level = MapLevel::Spine, .label = "spine " + std::to_string(spine)});
    }
    const auto link = [&](std::uint32_t from, std::uint32_t to, double gbps, double load) {
        values.links.push_back({.id = static_cast<std::uint32_t>(values.links.size()),
                                .from = from,
                                .to = to,
                                .capacity = gbps * 1e9 / 8,
                                .load = load,
                                .note = "data parallel"});
    };
    for (std::int32_t pod = 0; pod < pods; ++pod) {
        const std::uint32_t firstRail = next;
        for (std::uint32_t rail = 0; rail < kRails; ++rail) {
            values.boxes.push_back({.id = next++,
                                    .level = MapLevel::Leaf,
                                    .pod = pod,
                                    .label = "rail " + std::to_string(rail)});
            for (const std::uint32_t spine : spines) {
                link(next - 1, spine, 800, 0.25 + 0.72 * dice.roll());
            }
        }
        for (std::uint32_t node = 0; node < nodesPerPod; ++node) {
            values.boxes.push_back({.id = next++,
                                    .level = MapLevel::Node,
                                    .pod = pod,
                                    .label = "node " + std::to_string(node)});
            for (std::uint32_t rail = 0; rail < kRails; ++rail) {
                link(next - 1, firstRail + rail, 400, 0.5 * dice.roll());
            }
        }
    }
    return values;
}

CurveValues sampleScaling() {
    CurveValues values{
        .title = "Throughput against the number of GPUs",
        .x = {.title = "GPUs", .unit = AxisUnit::Gpus, .scale = AxisScale::Log},
        .y = {.title = "tokens/s", .unit = AxisUnit::Count, .scale = AxisScale::Log}};
    CurveSeries best{.name = "best layout"};
    CurveSeries ideal{.name = "ideal"};
    CurveSeries measured{.name = "published runs", .measured = true};
    for (double gpus = 8; gpus <= 16384; gpus *= 2) {
        const double perfect = gpus * 880.0;
        const double rate = perfect * std::pow(gpus / 8.0, -0.06);
        best.points.push_back({gpus, rate, ValueRange{rate * 0.82, rate * 1.08}});
        ideal.points.push_back({gpus, perfect, std::nullopt});
        if (gpus == 64 || gpus == 1024 || gpus == 4096) {
            measured.points.push_back({gpus, rate * 0.94, std::nullopt});
        }
    }
    values.series = {best, ideal, measured};
    return values;
}

CurveValues sampleBandwidth() {
    CurveValues values{.title = "All-reduce: bus bandwidth against size",
                       .x = {.title = "size", .unit = AxisUnit::Bytes, .scale = AxisScale::Log},
                       .y = {.title = "bus bandwidth", .unit = AxisUnit::BytesPerSecond}};
    for (const auto& [name, peak, latency] : {std::tuple{"8 GPUs, NVLink", 445e9, 22e-6},
                                              std::tuple{"64 GPUs", 190e9, 60e-6},
                                              std::tuple{"512 GPUs", 168e9, 160e-6}}) {
        CurveSeries series{.name = name};
        for (double bytes = 8192; bytes <= 8 * kGiB; bytes *= 4) {
            const double rate = bytes / (latency + bytes / peak);
            series.points.push_back({bytes, rate, ValueRange{rate * 0.9, rate * 1.05}});
        }
        values.series.push_back(series);
    }
    return values;
}

}  // namespace fabricast
