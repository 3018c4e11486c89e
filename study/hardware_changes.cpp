#include "planner/base/quantity_text.h"
#include "planner/load/load_question.h"
#include "planner/text/json_builder.h"
#include "planner/text/json_document.h"
#include "study/change_offers.h"

#include <map>
#include <utility>

namespace fabricast::offers {

namespace {

double peakOf(const GpuSpec& gpu) {
    const auto peak = gpu.densePeak.find("bf16");
    return peak == gpu.densePeak.end() || !peak->second.value ? 0.0 : peak->second.value->count();
}

double gpuMemory(const GpuSpec& gpu) {
    return gpu.capacity().value ? static_cast<double>(gpu.capacity().value->count()) : 0.0;
}

Edit nodes(std::int64_t count) {
    return {"cluster.nodes", std::to_string(count), "-n"};
}

/// So many times the hardware: of GPUs that are asked for by their number, which may be a part of a
/// node, so many times that number.
Edit timesAll(const ChangeSubject& subject, std::int64_t factor) {
    const ClusterSpec& now = subject.now.cluster;
    return says(subject.question, "cluster.gpus")
               ? Edit{"cluster.gpus", std::to_string(now.gpus() * factor), "--gpus"}
               : nodes(now.nodes * factor);
}

/// Not somebody's own machine.
bool isSold(const ProfileFile& file) {
    const Result<JsonValue> root = parseJson(file.text, file.source);
    const JsonValue* sold = root ? root->find("sold") : nullptr;
    return sold == nullptr || sold->boolean().value_or(true);
}

/// Another kind of node stands where these do.
void keepSites(const SitesSpec& sites, Edits& edits) {
    if (sites.count > 1) {
        edits.push_back({"cluster.sites", std::to_string(sites.count), "--sites"});
        edits.push_back({"cluster.wan", shortText(sites.rate), "--wan"});
        edits.push_back({"cluster.wan_latency", shortText(sites.latency), "--wan-latency"});
    }
}

/// The prices that other GPUs have where one was given for these, which is none of theirs; empty:
/// none was given.
std::string pricesOfOthers(const ChangeSubject& subject) {
    const Question& question = subject.question;
    const Result<BudgetFacts> said = loadBudget(question.root, *subject.profiles, question.folders);
    if (!said || !said->perGpuHour) {
        return {};
    }
    const JsonValue open = JsonBuilder::without(question.root, "price");
    const Result<BudgetFacts> usual = loadBudget(open, *subject.profiles, question.folders);
    return usual ? usual->price.name : std::string();
}

/// So many times what a node has of one kind, where that is known.
void moreOfNode(const Sourced<Bytes>& there,
                const std::string& path,
                const std::string& flag,
                Offers& offers) {
    if (!there.value) {
        return;
    }
    constexpr std::int64_t kGB = 1'000'000'000;
    for (const std::int64_t factor : {2, 4}) {
        const std::int64_t wanted = (factor * there.value->count() + kGB - 1) / kGB;
        offers.add({{path, std::to_string(wanted) + "GB", flag}}, static_cast<int>(factor)).times =
            factor;
    }
}

}  // namespace

/// As many GPUs of each better kind, the nearest first.
void otherGpus(const ChangeSubject& subject, Offers& offers) {
    constexpr int kMost = 4;
    const ClusterSpec& now = subject.now.cluster;
    std::map<std::pair<double, std::string>, std::string> better;  // by peak and GPU
    for (const ProfileFile& file : subject.profiles->files(ProfileKind::Cluster)) {
        const auto cluster = subject.profiles->cluster(file.name);
        if (!cluster || cluster->node.gpus != now.node.gpus || !cluster->node.gpu.kernels ||
            !isSold(file)) {
            continue;
        }
        const GpuSpec& gpu = cluster->node.gpu;
        const bool same = gpu.vendor == now.node.gpu.vendor && gpu.name != now.node.gpu.name;
        if (same && peakOf(gpu) >= peakOf(now.node.gpu) &&
            gpuMemory(gpu) >= gpuMemory(now.node.gpu)) {
            better.emplace(std::pair(peakOf(gpu), gpu.name), file.name);
        }
    }
    const std::string prices = better.empty() ? "" : pricesOfOthers(subject);
    int more = 0;
    for (const auto& [key, name] : better) {
        if (more == kMost) {
            break;
        }
        Edits edits = {{"cluster.name", name, "-c"}, nodes(now.nodes)};
        keepSites(now.sites, edits);
        if (!prices.empty()) {
            edits.push_back({"price.profile", prices, "--price"});
        }
        Change& change = offers.add(std::move(edits), more++);
        change.sideEffect += key.second + (prices.empty() ? "" : ", at the prices of " + prices);
    }
}

void moreNodes(const ChangeSubject& subject, Offers& offers) {
    for (const std::int64_t factor : {2, 4, 8}) {
        offers.add({timesAll(subject, factor)}, static_cast<int>(factor)).times = factor;
    }
}

void moreHostMemory(const ChangeSubject& subject, Offers& offers) {
    const NodeSpec& node = subject.now.cluster.node;
    moreOfNode(node.hostMemory, "cluster.host_memory", "--host-memory", offers);
}

/// Where something lies on them.
void moreDrives(const ChangeSubject& subject, Offers& offers) {
    if (usesDrives(subject.now.layout.offload)) {
        moreOfNode(subject.now.cluster.node.nvme, "cluster.nvme", "--nvme", offers);
    }
}

/// More nodes spread the batch over more ranks; where it does not divide over them, microbatches
/// shrink.
void moreRanks(const ChangeSubject& subject, Offers& offers) {
    const Scenario& now = subject.now;
    for (const std::int64_t factor : {2, 4, 8, 16}) {
        const std::int64_t dp = now.layout.dp * factor;
        const std::int64_t perRank = now.workload.globalBatch / dp;
        if (perRank < 1 || now.workload.globalBatch % dp != 0) {
            continue;
        }
        Edits edits = {timesAll(subject, factor)};
        if (perRank % now.layout.microBatch != 0) {
            edits.push_back(layoutKey("micro_batch", perRank));
        }
        if (says(subject.question, "layout.dp")) {
            edits.push_back(layoutKey("dp", dp));
        }
        offers.add(withOpenShards(subject, std::move(edits)), static_cast<int>(factor)).times =
            factor;
    }
}

/// More ranks, where states are spread over them too.
void moreShards(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.layout.shard != Shard::None) {
        moreRanks(subject, offers);
    }
}

/// So many of the nodes, or of the GPUs, as divide the ranks of the batch: the most first.
void fewerRanks(const ChangeSubject& subject, Offers& offers) {
    const Scenario& now = subject.now;
    const bool isOfGpus = says(subject.question, "cluster.gpus");
    const std::int64_t count = isOfGpus ? now.cluster.gpus() : now.cluster.nodes;
    int more = 0;
    for (std::int64_t part = 2; part <= count; ++part) {
        if (count % part != 0 || now.layout.dp % part != 0) {
            continue;
        }
        Edits edits = {isOfGpus ? Edit{"cluster.gpus", std::to_string(count / part), "--gpus"}
                                : nodes(count / part)};
        if (says(subject.question, "layout.dp")) {
            edits.push_back(layoutKey("dp", now.layout.dp / part));
        }
        offers.add(withOpenShards(subject, std::move(edits)), more++);
    }
}

/// Networks of the next speeds, one of each.
void otherFabrics(const ChangeSubject& subject, Offers& offers) {
    const ClusterSpec& now = subject.now.cluster;
    if (now.nodes < 2 || !now.node.nicBandwidth.value) {
        return;
    }
    std::map<double, std::string> faster;
    for (const ProfileFile& file : subject.profiles->files(ProfileKind::Fabric)) {
        const auto fabric = subject.profiles->fabric(file.name);
        if (fabric && !fabric->perNode && fabric->kind == now.fabric.kind &&
            fabric->linkBandwidth.value &&
            *fabric->linkBandwidth.value > *now.node.nicBandwidth.value) {
            faster.emplace(fabric->linkBandwidth.value->count(), file.name);
        }
    }
    int more = 0;
    for (const auto& [rate, name] : faster) {
        offers.add({setting("cluster.fabric", name)}, more++);
    }
}

}  // namespace fabricast::offers
