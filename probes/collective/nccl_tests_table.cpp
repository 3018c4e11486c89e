#include "probes/collective/nccl_tests_table.h"

#include <array>
#include <cstdarg>
#include <cstdio>

namespace fabricast::probe {

namespace {

__attribute__((format(printf, 1, 2))) std::string printed(const char* format, ...) {
    std::array<char, 512> text{};
    va_list arguments;
    va_start(arguments, format);
    (void)std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    return text.data();
}

/// As nccl-tests prints microseconds: seven columns whatever the size.
std::string timeText(double microseconds) {
    return microseconds >= 10000.0 ? printed("%7.0f", microseconds)
           : microseconds >= 100.0 ? printed("%7.1f", microseconds)
                                   : printed("%7.2f", microseconds);
}

double factOr(const Measurement& measurement, const std::string& name, double otherwise) {
    const auto found = measurement.facts.find(name);
    return found == measurement.facts.end() ? otherwise : found->second;
}

/// "time algbw busbw #wrong" of one half of a row.
std::string halfOfRow(double seconds, double bytes, double factor, const std::string& wrong) {
    if (seconds <= 0.0) {
        return printed("  %7s  %6s  %6s  %5s", "N/A", "N/A", "N/A", "N/A");
    }
    const double rate = bytes / seconds / 1e9;
    return "  " + timeText(seconds * 1e6) +
           printed("  %6.2f  %6.2f  %5s", rate, rate * factor, wrong.c_str());
}

std::string wrongText(const Measurement& measurement, const char* fact) {
    const auto found = measurement.facts.find(fact);
    return found == measurement.facts.end() ? "N/A" : printed("%g", found->second);
}

std::string redopOf(const CollectiveTask& task) {
    return isReduction(task.call) ? "sum" : "none";
}

int rootOf(const CollectiveTask& task) {
    return task.call == GroupCall::Broadcast ? 0 : -1;
}

std::string programOf(GroupCall call) {
    return call == GroupCall::AllToAll   ? "alltoall_perf"
           : call == GroupCall::SendRecv ? "sendrecv_perf"
                                         : std::string(nameOf(call)) + "_perf";
}

/// "#  Rank  0 Group  0 Pid   4711 on     node01 device  0 [0000:18:00] NVIDIA H100".
std::string deviceLine(const RankDevice& one) {
    return printed("#  Rank %2d Group  0 Pid %6lld on %10s device %2d [%s] %s",
                   one.rank,
                   static_cast<long long>(one.pid),
                   one.host.c_str(),
                   one.device,
                   one.bus.c_str(),
                   one.name.c_str());
}

}  // namespace

std::string NcclTestsTable::head(const NcclTestsRun& run, const CollectiveTask& task) {
    std::string text;
    if (shown_.empty()) {
        text += printed("# nccl-tests version fabricast nccl-headers=%s nccl-library=%s\n",
                        run.ncclVersion.c_str(),
                        run.ncclVersion.c_str());
    }
    text += "# Collective test starting: " + programOf(task.call) + "\n";
    text += printed(
        "# nThread 1 nGpus 1 minBytes %lld maxBytes %lld step: %lld(%s) warmup iters: %d iters: %d "
        "agg iters: 1 validation: %d graph: 0\n",
        static_cast<long long>(run.least),
        static_cast<long long>(run.most),
        static_cast<long long>(run.flags.factor > 1 ? run.flags.factor : run.flags.step),
        run.flags.factor > 1 ? "factor" : "bytes",
        run.flags.warmUps,
        run.flags.iterations,
        run.flags.check ? 1 : 0);
    text += printed("# Group of %d ranks, %d apart, over %d nodes\n#\n",
                    task.shape.ranks,
                    task.shape.stride,
                    task.nodes);
    if (shown_.empty()) {
        text += "# Using devices\n";
        for (const RankDevice& device : run.devices) {
            text += deviceLine(device) + "\n";
        }
        text += "#\n";
    }
    text += printed("# %53s %30s\n", "out-of-place", "in-place");
    text += printed("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s %6s  %7s  %6s  %6s %6s\n",
                    "size",
                    "count",
                    "type",
                    "redop",
                    "root",
                    "time",
                    "algbw",
                    "busbw",
                    "#wrong",
                    "time",
                    "algbw",
                    "busbw",
                    "#wrong");
    text += printed("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %5s  %7s  %6s  %6s  %5s\n",
                    "(B)",
                    "(elements)",
                    "",
                    "",
                    "",
                    "(us)",
                    "(GB/s)",
                    "(GB/s)",
                    "",
                    "(us)",
                    "(GB/s)",
                    "(GB/s)",
                    "");
    return text;
}

std::string NcclTestsTable::row(const NcclTestsRun& run, const Measurement& measurement) {
    const Answer<CollectiveTask> task = taskOf(measurement.point);
    if (!task || measurement.samples.empty()) {
        return "# " + lineOf(measurement);
    }
    const std::string shape = measurement.point.what + " " + std::to_string(task->shape.ranks) +
                              " " + std::to_string(task->shape.stride);
    std::string text = shape != shown_ ? head(run, *task) : "";
    shown_ = shape;
    const CollectiveCounts counts = countsOf(*task);
    const double factor = busFactor(task->call, task->shape.ranks);
    const auto bytes = static_cast<double>(counts.bytes);
    for (const char* wall : {"wall", "in_place_wall"}) {
        const double seconds = factOr(measurement, wall, 0.0);
        busSum_ += seconds > 0.0 ? bytes / seconds / 1e9 * factor : 0.0;
        busCount_ += seconds > 0.0 ? 1 : 0;
    }
    wrong_ += factOr(measurement, "wrong", 0.0);
    text += printed("%12lld  %12lld  %8s  %6s  %6d",
                    static_cast<long long>(counts.bytes),
                    static_cast<long long>(counts.count),
                    std::string(task->type.name).c_str(),
                    redopOf(*task).c_str(),
                    rootOf(*task));
    text += halfOfRow(factOr(measurement, "wall", 0.0),
                      bytes,
                      factor,
                      wrongText(measurement, "out_of_place_wrong"));
    text += halfOfRow(factOr(measurement, "in_place_wall", 0.0),
                      bytes,
                      factor,
                      wrongText(measurement, "in_place_wrong"));
    return text;
}

std::string NcclTestsTable::foot() const {
    if (busCount_ == 0) {
        return "";
    }
    return printed("# Out of bounds values : %g %s\n", wrong_, wrong_ == 0.0 ? "OK" : "FAILED") +
           printed("# Avg bus bandwidth    : %g \n#\n", busSum_ / busCount_);
}

}  // namespace fabricast::probe
