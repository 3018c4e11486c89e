#include "planner/launch/import_megatron.h"
#include "planner/launch/megatron_arguments.h"
#include "planner/launch/untold_settings.h"
#include "planner/text/shell_text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricast {
namespace {

// What only nanotron and Megatron-LM of 2021 do is excepted.
constexpr std::array<std::string_view, 35> kToldToMegatron = {
    "-megatron.reduce_scatter",
    "-megatron.gather_slices",
    "-pipeline.scatter_exchange",
    "tuning",
    "lora.rank",
    "lora.targets",
    "lora.dropout",
    "precision.*",
    "recompute.*",
    "pipeline.*",
    "megatron.*",
    "optimizer.kind",
    "engine",
    "kernels.code",
    "kernels.attention",
    "kernels.attention_code",
    "kernels.loss",
    "kernels.dropout",
    "kernels.cuda_graphs",
    "kernels.graph_experts",
    "kernels.quantization",
    "kernels.experts",
    "kernels.dispatcher",
    "kernels.router_dtype",
    "kernels.aux_loss",
    "kernels.capacity_factor",
    "kernels.pad_to_capacity",
    "kernels.dispatch_once_per_node",
    "kernels.balanced_routing",
    "kernels.activation",
    "kernels.fused_qkv",
    "kernels.norm",
    "kernels.rope",
    "kernels.position_ids",
    "kernels.deallocate_pipeline_outputs"};

/// Arguments that came after the field of TransformerConfig which they set.
constexpr std::array<std::string_view, 1> kLateArguments = {"--use-transformer-engine-op-fuser"};

Result<void> checkReleases(const MegatronArguments& arguments, int release, ToldAs told) {
    for (const MegatronArguments::Group& group : arguments.groups) {
        for (const MegatronArgument& argument : group.arguments) {
            if (told == ToldAs::Fields &&
                std::ranges::find(kLateArguments, argument.flag) != kLateArguments.end()) {
                continue;
            }
            const std::string value = argument.values.empty() ? "" : argument.values.front();
            const int first = firstReleaseOf(argument.flag, value);
            if (first > release) {
                return fail(Error::Code::Unsupported,
                            "--framework-version",
                            argument.flag + (value.empty() ? "" : " " + value) +
                                ", which the plan needs, came with Megatron-Core 0." +
                                std::to_string(first),
                            "--framework-version 0." + std::to_string(first));
            }
        }
    }
    return {};
}

std::string written(const MegatronArguments& arguments) {
    std::string text = "ARGUMENTS=(\n";
    for (const MegatronArguments::Group& group : arguments.groups) {
        text += "    # " + group.title + "\n";
        for (const MegatronArgument& argument : group.arguments) {
            text += "    " + argument.flag;
            for (const std::string& value : argument.values) {
                text += " " + shellWord(value);
            }
            text += "\n";
        }
    }
    return text + ")\n";
}

/// Of a model that rotates positions, where its config says another than Megatron's default.
std::string rotaryBaseLine(const LaunchFacts& facts) {
    constexpr double kDefault = 10000.0;
    const double base = facts.rotaryBase.value_or(kDefault);
    return facts.scenario.model.position == PositionKind::Rope && base != kDefault
               ? "    --rotary-base " + std::to_string(std::llround(base)) + "\n"
               : std::string();
}

/// What no plan says: data, learning rate, and numbers of the model that change no shape.
std::string yours(const LaunchFacts& facts) {
    return "# Yours to set: what to read, for how long, and numbers of the model that change no\n"
           "# shape. Take the base and the scaling of its rotary positions, the epsilon of its "
           "norms and\n"
           "# the scaling of its router from its config.json. The end of a document comes on top "
           "of\n"
           "# the vocabulary of NullTokenizer; other tokenizers know their own.\n"
           "YOURS=(\n"
           "    --mock-data --tokenizer-type NullTokenizer --vocab-size " +
           std::to_string(facts.scenario.model.vocab - 1) + "\n    --train-iters \"${STEPS:-" +
           std::to_string(stepsOf(facts)) +
           "}\" --lr \"${LR:-3e-4}\"\n"
           "    --log-interval 1 --log-throughput --eval-iters 0\n" +
           rotaryBaseLine(facts) + ")\n";
}

/// What is saved, where the plan says how often. Copies in memory are on ranks of the next node.
void addSaving(const LaunchFacts& facts, MegatronArguments& out) {
    if (!facts.saved) {
        return;
    }
    out.begin("checkpoints, from which a run that is started again goes on");
    out.add("--save", std::string("checkpoints"));
    out.add("--load", std::string("checkpoints"));
    out.add("--save-interval", facts.saved->steps);
    out.add("--ckpt-format", std::string("torch_dist"));
    out.addIf(facts.saved->inBackground, "--async-save");
    if (facts.saved->heldSteps > 0) {
        out.add("--non-persistent-ckpt-type", std::string("local"));
        out.add("--non-persistent-local-ckpt-dir", std::string("/dev/shm/checkpoints"));
        out.add("--non-persistent-save-interval", facts.saved->heldSteps);
        out.add("--replication");
        out.add("--replication-jump", facts.scenario.cluster.node.gpus);
        out.add("--replication-factor", std::int64_t{2});
    }
}

}  // namespace

Result<MegatronArguments> megatronArguments(const LaunchFacts& facts, ToldAs told) {
    FABRICAST_ASSIGN(const int release, megatronRelease(facts.version));
    MegatronArguments arguments;
    FABRICAST_TRY(addMegatronModel(facts.scenario.model, arguments));
    if (told == ToldAs::Fields) {  // the tokenizer's, which is the user's to set
        arguments.add("--vocab-size", facts.scenario.model.vocab);
    }
    arguments.add("--make-vocab-size-divisible-by", facts.scenario.settings.megatron.vocabPadding);
    FABRICAST_TRY(addMegatronRun(facts.scenario, arguments));
    addSaving(facts, arguments);
    FABRICAST_TRY(checkReleases(arguments, release, told));
    return arguments;
}

namespace {

/// Whether a router is trained that nothing balances.
bool leavesRouterAlone(const Scenario& scenario) {
    const KernelSettings& kernels = scenario.settings.kernels;
    const std::optional<MoeSpec>& moe = scenario.model.moe;
    return moe && scenario.settings.tuning != Tuning::Lora && kernels.auxLoss == AuxLoss::None &&
           !moe->correctionBias && !kernels.balancedRouting;
}

}  // namespace

Result<std::vector<std::string>> untoldToMegatron(const Scenario& scenario,
                                                  std::initializer_list<std::string_view> also) {
    std::vector<std::string_view> told(kToldToMegatron.begin(), kToldToMegatron.end());
    told.insert(told.end(), also.begin(), also.end());
    FABRICAST_ASSIGN(std::vector<std::string> untold, untoldSettings(scenario, told));
    if (leavesRouterAlone(scenario)) {
        untold.emplace_back(
            "what balances the router: the plan has nothing, and a training needs it: "
            "--set settings.kernels.aux_loss=batch");
    }
    return untold;
}

Result<LaunchFiles> megatronFiles(const LaunchFacts& facts) {
    FABRICAST_ASSIGN(const MegatronArguments arguments,
                     megatronArguments(facts, ToldAs::Arguments));
    FABRICAST_ASSIGN(
        std::vector<std::string> untold,
        untoldToMegatron(facts.scenario, {"kernels.fused_ops", "kernels.fused_experts"}));
    const Layout& layout = facts.scenario.layout;
    const KernelSettings& kernels = facts.scenario.settings.kernels;
    if (kernels.fusedExperts && !kernels.fusedOps) {
        return fail(Error::Code::Unsupported,
                    "settings.kernels.fused_experts",
                    "--use-transformer-engine-op-fuser, which it needs, fuses other layers too",
                    "--set settings.kernels.fused_ops=true");
    }
    LaunchFiles files{.untold = std::move(untold)};
    if (kernels.fusedExperts) {
        files.environment.push_back(std::string(kFusedExperts) + "=1");
    }
    files.script = written(arguments) + "\n" + yours(facts);
    if (layout.tp > 1 || layout.cp > 1) {
        files.environment.emplace_back("CUDA_DEVICE_MAX_CONNECTIONS=1");
    }
    files.script = ": \"${MEGATRON:?the folder of Megatron-LM}\"\n\n" + files.script;
    files.command = {
        "\"$MEGATRON/pretrain_gpt.py\"", "\"${ARGUMENTS[@]}\"", "\"${YOURS[@]}\"", kTypedBehind};
    return files;
}

}  // namespace fabricast
