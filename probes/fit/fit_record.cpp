#include "probes/fit/fit_record.h"

#include "planner/base/quantity_text.h"
#include "planner/evidence/borrow_kernels.h"
#include "planner/profiles/possible_collective.h"
#include "planner/profiles/read_records.h"
#include "probes/fit/collective_points.h"
#include "probes/fit/cpu_fit.h"
#include "probes/fit/fit_demands.h"
#include "probes/fit/fit_kernels.h"
#include "probes/fit/fit_node.h"
#include "probes/fit/fit_runtime.h"
#include "probes/fit/kept_curves.h"
#include "probes/fit/kernel_json.h"
#include "probes/fit/left_out.h"
#include "probes/fit/possible_kernels.h"
#include "probes/fit/record_tables.h"
#include "probes/fit/shown_only.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// A time that has to move further than this, as a part of it, for its curve to rise is no
/// measurement.
constexpr double kMostMoved = 9.0;

/// Operations on fewer bytes than this many caches are served by them in part.
constexpr double kCaches = 2.0;

/// The lines of a report as parts of a sentence: "; node: not fitted".
std::string inOneLine(std::string_view report) {
    std::string text;
    while (!report.empty()) {
        const std::string_view line = report.substr(0, report.find('\n'));
        report.remove_prefix(std::min(line.size() + 1, report.size()));
        const std::size_t begin = line.find_first_not_of(' ');
        text += begin == std::string_view::npos ? "" : "; " + std::string(line.substr(begin));
    }
    return text;
}

bool isFootprint(const RecordedPoint& point) {
    return point.what == "footprint";
}

bool isKernelPoint(const RecordedPoint& point) {
    return !isCollective(point) && !isNodePoint(point) && !isFootprint(point);
}

bool isOfOneRank(const RecordedPoint& point) {
    return isCollective(point) && point.setting("ranks", "") == "1";
}

class RecordFitter {
public:
    RecordFitter(const ProfileStore& store,
                 const MergedMeasurements& record,
                 const RecordFitOptions& options)
        : store_(store), record_(record), options_(options) {}

    [[nodiscard]] Result<void> checkMachine() const {
        if (options_.machine.empty() || std::ranges::none_of(record_.points, &isCollective)) {
            return {};
        }
        FABRICAST_TRY(collectiveMachine());
        return {};
    }

    Result<FittedRecord> run() && {
        FABRICAST_TRY(fitKernelPoints());
        FABRICAST_TRY(fitCollectives());
        FABRICAST_TRY(fitNodePoints());
        FABRICAST_TRY(fitFootprints());
        result_.report += shownOnlyText(record_.points);
        if (result_.files.empty()) {
            return fail(Error::Code::BadInput,
                        record_.sittings.empty() ? "" : record_.sittings.front().source,
                        "nothing in it can be fitted" + inOneLine(result_.report),
                        whatWouldFit());
        }
        return std::move(result_);
    }

private:
    void say(const std::string& line) { result_.report += line + "\n"; }
    void sayAll(const std::vector<std::string>& lines) { result_.report += leftOutText(lines); }

    void sayNumbers(const std::string& profile, const std::vector<NumberChange>& changes) {
        result_.report += changes.empty() ? "" : changeTable(changes);
        for (const NumberChange& change : changes) {
            result_.numbers.push_back({profile, change});
        }
    }

    [[nodiscard]] std::string whatWouldFit() const {
        if (record_.points.empty()) {
            return "a record with points: the probe goes on with one that it began";
        }
        if (std::ranges::all_of(record_.points, &isOfOneRank)) {
            return "a record of two ranks or more: one alone has nobody to send to";
        }
        return isOtherHost_ ? "--machine and the node or cluster profile of that host"
               : options_.machine.empty()
                   ? "--machine and the node or cluster profile that was measured"
                   : "where points are too few: --suite full";
    }

    /// A file of that name among the user's profiles would be read in place of a built-in one.
    [[nodiscard]] Result<void> checkName(const std::string& name) const {
        const Result<ProfileFile> known = store_.find(ProfileKind::Collective, name);
        return !known || known->isOwn() ? Result<void>()
                                        : fail(Error::Code::BadInput,
                                               "--name",
                                               "\"" + options_.name + "\" makes " + name +
                                                   ", which is built in and would be hidden",
                                               "--name our-" + options_.name);
    }

    /// The machine, on which the collectives can have been measured.
    [[nodiscard]] Result<ClusterSpec> collectiveMachine() const {
        FABRICAST_ASSIGN(ClusterSpec machine, store_.cluster(options_.machine, "--machine"));
        FABRICAST_ASSIGN(const std::optional<GpuSpec> gpu, gpuOf(store_, record_, options_.gpu));
        FABRICAST_TRY(
            checkGpuOf(machine, gpu, saidOf(record_, "gpu"), !options_.gpu.empty(), gpuSaidAt()));
        FABRICAST_TRY(checkPossible(machine));
        return machine;
    }

    Result<void> fitCollectives() {
        FABRICAST_ASSIGN(CollectivePoints points, collectivePoints(record_.points));
        if (points.curves.empty() && points.leftOut.empty()) {
            return {};
        }
        say("collectives: " + std::to_string(points.used) + " points, " +
            std::to_string(points.curves.size()) + " curves");
        sayAll(points.leftOut);
        if (points.curves.empty()) {
            return {};
        }
        if (points.mostMoved > kMostMoved) {
            return fail(Error::Code::BadInput,
                        record_.sittings.empty() ? "" : record_.sittings.front().source,
                        "times of a collective fall more than tenfold with size: a damaged record, "
                        "or a machine that did other work",
                        "measure those sizes again, without their lines in the record");
        }
        if (options_.machine.empty()) {
            return fail(Error::Code::BadInput,
                        "--machine",
                        "is missing: collectives were measured, and the record does not say on "
                        "which cluster or node profile",
                        "--machine and the node or cluster profile that was measured");
        }
        FABRICAST_ASSIGN(const ClusterSpec machine, collectiveMachine());
        result_.machine = machine.name;
        const MergedMeasurements sittings = sittingsOf(record_, &isCollective);
        const std::string nccl = saidOf(record_, "nccl");
        const std::string name = "measured-" + options_.name;
        FABRICAST_TRY(checkName(name));
        const KeptCurves kept = addKeptCurves(store_, name, machine.name, points);
        if (kept.count > 0) {
            say("  not measured, as before: " + std::to_string(kept.count) +
                (kept.count == 1 ? " curve" : " curves"));
        }
        result_.files.push_back({"collectives/" + name + ".json",
                                 collectivesJson({.name = name,
                                                  .title = options_.name + ", measured",
                                                  .machine = machine.name,
                                                  .software = nccl.empty() ? "" : "nccl " + nccl,
                                                  .date = dayOf(sittings),
                                                  .begun = beginningOf(sittings),
                                                  .from = originText(sittings),
                                                  .note = kept.from},
                                                 points)});
        if (points.mostMoved > 0) {
            say("  times that fell with size were moved by at most " +
                std::to_string(std::lround(100 * points.mostMoved)) + " %");
        }
        return {};
    }

    [[nodiscard]] std::string gpuSaidAt() const {
        const auto said = std::ranges::find_if(
            record_.sittings, [](const MeasurementRecord& one) { return !one.gpuAt.empty(); });
        return said != record_.sittings.end() ? said->gpuAt
               : record_.sittings.empty()     ? ""
                                              : record_.sittings.front().source;
    }

    [[nodiscard]] Result<void> checkPossible(const ClusterSpec& machine) const {
        const GpuSpec& gpu = machine.node.gpu;
        for (const RecordedPoint& point : record_.points) {
            const std::optional<CollectiveKind> kind = collectiveOf(point);
            if (!kind || !(point.median > 0.0)) {
                continue;
            }
            FABRICAST_ASSIGN(const std::int64_t ranks, wholeSetting(point, "ranks", 1));
            FABRICAST_ASSIGN(const std::int64_t nodes, wholeSetting(point, "nodes", 1));
            FABRICAST_ASSIGN(const std::int64_t bytes, wholeSetting(point, "bytes", 1));
            // Ranks that share a GPU pass nothing over links, and their times are left out.
            const bool isShared = point.word("shared_gpu") == "yes";
            if (!isShared) {
                FABRICAST_TRY(checkRanksOf(machine, ranks, nodes, point.where));
            }
            const TimedCollective timed{
                *kind, ranks, nodes, static_cast<double>(bytes), Seconds(point.median)};
            const std::string slow = tooSlowBecause(timed, gpu);
            const std::string fast = isShared ? "" : tooFastBecause(timed, machine);
            if (!slow.empty()) {
                return fail(Error::Code::BadInput,
                            point.where,
                            "no " + gpu.name + " is so slow: " + slow,
                            "remove the line, or measure again");
            }
            if (!fast.empty()) {
                return fail(Error::Code::BadInput,
                            point.where,
                            "no " + machine.node.name + " is so fast: " + fast,
                            "--machine and the node that was measured, or measure again");
            }
        }
        return {};
    }

    Result<void> fitKernelPoints() {
        // Products on CPUs are no kernels of a GPU.
        if (saidOf(record_, "gpu").empty() && options_.gpu.empty()) {
            return {};
        }
        FABRICAST_ASSIGN(const RecordTables tables, recordTables(record_.points));
        if (tables.used == 0) {
            sayAll(tables.leftOut);
            return {};
        }
        FABRICAST_ASSIGN(const std::optional<GpuSpec> gpu, gpuOf(store_, record_, options_.gpu));
        FABRICAST_TRY(checkKernelsOf(store_, gpu, seenGpu(record_)));
        remarkGpu(*gpu);
        return fitFrom(*gpu, tables);
    }

    Result<void> fitFrom(const GpuSpec& gpu, const RecordTables& tables) {
        const double known =
            gpu.l2Cache.value ? static_cast<double>(gpu.l2Cache.value->count()) : 0.0;
        const double cache = std::max(known, numberSaidOf(record_, "l2_bytes"));
        FABRICAST_TRY(checkPossibleKernels(tables.tables, gpu, numberSaidOf(record_, "l2_bytes")));
        const FitOptions options{.from = originText(sittingsOf(record_, &isKernelPoint)),
                                 .leastMemoryBytes = kCaches * cache,
                                 .scaleFew = true};
        say("kernels of " + gpu.name + ": " + std::to_string(tables.used) + " points" +
            (tables.throttled == 0
                 ? ""
                 : ", " + std::to_string(tables.throttled) + " while the GPU was throttled"));
        sayAll(tables.leftOut);
        const auto fitted = fitKernels(startOf(gpu), tables.tables, options);
        if (!fitted) {
            say(fitted.error().why);
            return {};
        }
        result_.gpu = gpu.name;
        result_.files.push_back(
            {"kernels/" + gpu.name + ".json",
             kernelJson(*fitted, "Kernels of the " + gpu.title + ", measured: " + options_.name)});
        result_.report += fitted->report;
        result_.sections = fitted->sections;
        sayUnmeasured(*fitted, gpu);
        return {};
    }

    /// Whatever the folder holds, so that the same record always gives the same kernels.
    [[nodiscard]] KernelProfile startOf(const GpuSpec& gpu) const {
        const Result<GpuSpec> known =
            options_.beneath != nullptr ? options_.beneath->gpu(gpu.name) : Result<GpuSpec>(gpu);
        return known && known->kernels ? *known->kernels : *gpu.kernels;
    }

    void sayUnmeasured(const FittedKernels& fitted, const GpuSpec& gpu) {
        constexpr std::array<std::string_view, 6> kParts = {
            "gemm", "attention", "backward", "grouped", "memory", "layout"};
        std::string kept;
        for (const std::string_view part : kParts) {
            const auto first = fitted.rows.lower_bound(std::string(part));
            if (first == fitted.rows.end() || !first->first.starts_with(part)) {
                kept += (kept.empty() ? "" : ", ") + std::string(part);
            }
        }
        if (!kept.empty()) {
            say("not measured, as before: " + kept + " (" +
                (gpu.kernels->donor.empty() ? gpu.name : gpu.kernels->donor) + ")");
        }
    }

    /// The machine's node, with the numbers that were measured of it.
    Result<void> fitNodePoints() {
        if (std::ranges::none_of(record_.points, &isNodePoint)) {
            return {};
        }
        if (options_.machine.empty()) {
            say("node: not fitted: --machine says whose copies and memory these are");
            return {};
        }
        FABRICAST_ASSIGN(const ClusterSpec machine, store_.cluster(options_.machine, "--machine"));
        const NodeSpec& node = machine.node;
        FABRICAST_ASSIGN(const std::optional<GpuSpec> gpu, gpuOf(store_, record_, options_.gpu));
        if (gpu && gpu->name != node.gpu.name) {
            say("node " + node.name + ": not fitted: it has " + node.gpu.name + ", and " +
                gpu->name + " was measured");
            return {};
        }
        const FittedNode fitted = fitNode(
            node, record_, originText(sittingsOf(record_, &isNodePoint)), options_.isForced);
        isOtherHost_ = fitted.isOtherHost;
        say("node " + node.name);
        sayNumbers("nodes/" + node.name, fitted.changes);
        sayAll(fitted.leftOut);
        if (std::ranges::find(fitted.numbers, "host_memory_bandwidth", &ProfileNumber::path) !=
            fitted.numbers.end()) {
            remarkHost(node);
        }
        if (!fitted.numbers.empty()) {
            FABRICAST_ASSIGN(const ProfileFile file, store_.find(ProfileKind::Node, node.name));
            FABRICAST_ASSIGN(std::string text, withNumbers(file, fitted.numbers));
            result_.files.push_back({"nodes/" + file.name + ".json", std::move(text)});
            result_.machine = machine.name;
        }
        return {};
    }

    /// A login node that was measured by mistake has another memory.
    void remarkHost(const NodeSpec& node) {
        constexpr double kLeastShare = 0.75;
        constexpr double kMostShare = 1.1;
        const double memory = numberSaidOf(record_, "host.memory");
        const double usual =
            node.hostMemory.value ? static_cast<double>(node.hostMemory.value->count()) : memory;
        if (!(memory > 0.0) || (memory >= kLeastShare * usual && memory <= kMostShare * usual)) {
            return;
        }
        const auto bytes = [](double count) {
            return shortText(Bytes(static_cast<std::int64_t>(std::min(count, 1e18))));
        };
        result_.remarks.push_back("the host that was measured has " + bytes(memory) + " (" +
                                  saidOf(record_, "host.threads") + " CPUs, " +
                                  saidOf(record_, "host.cpu") + "), and " + node.name + " has " +
                                  bytes(usual) + (node.cpu.empty() ? "" : " (" + node.cpu + ")") +
                                  ": its memory's rate is taken for that of " + node.name);
    }

    /// Whoever names the GPU may be right; what is another one's is said.
    void remarkGpu(const GpuSpec& gpu) {
        const SeenGpu seen = seenGpu(record_);
        const std::string unlike = unlikeGpu(gpu, seen);
        const bool isAnother = !seen.name.empty() && !mayBeNamed(gpu, seen.name);
        if (!options_.gpu.empty() && (isAnother || !unlike.empty())) {
            result_.remarks.push_back(
                (seen.name.empty() ? "another GPU" : "\"" + seen.name + "\"") +
                " was measured, and is taken for " + gpu.name + ", as --gpu says" +
                (unlike.empty() ? "" : ": it has " + unlike));
        }
    }

    /// What a process holds of the GPU's memory beside its tensors.
    Result<void> fitFootprints() {
        if (std::ranges::none_of(record_.points, &isFootprint)) {
            return {};
        }
        FABRICAST_ASSIGN(const std::optional<GpuSpec> gpu, gpuOf(store_, record_, options_.gpu));
        if (!gpu) {
            say("memory beside tensors: not fitted: --gpu says whose it is");
            return {};
        }
        FittedRuntime fitted =
            fitRuntime(gpu->runtime, record_.points, originText(sittingsOf(record_, &isFootprint)));
        say("memory beside tensors of " + gpu->name);
        sayNumbers("runtimes/" + gpu->name, fitted.changes);
        sayAll(fitted.leftOut);
        if (!fitted.changes.empty()) {
            fitted.runtime.title = "Memory beside tensors, measured: " + options_.name;
            result_.gpu = gpu->name;
            result_.files.push_back(
                {"runtimes/" + gpu->name + ".json", runtimeJson(fitted.runtime, gpu->name)});
        }
        return {};
    }

    const ProfileStore& store_;
    const MergedMeasurements& record_;
    const RecordFitOptions& options_;
    bool isOtherHost_ = false;
    FittedRecord result_;
};

}  // namespace

Result<void> checkMachineOf(const ProfileStore& store,
                            const MergedMeasurements& record,
                            const RecordFitOptions& options) {
    return RecordFitter(store, record, options).checkMachine();
}

Result<FittedRecord> fitRecord(const ProfileStore& store,
                               const MergedMeasurements& record,
                               const RecordFitOptions& options) {
    FABRICAST_TRY(checkDays(record, options.today, options.now));
    if (saidOf(record, "kind") == "cpu") {
        FABRICAST_ASSIGN(CpuProfile profile, cpuProfile(record, options.name));
        profile.report += shownOnlyText(record.points);
        return FittedRecord{.machine = options.name,
                            .files = std::move(profile.files),
                            .sections = std::move(profile.sections),
                            .report = std::move(profile.report)};
    }
    return RecordFitter(store, record, options).run();
}

}  // namespace fabricast
