#include "planner/spec/check_settings.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"
#include "planner/spec/stage_split.h"

#include <optional>
#include <string>

namespace fabricast {

namespace {

constexpr const char* kBatchKey = "settings.phases.evaluation_batch";

Result<void> withoutPhase(const std::string& key, std::string why, std::string hint) {
    return fail(Error::Code::Unsupported, key, std::move(why), std::move(hint));
}

bool isFsdp(Engine engine) {
    return engine == Engine::Fsdp1 || engine == Engine::Fsdp2;
}

/// The loss of an evaluation is fused with the head: where Liger's is, a Trainer that asks for the
/// loss alone says skip_logits; all else has logits in evaluation mode.
bool evaluatesFused(const Scenario& scenario) {
    const LossKernel loss = scenario.settings.kernels.loss;
    const bool skipsLogits =
        scenario.stack == "accelerate" && scenario.settings.phases.keptLogits == 0;
    return loss == LossKernel::Chunked || (loss == LossKernel::Liger && skipsLogits);
}

/// What the layers are divided by that an evaluation is not modelled with. torchtitan's are run as
/// in the steps.
std::optional<std::string> dividedBy(const Scenario& scenario) {
    Layout layout = scenario.layout;
    if (scenario.settings.kernels.code == ModelCode::TorchTitan) {
        layout.tp = 1;
        layout.cp = 1;
    }
    return splitAxis(layout);
}

/// Megatron and pipelines evaluate with the micro-batch of the steps.
Result<void> checkEvaluation(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (settings.phases.evaluationBatch == 0) {
        return settings.phases.keptLogits == 0
                   ? Result<void>()
                   : fail(Error::Code::BadInput,
                          "settings.phases.kept_logits",
                          "logits are those of an evaluation, and the run has none",
                          std::string(kBatchKey) + "=8, or as many as one GPU evaluates at once");
    }
    const ModelCode code = settings.kernels.code;
    if (code == ModelCode::Megatron || code == ModelCode::TransformerEngine) {
        return withoutPhase(kBatchKey,
                            "an evaluation is not modelled of Megatron's layers",
                            std::string(kBatchKey) +
                                "=0: an evaluation with the micro-batch of "
                                "the steps takes no more than they do");
    }
    if (const auto axis = dividedBy(scenario)) {
        return withoutPhase("layout." + *axis,
                            "an evaluation is not modelled with " + *axis,
                            *axis + "=1, or " + kBatchKey + "=0");
    }
    if (evaluatesFused(scenario)) {
        return withoutPhase("settings.kernels.loss",
                            "an evaluation is not modelled with a loss that is fused with the head",
                            std::string(kBatchKey) + "=0, or another loss");
    }
    return scenario.layout.offload == Offload::Activations
               ? withoutPhase("layout.offload",
                              "an evaluation is not modelled beside activations on the host",
                              std::string(kBatchKey) + "=0, or offload=none")
               : Result<void>();
}

/// Where the states of a run are what its weights were loaded as, nothing is cut or gathered.
Result<void> checkCut(const Scenario& scenario,
                      const std::string& what,
                      const std::string& key,
                      const std::string& usual) {
    const Engine engine = scenario.settings.engine;
    if (!isFsdp(engine)) {
        return withoutPhase(
            key,
            what + " is modelled under FSDP1 and FSDP2, not under " + std::string(nameOf(engine)),
            usual);
    }
    Layout cut = scenario.layout;
    cut.cp = 1;  // whose ranks hold shards as those of dp do
    const auto axis = splitAxis(cut);
    return axis ? withoutPhase(key, what + " is not modelled with " + *axis, usual)
                : Result<void>();
}

/// Shards of parameters that live on the host leave the GPU as soon as they are cut.
Result<void> checkLoading(const Scenario& scenario) {
    const std::string key = "settings.phases.loading";
    const std::string usual = key + "=meta";
    if (scenario.settings.phases.loading == Loading::Meta) {
        return {};
    }
    FABRICAST_TRY(checkCut(scenario, "loading", key, usual));
    const Offload offload = scenario.layout.offload;
    return offload != Offload::None && offload != Offload::ParametersCpu
               ? withoutPhase(
                     key,
                     "loading is not modelled with offload=" + std::string(nameOf(offload)),
                     usual)
               : Result<void>();
}

Result<void> checkSaving(const Scenario& scenario) {
    const std::string key = "settings.phases.checkpoint";
    const std::string usual = key + "=sharded";
    const std::string what = "a checkpoint of whole weights";
    if (scenario.settings.phases.checkpoint == SavedWeights::Sharded) {
        return {};
    }
    FABRICAST_TRY(checkCut(scenario, what, key, usual));
    return scenario.layout.cp > 1 || scenario.settings.tuning == Tuning::Lora ||
                   scenario.layout.offload != Offload::None
               ? withoutPhase(key, what + " is modelled without cp, adapters and offload", usual)
               : Result<void>();
}

}  // namespace

Result<void> checkPhases(const Scenario& scenario) {
    FABRICAST_TRY(checkEvaluation(scenario));
    FABRICAST_TRY(checkLoading(scenario));
    return checkSaving(scenario);
}

}  // namespace fabricast
