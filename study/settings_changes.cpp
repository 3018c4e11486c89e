#include "planner/base/integers.h"
#include "planner/spec/attention_model.h"
#include "planner/spec/check_settings.h"
#include "planner/spec/kernel_names.h"
#include "planner/spec/liger_code.h"
#include "study/change_offers.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast::offers {

namespace {

/// Whether a question was read of a framework's file: "torchtune".
bool isOf(const Question& question, const std::string& framework) {
    const JsonValue* const imported = question.root.find("imported");
    const JsonValue* const from = imported == nullptr ? nullptr : imported->find("from");
    return from != nullptr && from->text().value_or("").starts_with(framework + ": ");
}

/// What turns on those of Liger's kernels that a layout is forecast with and does not have yet.
Edits missingLigerKernels(Scenario now) {
    const LigerCode* const code = ligerCodeOf(now.model);
    KernelSettings& kernels = now.settings.kernels;
    Edits edits;
    const auto turnOn = [&](const char* name, auto& kernel, auto liger, bool isThere) {
        const auto before = std::exchange(kernel, liger);
        if (isThere && before != liger && checkLiger(now)) {
            edits.push_back(setting(std::string("settings.kernels.") + name, "liger"));
        } else {
            kernel = before;
        }
    };
    turnOn("loss", kernels.loss, LossKernel::Liger, true);
    turnOn("norm", kernels.norm, NormKernel::Liger, true);
    turnOn("rope", kernels.rope, RopeKernel::Liger, code != nullptr && code->rotates);
    turnOn("activation",
           kernels.activation,
           ActivationKernel::Liger,
           code != nullptr && code->activates);
    return edits;
}

/// Whether experts lie on several ranks; of a search, whether they may.
bool exchangesRows(const ChangeSubject& subject) {
    return subject.now.model.moe && (isSearch(subject) || subject.now.layout.ep > 1);
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

}  // namespace

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

void overlapExperts(const ChangeSubject& subject, Offers& offers) {
    if (isMegatron(subject) && exchangesRows(subject) &&
        (isSearch(subject) || !subject.now.settings.megatron.expertOverlap)) {
        offers.add({setting("settings.megatron.expert_overlap", "true")});
    }
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

/// PyTorch's own attention computes every pair where a layer has a window, FlashAttention's package
/// those within it.
void skipOutsideWindows(const ChangeSubject& subject, Offers& offers) {
    const Scenario& now = subject.now;
    const KernelSettings& kernels = now.settings.kernels;
    const bool isSdpa = kernels.code == ModelCode::HuggingFace &&
                        kernels.attention == AttentionKernel::Flash &&
                        kernels.attentionCode == AttentionCode::Native;
    const bool isCut = std::ranges::any_of(now.model.window, [&](std::int64_t window) {
        return window > 0 && window < now.attendedTokens();
    });
    if (!isSearch(subject) && isSdpa && isCut && runsFlashAttention(now.cluster.node.gpu)) {
        offers.add({setting("settings.kernels.attention_code", "flash2")});
    }
}

/// A program's own choice, which PyTorch leaves off.
void roundToTf32(const ChangeSubject& subject, Offers& offers) {
    const Settings& settings = subject.now.settings;
    if (!isSearch(subject) && settings.kernels.code == ModelCode::HuggingFace &&
        settings.precision.compute == Dtype::Fp32 && !settings.precision.tf32 &&
        takesTf32(subject.now.cluster.node.gpu)) {
        offers.add({setting("settings.precision.tf32", "true")});
    }
}

/// Where attention is written out, and a kernel of the GPU computes the model's.
void fusedAttention(const ChangeSubject& subject, Offers& offers) {
    const ModelSpec& model = subject.now.model;
    const KernelSettings& kernels = subject.now.settings.kernels;
    const bool isOfHub = kernels.code == ModelCode::HuggingFace;
    const bool needsFlash = !isOfHub || lacksNativeAttention(model);
    if (isSearch(subject) || kernels.attention != AttentionKernel::Unfused ||
        (needsFlash && !runsFusedAttention(subject.now.cluster.node.gpu, model)) ||
        (isOfHub && lacksFusedAttention(model))) {
        return;
    }
    Edits edits{setting("settings.kernels.attention", "flash")};
    if (isOfHub && needsFlash && kernels.attentionCode == AttentionCode::Native) {
        edits.push_back(setting("settings.kernels.attention_code", "flash2"));
    }
    offers.add(std::move(edits));
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

/// Of transformers' models, by Liger: the loss alone, and all that it has for them, which one
/// argument of the Trainer turns on.
void ligerKernels(const ChangeSubject& subject, Offers& offers) {
    constexpr std::array kStacks = {"ddp", "fsdp2", "deepspeed", "accelerate", "axolotl"};
    const bool runs = !isSearch(subject) || std::ranges::any_of(kStacks, [&](const char* stack) {
        return has(subject, stack);
    });
    Scenario now = subject.now;
    if (isSearch(subject)) {  // its layouts and code are those of no one stack
        now.settings.kernels.code = ModelCode::HuggingFace;
        now.layout = {};
    }
    const Edits all = missingLigerKernels(now);
    if (!runs || all.empty() || isOf(subject.question, "torchtune")) {
        return;
    }
    const bool isOneArgument = isOf(subject.question, "Hugging Face Trainer");
    const bool hasLoss = all.front().path == "settings.kernels.loss";
    if (hasLoss && (isSearch(subject) || !isOneArgument || all.size() == 1)) {
        offers.add({all.front()});
    }
    if (all.size() > (hasLoss ? 1U : 0U)) {
        offers.add(all);
    }
}

void bucketView(const ChangeSubject& subject, Offers& offers) {
    const Settings& settings = subject.now.settings;
    if (settings.engine == Engine::Ddp && !settings.torch.bucketView) {
        offers.add({setting("settings.torch.bucket_view", "true")});
    }
}

void unitsByLayer(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.settings.torch.oneUnit) {
        offers.add({setting("settings.torch.one_unit", "false")});
    }
}

void reduceEveryMicroBatch(const ChangeSubject& subject, Offers& offers) {
    const Scenario& now = subject.now;
    if (now.settings.torch.sync == GradientSync::LastMicroBatch && now.microBatches() > 1) {
        offers.add({setting("settings.torch.sync", "each_micro_batch")});
    }
}

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

}  // namespace fabricast::offers
