#include "probes/nccl/nccl_program.h"

#include "planner/output/replace_file.h"
#include "probes/launch/launchers.h"
#include "probes/nccl/guarded.h"
#include "probes/nccl/nccl_calls.h"
#include "probes/nccl/nccl_flags.h"
#include "probes/nccl/rank_gpu.h"
#include "probes/record/utc_now.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace fabricast::probe {

namespace {

std::string versionLines() {
    int runtime = 0;
    const bool known = cudaRuntimeGetVersion(&runtime) == cudaSuccess;
    return "fabricast-probe-nccl 0.1.0\nCUDA runtime " +
           (known ? runtimeVersionText(runtime) : std::string("unknown")) + ", built with " +
           runtimeVersionText(CUDART_VERSION) + "\nNCCL " + ncclVersionText(ncclLibraryVersion()) +
           ", built with " + ncclVersionText(NCCL_VERSION_CODE) + "\n";
}

Done checkPoint(const Point& point) {
    if (point.what == "footprint") {
        static const std::set<std::string> kKnown = {"nccl_init", "nccl_first_call", "nccl_split"};
        const std::string of = wordOr(point, "of", "");
        return kKnown.contains(of)
                   ? Done(std::monostate())
                   : Trouble{"of= is none of nccl_init, nccl_first_call, nccl_split"};
    }
    const Answer<CollectiveTask> task = taskOf(point);
    return task ? Done(std::monostate()) : task.trouble();
}

/// A stranger has the two minutes of a rendezvous, in which rank 0 hears some million calls: of
/// eight letters that are drawn there are more than 10^11.
Done checkToken(const std::string& token) {
    constexpr std::size_t kFewestLetters = 8;
    constexpr std::size_t kMostLetters = 4096;
    const std::string how =
        ": give all ranks the same secret, so that nobody else can join, for example with export "
        "FABRICAST_PROBE_TOKEN=$(od -An -N16 -tx8 /dev/urandom | tr -d ' ') before they are "
        "started";
    if (token.empty()) {
        return Trouble{"FABRICAST_PROBE_TOKEN is not set" + how};
    }
    if (token.size() > kMostLetters) {
        return Trouble{"FABRICAST_PROBE_TOKEN has " + std::to_string(token.size()) +
                       " characters; " + std::to_string(kMostLetters) + " are the most"};
    }
    const std::set<char> different(token.begin(), token.end());
    if (token.size() < kFewestLetters || different.size() < 3) {
        return Trouble{"FABRICAST_PROBE_TOKEN has fewer than " + std::to_string(kFewestLetters) +
                       " characters or repeats one, and could be guessed" + how};
    }
    return std::monostate();
}

}  // namespace

Answer<std::vector<Point>> NcclProgram::suite(const std::string& name) {
    const Answer<Place> here = place();
    if (!here) {
        return here.trouble();
    }
    // Where no launcher has said it, the ranks have once they have met.
    std::vector<std::string> hosts;
    for (std::size_t at = 0; channel_ && at < channel_->members().size(); ++at) {
        hosts.push_back(channel_->members()[at].host);
    }
    const int perNode = here->localSize.value_or(hosts.empty() ? here->world : ranksPerHost(hosts));
    Answer<std::vector<Point>> points = flags_.sweep.asked()
                                            ? sweepPoints(flags_.sweep, here->world, perNode)
                                            : collectiveSuite(name, here->world, perNode);
    for (std::size_t at = 0; points && at < points->size(); ++at) {
        const Answer<CollectiveTask> task = taskOf((*points)[at]);
        if (task) {
            run_.least = run_.least == 0 ? task->bytes : std::min(run_.least, task->bytes);
            run_.most = std::max(run_.most, task->bytes);
        }
    }
    return points;
}

Answer<std::string> NcclProgram::doctor() const {
    const Answer<int> gpus = countGpus();
    const Answer<Place> here = place();
    if (!gpus || !here) {
        return gpus ? here.trouble() : gpus.trouble();
    }
    std::string text = versionLines() + "GPUs here: " + std::to_string(*gpus) + "\n";
    text += "started by " + here->launcher + ": rank " + std::to_string(here->rank) + " of " +
            std::to_string(here->world);
    text += here->host.empty()
                ? "\n"
                : ", rank 0 at " + here->host + ":" + std::to_string(here->port) + "\n";
    return text;
}

Done NcclProgram::ready() const {
    const Answer<Place> here = place();
    if (!here) {
        return here.trouble();
    }
    return here->world > 1 ? checkToken(flags_.token) : Done(std::monostate());
}

Done NcclProgram::open() {
    const Answer<Place> here = place();
    if (!here) {
        return here.trouble();
    }
    const Answer<int> gpus = countGpus();
    if (!gpus && here->world == 1) {
        return gpus.trouble();
    }
    if (flags_.shareGpu) {
        setSharedGpuEnvironment(here->rank);
    }
    RendezvousRules rules{.version = "NCCL " + ncclVersionText(ncclLibraryVersion()),
                          .token = flags_.token,
                          .seconds = flags_.joinSeconds};
    // Tests on one machine stand for several hosts with it.
    rules.host = variableOf(environment_, "FABRICAST_PROBE_HOST");
    Answer<Rendezvous> rendezvous = meet(*here, rules);
    if (!rendezvous) {
        return rendezvous.trouble();
    }
    channel_ = std::make_unique<ControlChannel>(std::move(*rendezvous), here->rank, flags_.silence);
    Done opened = openBench();
    if (!opened) {
        endWithin(10, kEnvironment);
    }
    return opened;
}

Done NcclProgram::openBench() {
    Answer<std::vector<RankDevice>> devices = takeGpus(*channel_, flags_.shareGpu);
    if (!devices) {
        return devices.trouble();
    }
    run_.devices = std::move(*devices);
    run_.flags = flags_.sweep;
    run_.ncclVersion = std::to_string(ncclLibraryVersion());
    // Who is alive but gets nowhere for twice as long hangs.
    Answer<NcclBench> bench = NcclBench::make(*channel_, flags_.sweep, 2.0 * flags_.silence);
    if (!bench) {
        return bench.trouble();
    }
    bench_ = std::make_unique<NcclBench>(std::move(*bench));
    return std::monostate();
}

JsonLine NcclProgram::identity() const {
    int driver = 0;
    int runtime = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    std::set<std::string> hosts;
    for (const Member& member : channel_->members()) {
        hosts.insert(member.host);
    }
    JsonLine identity;
    identity.add("gpu", run_.devices.front().name)
        .add("nccl", ncclVersionText(ncclLibraryVersion()))
        .add("cuda", runtimeVersionText(runtime))
        .add("driver", runtimeVersionText(driver))
        .add("ranks", channel_->world())
        .add("nodes", hosts.size());
    // With a plugin NCCL may choose otherwise.
    const std::string tuner = variableOf(environment_, "NCCL_TUNER_PLUGIN");
    if (!tuner.empty()) {
        identity.add("tuner_plugin", tuner);
    }
    return flags_.shareGpu ? identity.add("shared_gpu", "yes") : identity;
}

Answer<Measurement> NcclProgram::measure(const Point& point) {
    Answer<Measurement> measurement = bench_->measure(point);
    if (measurement && flags_.shareGpu && measurement->refused.empty()) {
        measurement->words["shared_gpu"] = "yes";
    }
    return measurement;
}

Answer<Measurement> NcclProgram::lead(const Point& point) {
    Answer<Measurement> measurement =
        leadPoint(*channel_, point, [this](const Point& one) { return measure(one); });
    if (measurement && !flags_.json.empty()) {
        measured_.push_back(*measurement);
        const std::string trouble =
            replaceFile(flags_.json, ncclTestsJson(run_, measured_, arguments_, utcNow()));
        if (!trouble.empty()) {
            return Trouble{flags_.json + ": " + trouble};
        }
    }
    return measurement;
}

Done NcclProgram::follow() {
    Done followed = followPoints(*channel_, [this](const Point& point) { return measure(point); });
    failed_ = !followed;
    endWhereStopped(*channel_);
    return followed;
}

void NcclProgram::close() {
    if (!failed_ && channel_->rank() == 0) {
        endPoints(*channel_);
        std::fputs(table_.foot().c_str(), stdout);
        std::fflush(stdout);
    }
    if (failed_ || !bench_->close()) {
        // A GPU that does not answer must not keep the process.
        endWithin(10, kEnvironment);
        return;
    }
    channel_->leave();
}

ProbeProgram NcclProgram::program(std::span<const char* const> arguments) {
    arguments_.assign(arguments.begin(), arguments.end());
    flags_.token = variableOf(environment_, "FABRICAST_PROBE_TOKEN");
    return {.name = "fabricast-probe-nccl",
            .purpose = "how long NCCL's collectives take, and whether they are right",
            .moreHelp = ncclHelp(),
            .versions = versionLines,
            .doctor = [this] { return doctor(); },
            .suite = [this](const std::string& name) { return suite(name); },
            .check = checkPoint,
            .flag = [this](const std::string& flag,
                           const std::string& value) { return takeNcclFlag(flag, value, flags_); },
            .ready = [this] { return ready(); },
            .open = [this] { return open(); },
            .identity = [this] { return identity(); },
            .measure = [this](const Point& point) { return lead(point); },
            .endsInMidPoint = true,
            .leavesPoint = [this] { channel_->leaveInMidStep(); },
            .close = [this] { close(); },
            .row = [this](const Measurement& one) { return table_.row(run_, one); },
            .speaks = [this] { return channel_->rank() == 0; },
            .follow = [this] { return follow(); },
            .failed =
                [this](const std::string& why) {
                    failed_ = true;
                    (void)channel_->fail(why);
                }};
}

}  // namespace fabricast::probe
