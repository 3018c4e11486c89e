#include "planner/stack/rules.h"

#include "planner/base/checked.h"
#include "planner/spec/attention_model.h"
#include "planner/spec/check_settings.h"
#include "planner/spec/setting_names.h"
#include "planner/spec/size_limits.h"

#include <vector>

namespace fabricast {

namespace {

constexpr std::int64_t kMostSamples = 1'000'000'000;

struct Size {
    std::string_view key;
    std::int64_t value;
    std::int64_t least;
    std::int64_t most;
};

Result<void> checkSizes(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const auto sizes = std::to_array<Size>(
        {{"layout.dp", layout.dp, 1, kMostAxisRanks},
         {"layout.tp", layout.tp, 1, kMostAxisRanks},
         {"layout.pp", layout.pp, 1, kMostAxisRanks},
         {"layout.vpp", layout.vpp, 1, kMostAxisRanks},
         {"layout.cp", layout.cp, 1, kMostAxisRanks},
         {"layout.ep", layout.ep, 1, kMostAxisRanks},
         {"layout.etp", layout.etp, 1, kMostAxisRanks},
         {"layout.shard_size", layout.shardSize, 0, kMostAxisRanks},
         {"layout.schedule", layout.scheduleGroup, 0, kMostSamples},
         {"layout.micro_batch", layout.microBatch, 1, kMostSamples},
         {"workload.sequence", scenario.workload.sequence, 1, kMostSamples},
         {"workload.global_batch", scenario.workload.globalBatch, 1, kMostSamples}});
    for (const Size& size : sizes) {
        if (size.value < size.least || size.value > size.most) {
            return breaks(size.key,
                          text(size.value) + " is out of range",
                          "from " + text(size.least) + " to " + text(size.most));
        }
    }
    const Checked dense = Checked(layout.dp) * layout.tp * layout.pp * layout.cp;
    const Checked sparse = Checked(layout.ep) * layout.etp * layout.pp * layout.vpp;
    FABRICAST_TRY(dense.result("layout", "ranks"));
    FABRICAST_TRY(sparse.result("layout", "ranks"));
    return {};
}

Result<void> checkSlice(std::string_view key, std::int64_t ranks, std::int64_t width) {
    if (width < 1 || ranks <= width) {
        return {};
    }
    return breaks("layout." + std::string(key),
                  text(ranks) + " ranks cannot share an MLP of width " + text(width),
                  std::string(key) + " of at most " + text(width));
}

/// Every rank needs some columns of the matrices that tensor parallelism cuts.
Result<void> checkSlices(const Scenario& scenario) {
    FABRICAST_TRY(checkSlice("tp", scenario.layout.tp, scenario.model.mlp.width));
    return scenario.model.moe
               ? checkSlice("etp", scenario.layout.etp, scenario.model.moe->expertWidth)
               : Result<void>();
}

/// Engine and model code are the stack's own; a scenario chooses among kernels, not among stacks.
Result<void> checkSoftware(const Stack& stack, const Scenario& scenario) {
    const Settings own = stack.defaults(scenario.layout, scenario.settings.tuning);
    const ModelCode code = scenario.settings.kernels.code;
    if (scenario.settings.engine != own.engine) {
        return lacks("settings.engine",
                     std::string(stack.name) + " does not run engine " +
                         std::string(nameOf(scenario.settings.engine)),
                     "leave it out, or choose another stack");
    }
    const bool megatron = code == ModelCode::Megatron || code == ModelCode::TransformerEngine;
    const bool library = code == ModelCode::Torch || code == ModelCode::HuggingFace;
    if (scenario.settings.pipeline.scatterExchange && own.engine != Engine::Megatron &&
        own.engine != Engine::DeepSpeed) {
        return lacks("settings.pipeline.scatter_exchange",
                     std::string(stack.name) + " sends the next stage whole activations",
                     "settings.pipeline.scatter_exchange=false");
    }
    const bool known = own.kernels.code == ModelCode::HuggingFace ? library
                       : own.kernels.code == ModelCode::TransformerEngine
                           ? megatron
                           : code == own.kernels.code;
    if (!known) {
        return lacks(
            "settings.kernels.code",
            std::string(stack.name) + " does not run model code " + std::string(nameOf(code)),
            std::string(nameOf(own.kernels.code)));
    }
    const bool written =
        code == ModelCode::HuggingFace && writtenScores(scenario.model).has_value();
    const bool isFused = scenario.settings.kernels.attention == AttentionKernel::Flash;
    if (isFused && code == ModelCode::HuggingFace && lacksFusedAttention(scenario.model)) {
        return lacks("settings.kernels.attention",
                     "transformers computes " + scenario.model.family +
                         "'s attention with its bias of position by no fused kernel",
                     "unfused");
    }
    if (scenario.settings.kernels.attention == AttentionKernel::Unfused && !megatron && !written) {
        return lacks(
            "settings.kernels.attention",
            "attention that keeps its scores is modelled in Megatron's code, and in "
            "transformers' eager code that is like Llama's, GPT-2's, Gemma 2's or GPT-OSS's, only",
            "flash");
    }
    return {};
}

Result<void> checkShardGroup(const Layout& layout) {
    const std::int64_t replicas = layout.replicas();
    if (layout.shardSize == 0 || layout.shardSize == replicas) {
        return {};
    }
    if (layout.shard == Shard::None) {
        return breaks("layout.shard_size",
                      "shard=none does not shard",
                      "leave shard_size out, or shard=hsdp");
    }
    if (layout.shard == Shard::Fsdp) {
        return breaks("layout.shard_size",
                      "fsdp shards over all " + text(replicas) + " ranks of dp x cp",
                      "leave shard_size out, or shard=hsdp for smaller groups");
    }
    if (replicas % layout.shardSize != 0) {
        return breaks(
            "layout.shard_size",
            text(layout.shardSize) + " does not divide the " + text(replicas) + " ranks of dp x cp",
            shardSizesHint(layout));
    }
    return {};
}

/// Of a rank's several chunks each crosses the line between sites, one after another with those of
/// all pipelines: how long they wait for it is not forecast.
Result<void> checkChunksOverSites(const Stack& stack, const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (scenario.cluster.sites.count <= 1 || layout.pp == 1 || layout.vpp == 1) {
        return {};
    }
    const bool isInside = rankOrderOf(stack, layout).pipelineInside;
    const std::int64_t run = isInside ? layout.tp * layout.cp * layout.pp : layout.world();
    if (scenario.cluster.siteGpus() % run == 0) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                "layout.vpp",
                "several chunks a rank are not modelled where a pipeline spans sites",
                "vpp=1, or a pipeline inside a site (placement=pp_inside)");
}

/// Up to a few thousand, in order.
std::vector<std::int64_t> divisorsOf(std::int64_t number) {
    constexpr std::int64_t kMost = 4096;
    std::vector<std::int64_t> divisors;
    std::vector<std::int64_t> large;
    for (std::int64_t divisor = 1; divisor <= kMost && divisor <= number / divisor; ++divisor) {
        if (number % divisor == 0) {
            divisors.push_back(divisor);
            if (const std::int64_t other = number / divisor; other != divisor && other <= kMost) {
                large.push_back(other);
            }
        }
    }
    divisors.insert(divisors.end(), large.rbegin(), large.rend());
    return divisors;
}

/// "ep=1, 2 or 4".
std::string oneOfHint(std::string_view key, const std::vector<std::int64_t>& numbers) {
    std::string list;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const bool isLast = i + 1 == numbers.size();
        list += (i == 0 ? "" : isLast ? " or " : ", ") + text(numbers[i]);
    }
    return std::string(key) + "=" + list;
}

/// fully_shard of the whole model alone is modelled for transformers' models.
Result<void> checkOneUnit(const Stack& stack, const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (!settings.torch.oneUnit) {
        return {};
    }
    if (settings.engine != Engine::Fsdp2 || settings.kernels.code == ModelCode::TorchTitan) {
        return lacks("settings.torch.one_unit",
                     std::string(stack.name) + " does not shard a model as one unit of FSDP2 here",
                     "settings.torch.one_unit=false, or --stack fsdp2 with shard=fsdp");
    }
    if (scenario.layout.ep > 1) {
        return lacks("settings.torch.one_unit",
                     "experts that are distributed over ranks are units of their own",
                     "settings.torch.one_unit=false, or ep=1");
    }
    return {};
}

}  // namespace

tl::unexpected<Error> breaks(std::string_view key, std::string why, std::string hint) {
    return fail(Error::Code::BadInput, std::string(key), std::move(why), std::move(hint));
}

tl::unexpected<Error> lacks(std::string_view key, std::string why, std::string hint) {
    return fail(Error::Code::Unsupported, std::string(key), std::move(why), std::move(hint));
}

std::string divisorsHint(std::string_view key, std::int64_t number) {
    return oneOfHint(key, divisorsOf(number));
}

std::string shardSizesHint(const Layout& layout, std::int64_t leastDataRanks) {
    std::vector<std::int64_t> sizes;
    for (const std::int64_t dataRanks : divisorsOf(layout.dp)) {
        if (dataRanks >= leastDataRanks) {
            sizes.push_back(dataRanks * layout.cp);
        }
    }
    return oneOfHint("shard_size", sizes);
}

std::string multiplesHint(std::string_view key, std::int64_t number, std::int64_t step) {
    const std::string multiples = multiplesAround(number, step);
    return multiples.empty() ? "fewer ranks" : std::string(key) + "=" + multiples;
}

Result<void> checkCommon(const Stack& stack, const Scenario& scenario) {
    FABRICAST_TRY(checkSizes(scenario));
    FABRICAST_TRY(checkAxes(stack.name, stack.axes, scenario.layout));
    FABRICAST_TRY(checkChunksOverSites(stack, scenario));
    FABRICAST_TRY(checkSlices(scenario));
    FABRICAST_TRY(checkShardGroup(scenario.layout));
    if (scenario.layout.ep > 1 && !scenario.model.moe) {
        return breaks("layout.ep",
                      "num_experts must be non None to use expert model parallelism",
                      "ep=1: the model has no experts");
    }
    FABRICAST_TRY(checkSoftware(stack, scenario));
    const ExpertKernel experts = scenario.settings.kernels.experts;
    const bool marked = experts == ExpertKernel::DeepSpeed || experts == ExpertKernel::AutoEp;
    if (marked && stack.name != "deepspeed") {
        return lacks("settings.kernels.experts",
                     experts == ExpertKernel::AutoEp
                         ? "experts=autoep is modelled under the stack deepspeed"
                         : "experts=deepspeed is deepspeed.moe.layer.MoE, whose models are the "
                           "stack deepspeed's",
                     "the stack deepspeed, or another settings.kernels.experts");
    }
    FABRICAST_TRY(checkExpertKeys(stack, scenario));
    FABRICAST_TRY(checkOneUnit(stack, scenario));
    FABRICAST_TRY(checkTrained(scenario));
    FABRICAST_TRY(checkSavedOnHost(scenario));
    FABRICAST_TRY(checkReference(scenario));
    FABRICAST_TRY(checkOuter(scenario));
    return checkMethods(stack.name, stack.methods, scenario.settings);
}

Result<void> checkWorld(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (layout.world() == scenario.cluster.gpus()) {
        return {};
    }
    const std::int64_t model = layout.tp * layout.pp * layout.cp;
    const std::int64_t gpus = scenario.cluster.gpus();
    const std::string hint =
        gpus % model == 0 ? "dp=" + text(gpus / model) : "tp x pp x cp that divides " + text(gpus);
    return breaks(
        "layout.dp",
        "dp x tp x pp x cp is " + text(layout.world()) + ", but there are " + text(gpus) + " GPUs",
        hint);
}

Result<void> checkBatch(const Scenario& scenario) {
    const std::int64_t round = scenario.layout.microBatch * scenario.layout.dp;
    const std::int64_t batch = scenario.workload.globalBatch;
    if (batch % round == 0) {
        return {};
    }
    return breaks("workload.global_batch",
                  text(batch) + " is not a multiple of micro_batch " +
                      text(scenario.layout.microBatch) + " x dp " + text(scenario.layout.dp),
                  multiplesHint("global_batch", batch, round));
}

}  // namespace fabricast
