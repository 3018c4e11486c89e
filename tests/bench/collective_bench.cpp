#include "planner/comm/collective_curve.h"
#include "planner/profiles/profile_store.h"

#include <benchmark/benchmark.h>

#include <cstdint>

namespace fabricast {
namespace {

struct Machine {
    ClusterSpec cluster = *ProfileStore::builtIn().cluster("dgx-h100");
    NcclModel model = *ProfileStore::builtIn().ncclModel("nccl");
    ClusterLinks links = *clusterLinks(cluster, model);
    MeasuredPlace place = placeOf(cluster, links);
    CorrectionTable corrections =
        correctionTable(*ProfileStore::builtIn().measuredCollectives(), model);
};

const Machine& h100() {
    static const Machine machine;
    return machine;
}

/// From a layout's axes to seconds, nothing remembered.
void collectiveFromLayout(benchmark::State& state) {
    const Machine& on = h100();
    Layout layout{.dp = 128, .tp = 8, .pp = 16};
    std::int64_t bytes = 1 << 20;
    for (auto _ : state) {
        bytes = bytes * 3 % 1'000'000'007 + 1;
        const GroupShape shape = groupShape(layout, {}, GroupKind::DataContext, on.links);
        benchmark::DoNotOptimize(
            collectiveTime(CollectiveKind::AllReduce, Bytes(bytes), shape, on.links, on.model));
    }
    state.SetItemsProcessed(state.iterations());
    state.SetLabel("target: 1 M/s");
}
BENCHMARK(collectiveFromLayout);

/// A curve made before: what a search asks.
void collectiveFromCurve(benchmark::State& state) {
    const Machine& on = h100();
    const CollectiveSetting setting{on.links, on.model, on.place, on.corrections};
    const CollectiveCurve curve(CollectiveKind::AllReduce, wholeNodes(64, on.links), setting);
    std::int64_t bytes = 1 << 20;
    for (auto _ : state) {
        bytes = (bytes * 5 + 1) & ((std::int64_t{1} << 33) - 1);
        benchmark::DoNotOptimize(curve.seconds(Bytes(bytes)));
    }
    state.SetItemsProcessed(state.iterations());
    state.SetLabel("target: 20 M/s");
}
BENCHMARK(collectiveFromCurve);

void makeCurve(benchmark::State& state) {
    const Machine& on = h100();
    const CollectiveSetting setting{on.links, on.model, on.place, on.corrections};
    const GroupShape shape = wholeNodes(64, on.links);
    for (auto _ : state) {
        benchmark::DoNotOptimize(CollectiveCurve(CollectiveKind::AllReduce, shape, setting));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(makeCurve);

}  // namespace
}  // namespace fabricast
