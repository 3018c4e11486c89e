#include "planner/spec/check_settings.h"
#include "planner/spec/setting_names.h"
#include "planner/spec/stage_split.h"

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

/// Megatron, torchtitan and pipelines evaluate with the micro-batch of the steps.
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
    if (code != ModelCode::HuggingFace && code != ModelCode::Torch) {
        return withoutPhase(kBatchKey,
                            "an evaluation is modelled of transformers' and plain torch's layers",
                            std::string(kBatchKey) +
                                "=0: an evaluation with the micro-batch of "
                                "the steps takes no more than they do");
    }
    if (const auto axis = splitAxis(scenario.layout)) {
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
Result<void> checkShards(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const PhaseSettings& phases = settings.phases;
    const bool loads = phases.loading != Loading::Meta;
    const bool gathers = phases.checkpoint != SavedWeights::Sharded;
    const char* const key = loads ? "settings.phases.loading" : "settings.phases.checkpoint";
    const char* const what = loads ? "loading" : "a checkpoint of whole weights";
    if (!loads && !gathers) {
        return {};
    }
    if (!isFsdp(settings.engine)) {
        return withoutPhase(
            key,
            std::string(what) + " is modelled under FSDP1 and FSDP2, not under " +
                std::string(nameOf(settings.engine)),
            loads ? "settings.phases.loading=meta" : "settings.phases.checkpoint=sharded");
    }
    if (const auto axis = splitAxis(scenario.layout);
        axis || settings.tuning == Tuning::Lora || scenario.layout.offload != Offload::None) {
        return withoutPhase(
            key,
            std::string(what) + " is modelled without tp, pp, cp, adapters and offload",
            loads ? "settings.phases.loading=meta" : "settings.phases.checkpoint=sharded");
    }
    return {};
}

}  // namespace

Result<void> checkPhases(const Scenario& scenario) {
    FABRICAST_TRY(checkEvaluation(scenario));
    return checkShards(scenario);
}

}  // namespace fabricast
