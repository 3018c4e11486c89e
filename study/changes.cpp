#include "study/changes.h"

#include "planner/base/integers.h"
#include "planner/base/quantity_text.h"
#include "planner/load/load_search.h"
#include "planner/ops/megatron_vocab.h"
#include "planner/spec/check_fused_loss.h"
#include "planner/spec/names.h"
#include "planner/stack/stack.h"
#include "planner/text/json_document.h"
#include "study/search_request.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

using Edits = std::vector<Edit>;

constexpr std::uint8_t kMemory = static_cast<std::uint8_t>(Aim::Memory);
constexpr std::uint8_t kSpeed = static_cast<std::uint8_t>(Aim::Speed);
constexpr std::uint8_t kTarget = static_cast<std::uint8_t>(Aim::Target);
constexpr std::uint8_t kMore = static_cast<std::uint8_t>(Aim::Buy);

/// Gathers the changes of one row of the catalogue.
class Offers {
public:
    explicit Offers(Change row) : row_(std::move(row)) {}

    /// `more` is the effort beyond that of the row.
    Change& add(Edits edits, int more = 0) {
        Change change = row_;
        change.effort += more;
        change.edits = std::move(edits);
        offered_.push_back(std::move(change));
        return offered_.back();
    }
    std::vector<Change> take() && { return std::move(offered_); }

private:
    Change row_;
    std::vector<Change> offered_;
};

Edit setting(std::string path, std::string value) {
    return {std::move(path), std::move(value), "--set"};
}
Edit layoutKey(std::string_view key, std::string value) {
    return {"layout." + std::string(key), std::move(value), "--layout"};
}
Edit layoutKey(std::string_view key, std::int64_t value) {
    return layoutKey(key, std::to_string(value));
}

bool has(const ChangeSubject& subject, std::string_view stack) {
    return std::ranges::find(subject.stacks, stack) != subject.stacks.end();
}
bool isSearch(const ChangeSubject& subject) {
    return subject.rules != nullptr;
}
bool isMegatron(const ChangeSubject& subject) {
    return isSearch(subject) ? has(subject, "megatron")
                             : subject.now.settings.engine == Engine::Megatron;
}

// ---- Settings that change nothing of the training.

void compile(const ChangeSubject& subject, Offers& offers) {
    const bool isOnlyMegatron = isMegatron(subject) && subject.stacks.size() == 1;
    if (!isOnlyMegatron && !subject.now.settings.kernels.compile) {
        offers.add({setting("settings.kernels.compile", "true")});
    }
}

void overlapReduceAndGather(const ChangeSubject& subject, Offers& offers) {
    if (isMegatron(subject)) {
        offers.add({setting("settings.megatron.overlap_grad_reduce", "true"),
                    setting("settings.megatron.overlap_param_gather", "true")});
    }
}

void overlapGradReduce(const ChangeSubject& subject, Offers& offers) {
    if (isMegatron(subject) && !subject.now.settings.megatron.overlapGradReduce) {
        offers.add({setting("settings.megatron.overlap_grad_reduce", "true")});
    }
}

void overlapParamGather(const ChangeSubject& subject, Offers& offers) {
    if (isMegatron(subject) && !subject.now.settings.megatron.overlapParamGather) {
        offers.add({setting("settings.megatron.overlap_param_gather", "true")});
    }
}

void tensorOverlap(const ChangeSubject& subject, Offers& offers) {
    const Scenario& now = subject.now;
    const bool isUseful =
        isSearch(subject) || (!now.settings.megatron.tensorOverlap && now.layout.tp > 1);
    if (isMegatron(subject) && isUseful) {
        offers.add({setting("settings.megatron.tensor_overlap", "true")});
    }
}

/// Whether experts lie on several ranks; of a search, whether they may.
bool exchangesRows(const ChangeSubject& subject) {
    return subject.now.model.moe && (isSearch(subject) || subject.now.layout.ep > 1);
}

void overlapExperts(const ChangeSubject& subject, Offers& offers) {
    if (isMegatron(subject) && exchangesRows(subject) &&
        (isSearch(subject) || !subject.now.settings.megatron.expertOverlap)) {
        offers.add({setting("settings.megatron.expert_overlap", "true")});
    }
}

/// Whether some of these rows leave their node.
bool sendsRowsBetweenNodes(const ChangeSubject& subject) {
    const ClusterSpec& cluster = subject.now.cluster;
    const Layout& layout = subject.now.layout;
    const std::int64_t joined = std::max(cluster.node.gpus, cluster.node.domainGpus);
    const bool spreads = isSearch(subject) || layout.placement == RankPlacement::PpInside ||
                         layout.ep * std::max<std::int64_t>(1, layout.etp) > joined;
    return cluster.nodes > 1 && spreads && exchangesRows(subject);
}

void sendOncePerNode(const ChangeSubject& subject, Offers& offers) {
    if (sendsRowsBetweenNodes(subject) &&
        (isSearch(subject) || !subject.now.settings.kernels.dispatchOncePerNode)) {
        offers.add({setting("settings.kernels.dispatch_once_per_node", "true")});
    }
}

/// What is outside of the products of tensor parallelism keeps a part of the sequence.
void splitSequence(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.layout.tp > 1 && !subject.now.layout.sp) {
        offers.add({layoutKey("sp", "on")});
    }
}

void chunkedLoss(const ChangeSubject& subject, Offers& offers) {
    const Scenario& now = subject.now;
    const KernelSettings& kernels = now.settings.kernels;
    const std::int64_t tokens = now.layout.microBatch * now.workload.sequence / now.layout.cp;
    const bool isPossible = isSearch(subject) ? has(subject, "torchtitan")
                                              : kernels.code == ModelCode::TorchTitan &&
                                                    kernels.loss != LossKernel::Chunked &&
                                                    tokens % kernels.lossChunks == 0;
    if (isPossible) {
        offers.add({setting("settings.kernels.loss", "chunked")});
    }
}

/// torchtune has models and losses of its own.
bool isOfTune(const Question& question) {
    const JsonValue* const imported = question.root.find("imported");
    const JsonValue* const from = imported == nullptr ? nullptr : imported->find("from");
    return from != nullptr && from->text().value_or("").starts_with("torchtune: ");
}

/// Of transformers' models, by Liger.
void fusedLoss(const ChangeSubject& subject, Offers& offers) {
    constexpr std::array kStacks = {"ddp", "fsdp2", "deepspeed", "accelerate", "axolotl"};
    const bool runs = !isSearch(subject) || std::ranges::any_of(kStacks, [&](const char* stack) {
        return has(subject, stack);
    });
    Scenario fused = subject.now;
    fused.settings.kernels.loss = LossKernel::Liger;
    if (isSearch(subject)) {  // its layouts and code are those of no one stack
        fused.settings.kernels.code = ModelCode::HuggingFace;
        fused.layout = {};
    }
    const bool isNew = subject.now.settings.kernels.loss != LossKernel::Liger;
    if (runs && isNew && !isOfTune(subject.question) && checkFusedLoss(fused)) {
        offers.add({setting("settings.kernels.loss", "liger")});
    }
}

void bucketView(const ChangeSubject& subject, Offers& offers) {
    const Settings& settings = subject.now.settings;
    if (settings.engine == Engine::Ddp && !settings.torch.bucketView) {
        offers.add({setting("settings.torch.bucket_view", "true")});
    }
}

void reduceEveryMicroBatch(const ChangeSubject& subject, Offers& offers) {
    const Scenario& now = subject.now;
    if (now.settings.torch.sync == GradientSync::LastMicroBatch && now.microBatches() > 1) {
        offers.add({setting("settings.torch.sync", "each_micro_batch")});
    }
}

// ---- What a run does beside its steps.

/// Smaller batches are more of them, whose logits are as large together.
void smallerEvaluation(const ChangeSubject& subject, Offers& offers) {
    const PhaseSettings& phases = subject.now.settings.phases;
    for (std::int64_t smaller = phases.evaluationBatch / 2; smaller >= 1; smaller /= 2) {
        std::vector<Edit> edits = {
            setting("settings.phases.evaluation_batch", std::to_string(smaller))};
        if (phases.keptLogits > 0) {
            const std::int64_t kept =
                ceilDivide(phases.keptLogits * phases.evaluationBatch, smaller);
            edits.push_back(setting("settings.phases.kept_logits", std::to_string(kept)));
        }
        offers.add(std::move(edits));
    }
}

void keepNoLogits(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.settings.phases.keptLogits > 0) {
        offers.add({setting("settings.phases.kept_logits", "0")});
    }
}

void loadShards(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.settings.phases.loading == Loading::Gpu) {
        offers.add({setting("settings.phases.loading", "cpu")});
    }
}

void saveUnitByUnit(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.settings.phases.checkpoint == SavedWeights::Full) {
        offers.add({setting("settings.phases.checkpoint", "full_cpu")});
    }
}

// ---- Keys of the layout.

void recomputeSelective(const ChangeSubject& subject, Offers& offers) {
    const Settings& settings = subject.now.settings;
    if (settings.recompute.kind == Checkpointing::None &&
        settings.kernels.code == ModelCode::TorchTitan) {
        offers.add({layoutKey("recompute", "selective")});
    }
}

/// Modules of a layer, those first that cost least for what they free.
void recomputeModules(const ChangeSubject& subject, Offers& offers) {
    if (!isMegatronCode(subject.now) ||
        subject.now.settings.recompute.kind != Checkpointing::None) {
        return;
    }
    int more = 0;
    offers.add({layoutKey("recompute", "core_attn")}, more++);
    offers.add({layoutKey("recompute", subject.now.model.moe ? "moe_act" : "mlp")}, more++);
}

void recomputeFull(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.settings.recompute.kind != Checkpointing::Full) {
        offers.add({layoutKey("recompute", "full")});
    }
}

void recomputeLess(const ChangeSubject& subject, Offers& offers) {
    const Checkpointing kind = subject.now.settings.recompute.kind;
    if (kind != Checkpointing::None) {
        offers.add({layoutKey("recompute", "none")});
    }
    if (kind == Checkpointing::Full) {
        offers.add({layoutKey("recompute", "selective")});
    }
}

void smallerMicroBatch(const ChangeSubject& subject, Offers& offers) {
    const std::int64_t now = subject.now.layout.microBatch;
    for (std::int64_t smaller = now / 2; smaller >= 1; smaller /= 2) {
        if (now % smaller == 0) {
            offers.add({layoutKey("micro_batch", smaller)});
        }
    }
}

void otherMicroBatch(const ChangeSubject& subject, Offers& offers) {
    const std::int64_t now = subject.now.layout.microBatch;
    if (now % 2 == 0) {
        offers.add({layoutKey("micro_batch", now / 2)}).sideEffect = "fewer sequences at once";
    }
    offers.add({layoutKey("micro_batch", now * 2)});
}

/// Other counts of ranks; dp follows from the GPUs.
void otherCounts(const ChangeSubject& subject, Offers& offers) {
    const Layout& layout = subject.now.layout;
    const auto halve = [&offers](const char* key, std::int64_t value) {
        if (value % 2 == 0) {
            offers.add({layoutKey(key, value / 2)});
        }
    };
    const auto twice = [&offers](const char* key, std::int64_t value) {
        offers.add({layoutKey(key, value * 2)});
    };
    halve("tp", layout.tp);
    twice("tp", layout.tp);
    if (layout.pp == 2 && says(subject.question, "layout.schedule")) {
        offers.add({layoutKey("pp", 1), layoutKey("schedule", "null")});
    } else {
        halve("pp", layout.pp);
    }
    twice("pp", layout.pp);
    if (layout.pp > 1) {
        twice("vpp", layout.vpp);
    }
    if (layout.cp > 1) {
        halve("cp", layout.cp);
    }
}

/// The edits, with the size of shard groups open again where the question says it.
Edits withOpenShards(const ChangeSubject& subject, Edits edits) {
    for (const char* const key : {"shard_size", "copies"}) {
        if (says(subject.question, std::string("layout.") + key)) {
            edits.push_back(layoutKey(key, "null"));
        }
    }
    return edits;
}

void shardTwo(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.settings.engine == Engine::DeepSpeed &&
        subject.now.layout.shard < Shard::Zero2) {
        offers.add(withOpenShards(subject, {layoutKey("shard", "zero2")}));
    }
}

void shardThree(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.settings.engine == Engine::DeepSpeed &&
        subject.now.layout.shard < Shard::Zero3) {
        offers.add(withOpenShards(subject, {layoutKey("shard", "zero3")}));
    }
}

void shardOverAll(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.layout.shard == Shard::Hsdp) {
        offers.add(withOpenShards(subject, {layoutKey("shard", "fsdp")}));
    }
}

/// Where nothing is offloaded and the stack has it.
void offload(const ChangeSubject& subject, Offers& offers, Offload what) {
    const Layout& now = subject.now.layout;
    const Result<const Stack*> stack = findStack(subject.now.stack);
    if (now.offload != Offload::None || !stack) {
        return;
    }
    const StackAxes& axes = (*stack)->axes;
    const bool hasIt = std::ranges::find(axes.offloads, what) != axes.offloads.end() &&
                       (axes.checkOffload == nullptr || axes.checkOffload(now.shard, what));
    if (hasIt) {
        offers.add({layoutKey("offload", std::string(nameOf(what)))});
    }
}

void offloadOptimizer(const ChangeSubject& subject, Offers& offers) {
    offload(subject, offers, Offload::OptimizerCpu);
}

void offloadParameters(const ChangeSubject& subject, Offers& offers) {
    offload(subject, offers, Offload::ParametersCpu);
}

void offloadActivations(const ChangeSubject& subject, Offers& offers) {
    offload(subject, offers, Offload::Activations);
}

/// States of a GPU that has the room need not be on the host.
void offloadLess(const ChangeSubject& subject, Offers& offers) {
    const Offload now = subject.now.layout.offload;
    if (now == Offload::ParametersCpu && subject.now.settings.engine == Engine::DeepSpeed) {
        offers.add({layoutKey("offload", "optimizer_cpu")});
    }
    if (now != Offload::None) {
        offers.add({layoutKey("offload", "none")});
    }
}

/// Moves a factor of two from data parallelism to another axis; the ranks stay the same.
void moveToAxis(const ChangeSubject& subject,
                Offers& offers,
                std::string_view axis,
                std::int64_t ranks,
                Edits more = {}) {
    const std::int64_t dp = subject.now.layout.dp;
    if (dp % 2 != 0) {
        return;
    }
    Edits edits = {layoutKey(axis, ranks * 2), layoutKey("dp", dp / 2)};
    edits.insert(edits.end(), more.begin(), more.end());
    offers.add(withOpenShards(subject, std::move(edits)));
}

void moreTensor(const ChangeSubject& subject, Offers& offers) {
    moveToAxis(subject, offers, "tp", subject.now.layout.tp);
}

void morePipeline(const ChangeSubject& subject, Offers& offers) {
    const bool saysNone = subject.now.layout.schedule == ScheduleKind::None &&
                          says(subject.question, "layout.schedule");
    moveToAxis(subject,
               offers,
               "pp",
               subject.now.layout.pp,
               saysNone ? Edits{layoutKey("schedule", "1f1b")} : Edits{});
}

void moreContext(const ChangeSubject& subject, Offers& offers) {
    moveToAxis(subject, offers, "cp", subject.now.layout.cp);
}

// ---- What the question itself rules out of a search.

void freeKeys(const ChangeSubject& subject, Offers& offers) {
    for (const std::string& key : subject.rules->fixed.said) {
        Change& change = offers.add({layoutKey(key, "null")});
        change.kind = "free " + key;
        change.title = key + " not fixed";
        change.sideEffect = key + " is searched";
    }
}

/// Without one of the rules, or without all of them.
void allowForbidden(const ChangeSubject& subject, Offers& offers) {
    const std::vector<std::string> rules = searchWords(subject.question, "forbid");
    for (const std::string& dropped : rules) {
        Edits kept;
        for (const std::string& rule : rules) {
            if (rule != dropped) {
                kept.push_back({"search.forbid", rule, "--forbid"});
            }
        }
        if (kept.empty()) {
            kept.push_back({"search.forbid", "null", "--forbid"});
        }
        offers.add(std::move(kept)).title = "without --forbid " + dropped;
    }
    if (rules.size() > 1) {
        offers.add({{"search.forbid", "null", "--forbid"}}, 1).title = "without --forbid";
    }
}

void tensorAcrossNodes(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.cluster.nodes > 1 && !subject.rules->tensorAcrossNodes) {
        Edits allowed;
        for (const std::string& before : searchWords(subject.question, "allow")) {
            allowed.push_back({"search.allow", before, "--allow"});
        }
        allowed.push_back({"search.allow", "tp_across_nodes", "--allow"});
        offers.add(std::move(allowed)).title = "--allow tp_across_nodes";
    }
}

/// Those that are searched unasked, and Axolotl: it trains in 16 bits what others keep copies of in
/// 32, and splits sequences beside adapters.
void otherStacks(const ChangeSubject& subject, Offers& offers) {
    const std::span<const std::string_view> usual = usualStacks();
    std::vector<std::string_view> names(usual.begin(), usual.end());
    names.emplace_back("axolotl");
    for (const std::string_view name : names) {
        if (!has(subject, name)) {
            offers.add({{"search.stacks", std::string(name), "--stack"}});
        }
    }
}

// ---- Another training.

void otherBatch(const ChangeSubject& subject, Offers& offers) {
    const std::int64_t now = subject.now.workload.globalBatch;
    const auto batch = [&offers](int more, std::int64_t samples) {
        offers.add({{"workload.global_batch", std::to_string(samples), "--global-batch"}}, more);
    };
    batch(0, now * 2);
    batch(1, now * 4);
    if (now % 2 == 0) {
        batch(0, now / 2);
    }
}

void shorterSequence(const ChangeSubject& subject, Offers& offers) {
    constexpr std::int64_t kShortest = 1024;
    const std::int64_t now = subject.now.workload.sequence;
    if (now % 2 == 0 && now / 2 >= kShortest) {
        offers.add({{"workload.sequence", std::to_string(now / 2), "--seq"}});
    }
}

void fewerBits(const ChangeSubject& subject, Offers& offers) {
    const auto& peaks = subject.now.cluster.node.gpu.densePeak;
    const auto precision = [&](const char* type, const char* name) {
        const auto peak = peaks.find(type);
        if (peak != peaks.end() && peak->second.value) {
            offers.add({{"workload.precision", name, "--precision"}});
        }
    };
    precision("fp8", "fp8_tensorwise");
    precision("fp4", "mxfp8");
}

void moments8bit(const ChangeSubject& subject, Offers& offers) {
    if (isSearch(subject) || subject.now.settings.optimizer.kind == OptimizerKind::AdamW) {
        offers.add({{"workload.optimizer", "adamw_8bit", "--optimizer"}});
    }
}

void adaptersOnly(const ChangeSubject&, Offers& offers) {
    offers.add({setting("settings.tuning", "lora")});
    offers.add({setting("settings.tuning", "lora"), setting("settings.lora.base", "nf4")});
}

void fourBitBase(const ChangeSubject& subject, Offers& offers) {
    const Settings& settings = subject.now.settings;
    if (settings.tuning == Tuning::Lora && settings.lora.base != Dtype::Nf4) {
        offers.add({setting("settings.lora.base", "nf4")});
    }
}

void quantizedConstants(const ChangeSubject& subject, Offers& offers) {
    const LoraSettings& lora = subject.now.settings.lora;
    const bool isQlora = isSearch(subject)
                             ? says(subject.question, "settings.lora.base")
                             : subject.now.settings.tuning == Tuning::Lora &&
                                   lora.base == Dtype::Nf4 && !lora.doubleQuantization;
    if (isQlora) {
        offers.add({setting("settings.lora.double_quantization", "true")});
    }
}

// ---- More or other hardware.

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
    int more = 0;
    for (const auto& [key, name] : better) {
        if (more == kMost) {
            break;
        }
        Edits edits = {{"cluster.name", name, "-c"}, nodes(now.nodes)};
        keepSites(now.sites, edits);
        Change& change = offers.add(std::move(edits), more++);
        change.sideEffect += key.second;
    }
}

void moreNodes(const ChangeSubject& subject, Offers& offers) {
    for (const std::int64_t factor : {2, 4, 8}) {
        offers.add({nodes(subject.now.cluster.nodes * factor)}, static_cast<int>(factor)).times =
            factor;
    }
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
        Edits edits = {nodes(now.cluster.nodes * factor)};
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

struct Row {
    std::uint8_t aims;
    FixGroup group;
    int effort;
    const char* kind;
    const char* sideEffect;
    void (*offer)(const ChangeSubject& subject, Offers& offers);
};

constexpr const char* kUnmeasured = "no measured side effect";
constexpr FixGroup kFree = FixGroup::Free;
constexpr FixGroup kWorkload = FixGroup::Workload;
constexpr FixGroup kBuy = FixGroup::Buy;

// Of changes of one effort that help alike the first is suggested.
constexpr std::array kRows = {
    Row{kSpeed | kTarget,
        kFree,
        0,
        "compile",
        "minutes of compilation before the first step",
        &compile},
    Row{kTarget, kFree, 0, "overlap", kUnmeasured, &overlapReduceAndGather},
    Row{kSpeed, kFree, 0, "overlap", kUnmeasured, &overlapGradReduce},
    Row{kSpeed, kFree, 0, "overlap", kUnmeasured, &overlapParamGather},
    Row{kSpeed | kTarget, kFree, 0, "tensor overlap", "user buffers in GPU memory", &tensorOverlap},
    Row{kSpeed | kTarget,
        kFree,
        0,
        "expert overlap",
        "two microbatches are under way: more memory",
        &overlapExperts},
    Row{kSpeed | kTarget,
        kFree,
        0,
        "expert dispatch",
        "needs DeepEP or HybridEP",
        &sendOncePerNode},
    Row{kMemory, kFree, 0, "sequence", kUnmeasured, &splitSequence},
    Row{kMemory | kTarget, kFree, 0, "loss", kUnmeasured, &chunkedLoss},
    Row{kMemory | kSpeed | kTarget, kFree, 0, "loss", "needs liger-kernel", &fusedLoss},
    Row{kMemory,
        kFree,
        0,
        "kept logits",
        "prediction_loss_only, or preprocess_logits_for_metrics that keeps a number a token",
        &keepNoLogits},
    Row{kMemory,
        kFree,
        0,
        "evaluation",
        "per_device_eval_batch_size: an evaluation has more batches",
        &smallerEvaluation},
    Row{kMemory, kFree, 0, "loading", "weights are read on the host", &loadShards},
    Row{kMemory, kFree, 0, "checkpoint", "each unit goes to the host by itself", &saveUnitByUnit},
    Row{kMemory, kFree, 0, "buckets", "gradients are views of buckets", &bucketView},
    Row{kMemory,
        kFree,
        1,
        "sync",
        "gradients are reduced in every micro-step",
        &reduceEveryMicroBatch},
    Row{kMemory, kFree, 1, "recompute", "a few percent more compute", &recomputeSelective},
    Row{kMemory, kFree, 1, "recompute", "some modules are computed again", &recomputeModules},
    Row{kMemory, kFree, 1, "recompute", "about a third more compute", &recomputeFull},
    Row{kSpeed, kFree, 1, "recompute", "more memory", &recomputeLess},
    Row{kMemory,
        kFree,
        1,
        "micro_batch",
        "more and smaller microbatches: less efficient kernels",
        &smallerMicroBatch},
    Row{kSpeed, kFree, 2, "counts", "another division of the ranks", &otherCounts},
    Row{kSpeed, kFree, 2, "micro_batch", "more sequences at once", &otherMicroBatch},
    Row{kMemory, kFree, 1, "lora base", "every pass dequantises: check convergence", &fourBitBase},
    Row{kMemory | kTarget,
        kFree,
        1,
        "lora constants",
        "the scales of the 4 bits are quantised too",
        &quantizedConstants},
    Row{kMemory | kTarget,
        kWorkload,
        1,
        "optimizer",
        "moments in 8 bits: check convergence",
        &moments8bit},
    Row{kMemory, kFree, 1, "offload", "the optimizer runs on the CPUs", &offloadOptimizer},
    Row{kMemory,
        kFree,
        2,
        "offload",
        "parameters too are on the host, and cross for every layer",
        &offloadParameters},
    Row{kMemory,
        kFree,
        2,
        "offload",
        "what backward needs crosses to the host and back",
        &offloadActivations},
    Row{kMemory, kFree, 1, "offload", "fewer states on the host", &offloadLess},
    Row{kMemory, kFree, 2, "shard", "gradients are reduced in every micro-step", &shardTwo},
    Row{kMemory, kFree, 2, "shard", "parameters are gathered for every layer", &shardThree},
    Row{kMemory, kFree, 2, "shard", "parameters are gathered across nodes", &shardOverAll},
    Row{kMemory, kFree, 2, "axes", "collectives inside every layer", &moreTensor},
    Row{kMemory,
        kFree,
        2,
        "axes",
        "a pipeline bubble, small with many microbatches",
        &morePipeline},
    Row{kMemory, kFree, 2, "axes", "keys and values are exchanged between ranks", &moreContext},
    Row{kTarget, kFree, 1, "free", "", &freeKeys},
    Row{kTarget, kFree, 1, "forbid", "it is searched", &allowForbidden},
    Row{kTarget, kFree, 2, "allow", "tensor parallelism over the network", &tensorAcrossNodes},
    Row{kTarget, kFree, 3, "stack", "different training software", &otherStacks},
    Row{kTarget,
        kWorkload,
        1,
        "batch",
        "different batch: other learning rate and convergence",
        &otherBatch},
    Row{kTarget,
        kWorkload,
        3,
        "sequence",
        "shorter sequences: no training on longer ones",
        &shorterSequence},
    Row{kTarget, kWorkload, 1, "precision", "lower precision: check the loss", &fewerBits},
    Row{kTarget, kWorkload, 4, "tuning", "only adapters are trained", &adaptersOnly},
    Row{kTarget | kMore, kBuy, 3, "cluster", "other GPUs: ", &otherGpus},
    Row{kMemory | kTarget,
        kBuy,
        0,
        "host memory",
        " times the memory of each host",
        &moreHostMemory},
    Row{kMemory, kBuy, 0, "drives", " times the drives of each node", &moreDrives},
    Row{kTarget, kBuy, 0, "nodes", " times the hardware", &moreNodes},
    Row{kMemory, kBuy, 1, "nodes", " times the hardware, states over more ranks", &moreShards},
    Row{kMore, kBuy, 1, "nodes", " times the hardware", &moreRanks},
    Row{kTarget | kMore, kBuy, 1, "fabric", "other NICs and switches", &otherFabrics}};

}  // namespace

std::vector<Change> changesFor(Aim aim, const ChangeSubject& subject) {
    std::vector<Change> changes;
    for (const Row& row : kRows) {
        if ((row.aims & static_cast<std::uint8_t>(aim)) == 0) {
            continue;
        }
        Offers offers({.group = row.group,
                       .effort = row.effort,
                       .kind = row.kind,
                       .edits = {},
                       .sideEffect = row.sideEffect});
        row.offer(subject, offers);
        for (Change& change : std::move(offers).take()) {
            change.place = changes.size();
            changes.push_back(std::move(change));
        }
    }
    return changes;
}

std::vector<Edit> joined(std::span<const Change* const> changes) {
    std::vector<Edit> edits;
    for (const Change* change : changes) {
        const std::size_t before = edits.size();
        for (const Edit& edit : change->edits) {
            const auto end = edits.begin() + static_cast<std::ptrdiff_t>(before);
            const auto same = std::find_if(
                edits.begin(), end, [&edit](const Edit& one) { return one.path == edit.path; });
            if (same == end) {
                edits.push_back(edit);
            } else {
                *same = edit;
            }
        }
    }
    return edits;
}

std::string sideEffectsOf(std::span<const Change> changes) {
    std::string text;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const Change& change = changes[i];
        const auto isAlike = [&change](const Change& other) {
            return other.times > 0 && change.times > 0 && other.sideEffect == change.sideEffect;
        };
        if (change.sideEffect.empty() || std::ranges::any_of(changes.first(i), isAlike)) {
            continue;
        }
        std::int64_t times = 1;
        for (const Change& other : changes) {
            times *= isAlike(other) ? other.times : 1;
        }
        text += (text.empty() ? "" : "; ") + (change.times > 0 ? std::to_string(times) : "") +
                change.sideEffect;
    }
    return text;
}

std::string titleOf(std::span<const Change* const> changes) {
    const auto isTitled = [](const Change* change) { return !change->title.empty(); };
    if (std::ranges::none_of(changes, isTitled)) {
        return typedInOrder(joined(changes));
    }
    std::string text;
    for (const Change* change : changes) {
        text += (text.empty() ? "" : " ") +
                (isTitled(change) ? change->title : typedInOrder(change->edits));
    }
    return text;
}

std::string layoutTitleOf(const Change& change) {
    std::string keys;
    std::string others;
    for (const Edit& edit : change.edits) {
        if (edit.path.starts_with("layout.") && edit.value != "null") {
            keys += (keys.empty() ? "" : ",") + edit.path.substr(edit.path.find('.') + 1) + "=" +
                    edit.value;
        } else if (edit.path.starts_with("workload.") || edit.origin == "--set") {
            const bool isSetting = edit.path.starts_with("settings.");
            others += (others.empty() ? "" : " and ") +
                      (isSetting ? edit.path : edit.path.substr(edit.path.find('.') + 1)) + "=" +
                      edit.value;
        } else if (edit.value != "null") {
            others += (others.empty() ? "" : " ") + typedInOrder({&edit, 1});
        }
    }
    return others + (others.empty() || keys.empty() ? "" : " with ") + keys;
}

}  // namespace fabricast
