#include "probes/cuda/kernels.h"
#include "probes/cuda/measure_points.h"

namespace fabricast::probe {

namespace {

constexpr int kLaunches = 1000;
constexpr int kGraphNodes = 200;

/// A graph of kernels that do nothing, one after the other.
struct EmptyGraph {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t run = nullptr;

    EmptyGraph() = default;
    EmptyGraph(const EmptyGraph&) = delete;
    EmptyGraph& operator=(const EmptyGraph&) = delete;
    ~EmptyGraph() {
        if (run != nullptr) {
            cudaGraphExecDestroy(run);
        }
        if (graph != nullptr) {
            cudaGraphDestroy(graph);
        }
    }
    Done make(cudaStream_t stream) {
        Done done =
            cudaDone(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "a graph");
        for (int node = 0; done && node < kGraphNodes; ++node) {
            launchNothing(stream);
        }
        done = done ? cudaDone(cudaStreamEndCapture(stream, &graph), "a graph") : done;
        return done ? cudaDone(cudaGraphInstantiateWithFlags(&run, graph, 0), "a graph") : done;
    }
};

/// From the call to the end of the kernel, by the host's clock.
Answer<double> onceAlone(cudaStream_t stream) {
    const double begin = secondsNow();
    launchNothing(stream);
    const Done done = cudaDone(cudaStreamSynchronize(stream), "an empty kernel");
    return done ? Answer<double>(secondsNow() - begin) : done.trouble();
}

/// Seconds that the host is busy with each of many launches.
Answer<double> enqueueSeconds(GpuTimer& timer) {
    const double begin = secondsNow();
    for (int launch = 0; launch < kLaunches; ++launch) {
        launchNothing(timer.stream());
    }
    const double passed = secondsNow() - begin;
    const Done done = timer.wait("empty kernels");
    return done ? Answer<double>(passed / kLaunches) : done.trouble();
}

/// As many kernels as one call of the sampled work starts.
Done sampleLaunches(GpuBench& bench, Measurement& into, const EmptyGraph* graph) {
    return bench.timer.sample(
        bench.rule,
        [&](cudaStream_t stream, std::size_t) {
            if (graph != nullptr) {
                return cudaDone(cudaGraphLaunch(graph->run, stream), "a graph");
            }
            launchNothing(stream);
            return cudaDone(cudaGetLastError(), "an empty kernel");
        },
        into);
}

}  // namespace

Done checkLaunch(const Point& point) {
    const Done known = onlySettings(point);
    const Answer<std::string> kind = choiceOf(point, "kind", {"stream", "graph", "latency"});
    return !known || kind ? known : Done(kind.trouble());
}

Answer<Measurement> measureLaunch(GpuBench& bench, const Point& point) {
    const Answer<std::string> kind = choiceOf(point, "kind", {"stream", "graph", "latency"});
    if (!kind) {
        return kind.trouble();
    }
    Measurement measurement;
    measurement.point = point;
    if (*kind == "latency") {
        constexpr int kWarmUps = 20;
        Answer<std::vector<double>> samples =
            sampled(bench.rule, kWarmUps, [&] { return onceAlone(bench.timer.stream()); });
        if (!samples) {
            return samples.trouble();
        }
        measurement.samples = std::move(*samples);
        return measurement;
    }
    EmptyGraph graph;
    const bool isGraph = *kind == "graph";
    const Done made = isGraph ? graph.make(bench.timer.stream()) : Done(std::monostate());
    const Done done = made ? sampleLaunches(bench, measurement, isGraph ? &graph : nullptr) : made;
    const Answer<double> enqueue = done ? enqueueSeconds(bench.timer) : done.trouble();
    if (!enqueue) {
        return enqueue.trouble();
    }
    if (isGraph) {
        for (double& sample : measurement.samples) {
            sample /= kGraphNodes;
        }
    } else {
        measurement.facts["enqueue_s"] = *enqueue;
    }
    return measurement;
}

}  // namespace fabricast::probe
