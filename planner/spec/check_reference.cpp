#include "planner/spec/check_settings.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"
#include "planner/spec/stage_split.h"

#include <string>
#include <utility>

namespace fabricast {

namespace {

constexpr const char* kReferenceKey = "settings.reference";

Result<void> withoutReference(std::string where, std::string why, const std::string& hint) {
    return fail(Error::Code::Unsupported,
                std::move(where),
                std::move(why),
                hint + ", or settings.reference=none");
}

/// What the second model may be: weights as PyTorch has them, not quantised.
Result<void> checkReferenceModel(const Settings& settings) {
    const Dtype type = settings.referenceModel.dtype;
    const bool isFloat = type == Dtype::Fp32 || type == Dtype::Bf16 || type == Dtype::Fp16;
    return isFloat ? Result<void>()
                   : withoutReference(
                         "settings.reference_model.dtype",
                         "a second model in " + std::string(nameOf(type)) + " is not modelled",
                         "bf16, fp16 or fp32");
}

Result<void> checkReferenceLayout(const Layout& layout) {
    if (const auto axis = splitAxis(layout)) {
        return withoutReference(
            "layout." + *axis, "a reference model is not modelled with " + *axis, *axis + "=1");
    }
    return layout.offload == Offload::None
               ? Result<void>()
               : withoutReference("layout.offload",
                                  "a reference model is not modelled beside offload",
                                  "offload=none");
}

}  // namespace

Result<void> checkReference(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (settings.reference == Reference::None) {
        return {};
    }
    FABRICAST_TRY(checkReferenceModel(settings));
    if (settings.tuning == Tuning::Lora && settings.referenceModel.parameters == 0) {
        return fail(Error::Code::BadInput,
                    kReferenceKey,
                    "adapters need no reference model: without them the base is it",
                    "settings.reference=none, or settings.reference_model.parameters=70e9 of "
                    "another model");
    }
    const std::string stack =
        scenario.stack.empty() ? std::string(nameOf(settings.engine)) : scenario.stack;
    const bool torch = settings.engine == Engine::Local || settings.engine == Engine::Ddp ||
                       settings.engine == Engine::Fsdp2;
    if (!torch || settings.kernels.code != ModelCode::HuggingFace) {
        return withoutReference(kReferenceKey,
                                "a reference model is modelled beside transformers' layers under "
                                "ddp and fsdp2, not under " +
                                    stack,
                                "--stack ddp or fsdp2");
    }
    if (settings.reference == Reference::Sharded && settings.engine != Engine::Fsdp2) {
        return fail(
            Error::Code::BadInput,
            kReferenceKey,
            "only FSDP2 shards a reference model, not " + std::string(nameOf(settings.engine)),
            "settings.reference=whole, or --stack fsdp2");
    }
    if (scenario.model.moe) {
        return withoutReference(
            kReferenceKey, "a reference model with experts is not modelled", "another model");
    }
    return checkReferenceLayout(scenario.layout);
}

}  // namespace fabricast
