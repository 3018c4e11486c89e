// The layout that nccl-tests -J writes.
#include "probes/collective/nccl_tests_table.h"
#include "probes/record/json_line.h"

namespace fabricast::probe {

namespace {

/// nccl-tests writes truth as text.
const char* truth(bool value) {
    return value ? "true" : "false";
}

double factOf(const Measurement& measurement, const std::string& name) {
    const auto found = measurement.facts.find(name);
    return found == measurement.facts.end() ? 0.0 : found->second;
}

JsonLine halfOfJson(double seconds, double bytes, double factor, double wrong) {
    const double rate = bytes / seconds / 1e9;
    return JsonLine()
        .add("time", seconds * 1e6)
        .add("alg_bw", rate)
        .add("bus_bw", rate * factor)
        .add("nwrong", wrong);
}

JsonLine resultOf(const Measurement& measurement,
                  const CollectiveTask& task,
                  const SweepFlags& flags) {
    const CollectiveCounts counts = countsOf(task);
    const double factor = busFactor(task.call, task.shape.ranks);
    const auto bytes = static_cast<double>(counts.bytes);
    JsonLine result;
    result.add("size", counts.bytes)
        .add("count", counts.count)
        .add("type", task.type.name)
        .add("redop", isReduction(task.call) ? "sum" : "none")
        .add("root", task.call == GroupCall::Broadcast ? 0 : -1)
        .add("out_of_place",
             halfOfJson(factOf(measurement, "wall"),
                        bytes,
                        factor,
                        factOf(measurement, "out_of_place_wrong")));
    if (measurement.facts.contains("in_place_wall")) {
        result.add("in_place",
                   halfOfJson(factOf(measurement, "in_place_wall"),
                              bytes,
                              factor,
                              factOf(measurement, "in_place_wrong")));
    }
    return result.add("actual_iterations", flags.iterations)
        .add("collective", measurement.point.what)
        .add("ranks", task.shape.ranks)
        .add("stride", task.shape.stride)
        .add("nodes", task.nodes);
}

std::vector<JsonLine> devicesOf(const NcclTestsRun& run) {
    std::vector<JsonLine> devices;
    for (const RankDevice& one : run.devices) {
        devices.push_back(JsonLine()
                              .add("rank", one.rank)
                              .add("group", 0)
                              .add("pid", one.pid)
                              .add("hostname", one.host)
                              .add("device", one.device)
                              .add("device_hex", one.bus)
                              .add("device_info", one.name));
    }
    return devices;
}

double meanBus(const std::vector<Measurement>& measurements) {
    double sum = 0.0;
    int count = 0;
    for (const Measurement& measurement : measurements) {
        const Answer<CollectiveTask> task = taskOf(measurement.point);
        for (const char* wall : {"wall", "in_place_wall"}) {
            const double seconds = factOf(measurement, wall);
            if (task && seconds > 0.0) {
                sum += static_cast<double>(countsOf(*task).bytes) / seconds / 1e9 *
                       busFactor(task->call, task->shape.ranks);
                ++count;
            }
        }
    }
    return count > 0 ? sum / count : 0.0;
}

JsonLine configOf(const NcclTestsRun& run) {
    JsonLine config;
    config.add("nthreads", 1)
        .add("ngpus", 1)
        .add("minimum_bytes", run.least)
        .add("maximum_bytes", run.most);
    if (run.flags.factor > 1) {
        config.add("step_factor", run.flags.factor);
    } else {
        config.add("step_bytes", run.flags.step);
    }
    return config.add("warmup_iters", run.flags.warmUps)
        .add("iterations", run.flags.iterations)
        .add("aggregated_iterations", 1)
        .add("validation", run.flags.check ? 1 : 0)
        .add("graph", 0)
        .add("blocking_collectives", truth(false))
        .add("per_iter_timing", truth(false));
}

}  // namespace

std::string ncclTestsJson(const NcclTestsRun& run,
                          const std::vector<Measurement>& measurements,
                          const std::vector<std::string>& arguments,
                          const std::string& begun) {
    std::vector<JsonLine> results;
    double wrong = 0.0;
    for (const Measurement& measurement : measurements) {
        const Answer<CollectiveTask> task = taskOf(measurement.point);
        if (task && factOf(measurement, "wall") > 0.0) {
            results.push_back(resultOf(measurement, *task, run.flags));
            wrong += factOf(measurement, "wrong");
        }
    }
    // The environment, which nccl-tests writes too, is nobody's business.
    return JsonLine()
               .add("version", "fabricast")
               .add("start_time", begun)
               .add("args", arguments)
               .add("env", std::vector<std::string>())
               .add("nccl_version", run.ncclVersion)
               .add("config", configOf(run))
               .add("devices", devicesOf(run))
               .add("results", results)
               .add("out_of_bounds",
                    JsonLine().add("count", wrong).add("okay", truth(wrong == 0.0)))
               .add("average_bus_bandwidth",
                    JsonLine().add("bandwidth", meanBus(measurements)).add("okay", truth(true)))
               .text() +
           "\n";
}

}  // namespace fabricast::probe
