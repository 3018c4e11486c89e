#include "study/question_flags.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

constexpr const char* kScenario = "The scenario";
constexpr const char* kBudget = "The budget";
constexpr const char* kSearch = "The search";

constexpr std::array kScenarioFlags = {
    QuestionFlag{
        "-m,--model", "-m", "model", "MODEL", "a built-in name, a config.json, or its folder"},
    QuestionFlag{"-c,--cluster",
                 "-c",
                 "cluster.name",
                 "NAME",
                 "a cluster or node: dgx-h100",
                 kScenario,
                 "cluster"},
    QuestionFlag{"-n,--nodes", "-n", "cluster.nodes", "N", "number of nodes"},
    QuestionFlag{"--gpus", "--gpus", "cluster.gpus", "N", "total number of GPUs, instead of -n"},
    QuestionFlag{"--gpu",
                 "--gpu",
                 "cluster.gpu",
                 "NAME",
                 "nodes with this GPU, instead of -c",
                 kScenario,
                 "cluster"},
    QuestionFlag{"--gpus-per-node",
                 "--gpus-per-node",
                 "cluster.gpus_per_node",
                 "N",
                 "with --gpu; with -c only so many of each node: 64 of an NVL72 rack"},
    QuestionFlag{"--fabric",
                 "--fabric",
                 "cluster.fabric",
                 "NAME",
                 "network of these nodes, instead of their own: ib-ndr"},
    QuestionFlag{"--sites",
                 "--sites",
                 "cluster.sites",
                 "N",
                 "places that the nodes are divided over evenly, joined by a WAN (help sites)"},
    QuestionFlag{"--wan", "--wan", "cluster.wan", "RATE", "of one site to the others: 100Gbps"},
    QuestionFlag{"--wan-latency",
                 "--wan-latency",
                 "cluster.wan_latency",
                 "TIME",
                 "from one site to another: 10ms (default: 0)"},
    QuestionFlag{"--host-memory",
                 "--host-memory",
                 "cluster.host_memory",
                 "SIZE",
                 "memory of each node's host, where it is not known or another: 512GB"},
    QuestionFlag{"--nvme",
                 "--nvme",
                 "cluster.nvme",
                 "SIZE",
                 "local drives of each node, where they are not known or others: 30TB"},
    QuestionFlag{"--nvme-read",
                 "--nvme-read",
                 "cluster.nvme_read",
                 "RATE",
                 "of all drives of a node together: 50GB/s (default: usual drives)"},
    QuestionFlag{"--nvme-write",
                 "--nvme-write",
                 "cluster.nvme_write",
                 "RATE",
                 "the same, written for as long as it takes: 25GB/s"},
    QuestionFlag{"--reserve",
                 "--reserve",
                 "cluster.reserve",
                 "SHARE",
                 "of a GPU's memory left to the allocator: 10% (then nothing is uncertain)"},
    QuestionFlag{"--stack",
                 "--stack",
                 "stack",
                 "NAME",
                 "the training software: megatron, torchtitan, fsdp2, deepspeed, …"},
    QuestionFlag{"--layout",
                 "--layout",
                 "layout",
                 "KEYS",
                 "tp=8,pp=4,dp=16,shard=zero1,micro_batch=1,recompute=full,…"},
    QuestionFlag{
        "--seq", "--seq", "workload.sequence", "N", "sequence length in tokens: 8192, 8k, 128k"},
    QuestionFlag{"--global-batch",
                 "--global-batch",
                 "workload.global_batch",
                 "N",
                 "samples per step, \"4M tokens\" or \"8 per rank\""},
    QuestionFlag{"--precision",
                 "--precision",
                 "workload.precision",
                 "NAME",
                 "bf16, fp16, fp32, pure_bf16, fp8_blockwise, mxfp8, …"},
    QuestionFlag{"--optimizer",
                 "--optimizer",
                 "workload.optimizer",
                 "NAME",
                 "adamw, adamw_8bit, adafactor, lion, sgd, muon, …"},
    QuestionFlag{"--tuning",
                 "--tuning",
                 "settings.tuning",
                 "NAME",
                 "full (default), lora or qlora (lora over a base of 4 bits)"},
    QuestionFlag{"--train",
                 "--train",
                 "settings.train",
                 "PART",
                 "the rest is frozen: last:4 (layers, norm, head), norms, no_embedding"},
    QuestionFlag{"--lora-rank", "--lora-rank", "settings.lora.rank", "N", "default: 16"},
    QuestionFlag{
        "--tokens", "--tokens", "workload.tokens", "N", "tokens of the whole run: 15T", kBudget},
    QuestionFlag{"--price",
                 "--price",
                 "price.profile",
                 "WHAT",
                 "price of a GPU hour: 2.10, market-2026-05, aws, my_quote.json",
                 kBudget},
    QuestionFlag{"--price-kind",
                 "--price-kind",
                 "price.kind",
                 "KIND",
                 "on_demand, reserved, spot, or owned",
                 kBudget},
    QuestionFlag{"--site",
                 "--site",
                 "operation.site",
                 "NAME|FILE",
                 "failures, storage and power: typical, meta-rsc-1",
                 kBudget},
    QuestionFlag{"--mtbf",
                 "--mtbf",
                 "operation.mtbf",
                 "TIME",
                 "mean time between failures of one GPU: 50000h, or none",
                 kBudget},
    QuestionFlag{"--checkpoint",
                 "--checkpoint",
                 "operation.checkpoint",
                 "HOW",
                 "async, sync, or two_level (in memory, then storage)",
                 kBudget},
    QuestionFlag{"--checkpoint-interval",
                 "--checkpoint-interval",
                 "operation.checkpoint_interval",
                 "TIME",
                 "default: the optimum; 20min, or '500 steps'",
                 kBudget}};

constexpr std::array kSearchFlags = {
    QuestionFlag{.names = "--stack",
                 .typed = "--stack",
                 .path = "search.stacks",
                 .what = "NAME",
                 .description = "stack to search, repeatable (default: four stacks)",
                 .group = kSearch,
                 .isList = true},
    QuestionFlag{.names = "--fix",
                 .typed = "--fix",
                 .path = "layout",
                 .what = "KEYS",
                 .description = "fix keys of the layout: tp=8,recompute=full",
                 .group = kSearch,
                 .isList = true},
    QuestionFlag{.names = "--forbid",
                 .typed = "--forbid",
                 .path = "search.forbid",
                 .what = "KEY",
                 .description = "exclude keys or values: pp, recompute, schedule=gpipe",
                 .group = kSearch,
                 .isList = true},
    QuestionFlag{.names = "--allow",
                 .typed = "--allow",
                 .path = "search.allow",
                 .what = "WHAT",
                 .description = "tp_across_nodes, idle_gpus, tight (plans that may fit)",
                 .group = kSearch,
                 .isList = true},
    QuestionFlag{.names = "--top",
                 .typed = "--top",
                 .path = "search.top",
                 .what = "N",
                 .description = "number of plans (default: 5)",
                 .group = kSearch},
    QuestionFlag{.names = "--objective",
                 .typed = "--objective",
                 .path = "search.objective",
                 .what = "NAME",
                 .description = "tokens (per second), time, cost, energy, gpus or memory",
                 .group = kSearch},
    QuestionFlag{.names = "--software",
                 .typed = "--software",
                 .path = "search.software",
                 .what = "HOW",
                 .description = "as_is (default), or tuned: each stack's published recipe",
                 .group = kSearch}};

template <class Match>
const QuestionFlag* firstOf(Match matches) {
    for (const std::span<const QuestionFlag> table : {scenarioFlags(), searchFlags()}) {
        const auto found = std::ranges::find_if(table, matches);
        if (found != table.end()) {
            return &*found;
        }
    }
    return nullptr;
}

}  // namespace

std::span<const QuestionFlag> scenarioFlags() {
    return kScenarioFlags;
}

std::span<const QuestionFlag> searchFlags() {
    return kSearchFlags;
}

const QuestionFlag* flagTyped(std::string_view typed) {
    return firstOf([typed](const QuestionFlag& flag) { return flag.typed == typed; });
}

const QuestionFlag* flagOf(std::string_view path) {
    return firstOf([path](const QuestionFlag& flag) { return flag.path == path; });
}

}  // namespace fabricast
