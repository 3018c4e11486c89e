#include "planner/base/words.h"
#include "planner/launch/hugging_face.h"
#include "planner/launch/launch_file_writers.h"
#include "planner/launch/liger_kernels.h"
#include "planner/spec/liger_code.h"
#include "planner/spec/setting_names.h"
#include "planner/stack/rank_groups.h"

#include <array>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 17> kToldToTorch = {"precision.parameters",
                                                           "precision.compute",
                                                           "precision.reduce",
                                                           "precision.autocast",
                                                           "optimizer.kind",
                                                           "optimizer.kernel",
                                                           "torch.sync",
                                                           "torch.reshard",
                                                           "torch.one_unit",
                                                           "torch.bucket_view",
                                                           "torch.static_graph",
                                                           "torch.bucket_cap_mb",
                                                           "kernels.compile",
                                                           "kernels.attention",
                                                           "kernels.attention_code",
                                                           "recompute.kind",
                                                           "layout.offload"};

std::string torchDtype(Dtype dtype) {
    return dtype == Dtype::Bf16   ? "torch.bfloat16"
           : dtype == Dtype::Fp16 ? "torch.float16"
                                  : "torch.float32";
}

std::string python(bool value) {
    return value ? "True" : "False";
}

Result<std::string> optimizerCall(const OptimizerSettings& optimizer) {
    const std::string kernel = optimizer.kernel == OptimizerKernel::Fused     ? "fused=True"
                               : optimizer.kernel == OptimizerKernel::Foreach ? "foreach=True"
                                                                              : "foreach=False";
    switch (optimizer.kind) {
        case OptimizerKind::AdamW:
            return "torch.optim.AdamW(model.parameters(), lr=2e-5, " + kernel + ")";
        case OptimizerKind::Sgd:
            return "torch.optim.SGD(model.parameters(), lr=1e-2, " + kernel + ")";
        case OptimizerKind::SgdMomentum:
            return "torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9, " + kernel + ")";
        case OptimizerKind::Adafactor:
            return std::string("torch.optim.Adafactor(model.parameters(), lr=1e-2)");
        default:
            return fail(Error::Code::Unsupported,
                        "settings.optimizer.kind",
                        "train.py has no " + std::string(nameOf(optimizer.kind)),
                        "--optimizer adamw, sgd or adafactor; --stack axolotl has the others");
    }
}

std::string fsdpPart(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const Settings& settings = scenario.settings;
    const std::int64_t shards = shardSize(layout);
    const bool hybrid = shards < layout.dp;
    std::string mesh = hybrid ? "(" + std::to_string(layout.dp / shards) + ", " +
                                    std::to_string(shards) +
                                    "), mesh_dim_names=(\"replicate\", \"shard\")"
                              : "(" + std::to_string(layout.dp) + ",), mesh_dim_names=(\"shard\",)";
    std::string text = "    mesh = init_device_mesh(\"cuda\", " + mesh +
                       ")\n"
                       "    policy = MixedPrecisionPolicy(param_dtype=" +
                       torchDtype(settings.precision.compute) +
                       ", reduce_dtype=" + torchDtype(settings.precision.reduce) +
                       ")\n    options = {\"mesh\": mesh, \"mp_policy\": policy";
    if (layout.offload == Offload::ParametersCpu) {
        text += ", \"offload_policy\": CPUOffloadPolicy()";
    }
    text += "}\n";
    const std::string reshard =
        settings.torch.reshard == Reshard::Default
            ? ""
            : ", reshard_after_forward=" + python(settings.torch.reshard == Reshard::Always);
    const std::string blocks = settings.torch.oneUnit ? ""
                                                      : "    for block in blocks_of(model):\n"
                                                        "        fully_shard(block, **options" +
                                                            reshard + ")\n";
    return text + blocks + "    fully_shard(model, **options" + reshard + ")\n";
}

std::string ddpPart(const Settings& settings) {
    std::string text = "    model = DistributedDataParallel(model, device_ids=[local]";
    text += ", gradient_as_bucket_view=" + python(settings.torch.bucketView);
    text += ", static_graph=" + python(settings.torch.staticGraph);
    text += settings.torch.smallFirstBucket
                ? ""
                : ", bucket_cap_mb=" + std::to_string(settings.torch.bucketCapMb);
    return text + ")\n";
}

std::string imports(const LaunchFacts& facts, bool fsdp) {
    const Scenario& scenario = facts.scenario;
    const bool saves = facts.saved.has_value();
    const std::string unpacks = facts.loads ? unpackingOf(facts) : "";
    return std::string(saves ? "import glob\n" : "") +
           "import os\n\nimport torch\nimport torch.distributed as dist\n" +
           (saves ? "import torch.distributed.checkpoint as dcp\n"
                    "from torch.distributed.checkpoint.state_dict import get_state_dict, "
                    "set_state_dict\n"
                  : "") +
           (fsdp ? "from torch.distributed.device_mesh import init_device_mesh\n"
                   "from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, "
                   "fully_shard\n"
                 : "from torch.nn.parallel import DistributedDataParallel\n") +
           "from transformers import AutoConfig, AutoModelForCausalLM" +
           (unpacks.empty() ? "" : ", " + unpacks) + "\n" +
           (usesLiger(scenario.settings.kernels)
                ? "from liger_kernel.transformers import " + ligerFunction(scenario.model) + "\n\n"
                : "\n");
}

/// A run that is started again goes on. Its metadata is the last that a save writes.
std::string loadingHelper(const std::optional<SavedStates>& saved) {
    if (!saved) {
        return "";
    }
    return "\ndef load_newest(model, optimizer):\n"
           "    \"\"\"The steps that were done before the newest checkpoint, which is loaded; 0 "
           "where "
           "there is none.\"\"\"\n"
           "    done = [os.path.dirname(one) for one in "
           "glob.glob(\"checkpoints/step-*/.metadata\")]\n"
           "    newest = max((int(one.rsplit(\"-\", 1)[1]) for one in done), default=0)\n"
           "    if newest > 0:\n"
           "        weights, moments = get_state_dict(model, optimizer)\n"
           "        states = {\"model\": weights, \"optimizer\": moments}\n"
           "        dcp.load(states, checkpoint_id=f\"checkpoints/step-{newest}\")\n"
           "        set_state_dict(model, optimizer, model_state_dict=states[\"model\"],\n"
           "                       optim_state_dict=states[\"optimizer\"])\n"
           "    return newest\n\n";
}

/// What the loop does every so many steps. A save in the background waits for the one before.
std::string savingPart(const std::optional<SavedStates>& saved) {
    if (!saved) {
        return "";
    }
    const bool async = saved->inBackground;
    const std::string before(12, ' ');
    return "        if (step + 1) % SAVE_EVERY == 0:\n" + before +
           "weights, moments = get_state_dict(model, optimizer)\n" + before +
           "states = {\"model\": weights, \"optimizer\": moments}\n" +
           (async ? before + "if pending is not None:\n" + before + "    pending.result()\n" +
                        before + "pending = dcp.async_save(states, "
                  : before + "dcp.save(states, ") +
           "checkpoint_id=f\"checkpoints/step-{step + 1}\"" +
           (async ? ", process_group=savers)\n" : ")\n");
}

/// Gradients of fp16 underflow: the loss is multiplied, and the gradients of weights in fp32 are
/// divided again. GradScaler takes no gradients in fp16.
bool scalesLoss(const Settings& settings) {
    return settings.precision.compute == Dtype::Fp16 &&
           settings.precision.parameters == Dtype::Fp32;
}

/// When gradients are reduced: after every backward pass, unless the loop says otherwise.
std::string reductionPart(GradientSync sync, bool fsdp) {
    if (sync == GradientSync::EachMicroBatch) {
        return std::string("            # Gradients are reduced after every microbatch") +
               (fsdp ? ": no whole ones are kept.\n" : ".\n");
    }
    return std::string("            last = micro + 1 == ACCUMULATION\n") +
           (fsdp ? "            model.set_requires_gradient_sync(last)\n"
                 : "            model.require_backward_grad_sync = last\n");
}

/// What the forward pass runs within: "with A, B:", with the indentation of what it begins.
std::string aroundForward(const Scenario& scenario) {
    std::vector<std::string> contexts;
    if (scenario.settings.precision.autocast) {
        contexts.push_back("torch.autocast(\"cuda\", dtype=" +
                           torchDtype(scenario.settings.precision.compute) + ")");
    }
    if (scenario.layout.offload == Offload::Activations) {
        contexts.emplace_back("torch.autograd.graph.save_on_cpu(pin_memory=True)");
    }
    return contexts.empty() ? "" : "            with " + joined(contexts, ", ") + ":\n    ";
}

/// The loop: some microbatches, then a step of the optimizer.
std::string trainingLoop(const LaunchFacts& facts, bool fsdp) {
    const Scenario& scenario = facts.scenario;
    const Settings& settings = scenario.settings;
    const bool pends = facts.saved && facts.saved->inBackground;
    std::string text = scalesLoss(settings)
                           ? "    # fp16: steps whose gradients overflow are left out.\n"
                             "    scaler = torch.amp.GradScaler(\"cuda\")\n"
                           : "";
    text += pends ? "    # Saves talk beside the training, over ranks of their own.\n"
                    "    savers = dist.new_group(backend=\"gloo\")\n    pending = None\n"
                  : "";
    text += "    for step in range(" +
            std::string(facts.saved ? "load_newest(model, optimizer), " : "") +
            "int(os.environ.get(\"STEPS\", \"" + std::to_string(stepsOf(facts)) +
            "\"))):\n"
            "        for micro in range(ACCUMULATION):\n";
    text += reductionPart(settings.torch.sync, fsdp);
    text += "            tokens = next_tokens(model_config.vocab_size)\n";
    const bool scales = scalesLoss(settings);
    text += aroundForward(scenario);
    text += "            loss = model(input_ids=tokens, labels=tokens).loss\n";
    text += scales ? "            scaler.scale(loss / ACCUMULATION).backward()\n"
                     "        scaler.unscale_(optimizer)\n"
                     "        scaler.step(optimizer)\n        scaler.update()\n"
                   : "            (loss / ACCUMULATION).backward()\n        optimizer.step()\n";
    return text +
           "        optimizer.zero_grad(set_to_none=True)\n"
           "        if dist.get_rank() == 0:\n"
           "            print(f\"step {step} loss {loss.item():.4f}\")\n" +
           savingPart(facts.saved) +
           (pends ? "    if pending is not None:\n        pending.result()\n" : "");
}

std::string helpers() {
    return "\ndef next_tokens(vocab):\n"
           "    \"\"\"Yours to replace: random tokens have the shape of a batch and nothing to "
           "learn.\"\"\"\n"
           "    return torch.randint(vocab, (MICRO_BATCH, SEQUENCE), device=\"cuda\")\n\n\n"
           "def blocks_of(model):\n"
           "    \"\"\"The longest list of modules in the model: its layers.\"\"\"\n"
           "    lists = [m for m in model.modules() if isinstance(m, torch.nn.ModuleList)]\n"
           "    return max(lists, key=len)\n\n";
}

/// On the host, by every rank: what --load-from names, or else random weights of its shape.
std::string madeModel(const LaunchFacts& facts) {
    const std::string unpacks = unpackingOf(facts);
    const std::string how = "dtype=" + torchDtype(facts.scenario.settings.precision.parameters) +
                            ", attn_implementation=" + quotedText(attentionName(facts.scenario)) +
                            (facts.loads && !unpacks.empty()
                                 ? ",\n        quantization_config=" + unpacks + "(dequantize=True)"
                                 : std::string()) +
                            ")\n";
    return facts.loads ? "    model = AutoModelForCausalLM.from_pretrained(MODEL, " + how
                       : "    # Random weights: --load-from NAME writes from_pretrained.\n"
                         "    model = AutoModelForCausalLM.from_config(model_config, " +
                             how;
}

}  // namespace

Result<LaunchFiles> torchFiles(const LaunchFacts& facts) {
    const Scenario& scenario = facts.scenario;
    const Settings& settings = scenario.settings;
    const bool fsdp = scenario.settings.engine == Engine::Fsdp2;
    if (settings.tuning == Tuning::Lora || settings.kernels.quantization != Quantization::None) {
        return fail(
            Error::Code::Unsupported,
            settings.tuning == Tuning::Lora ? "settings.tuning" : "settings.kernels.quantization",
            "train.py has neither adapters nor 8-bit products",
            "--stack axolotl");
    }
    if (facts.loadFrom.empty()) {
        return fail(Error::Code::BadInput,
                    "--load-from",
                    "no place of the config of " + scenario.model.name + " is known",
                    "--load-from a Hub name or a folder");
    }
    FABRICAST_ASSIGN(const std::string optimizer, optimizerCall(settings.optimizer));
    FABRICAST_TRY(checkAttention(scenario));
    LaunchFiles files;
    FABRICAST_ASSIGN(files.untold, untoldByTransformers(scenario, kToldToTorch));
    std::string text = commentOf(facts.about) + imports(facts, fsdp);
    text += "MODEL = " + quotedText(facts.loadFrom) + "\n";
    text += "SEQUENCE = " + std::to_string(scenario.workload.sequence) + "\n";
    text += "MICRO_BATCH = " + std::to_string(scenario.layout.microBatch) + "\n";
    text += "ACCUMULATION = " + std::to_string(accumulationOf(scenario)) + "\n";
    text += facts.saved ? "SAVE_EVERY = " + std::to_string(facts.saved->steps) + "\n\n" : "\n";
    text += helpers() + loadingHelper(facts.saved);
    text += std::string(
                "\ndef main():\n    dist.init_process_group(\"nccl\")\n"
                "    local = int(os.environ[\"LOCAL_RANK\"])\n    torch.cuda.set_device(local)\n") +
            (settings.precision.compute == Dtype::Fp32 && settings.precision.tf32
                 ? "    # TF32, as the forecast has it; PyTorch's own choice takes three times as "
                   "long.\n"
                   "    torch.set_float32_matmul_precision(\"high\")\n"
                 : "") +
            std::string(
                "    # The text part alone: the vision tower of a model that sees is left out.\n"
                "    model_config = AutoConfig.from_pretrained(MODEL).get_text_config()\n") +
            (usesLiger(settings.kernels)
                 ? "    # Of Liger's kernels those that the forecast has.\n    " +
                       ligerCall(scenario) + "\n"
                 : "") +
            madeModel(facts);
    text += "    model.config.use_cache = False\n";
    text +=
        facts.loads
            ? "    # from_pretrained leaves it in evaluation, without dropout and recomputation.\n"
              "    model.train()\n"
            : "";
    if (settings.recompute.kind == Checkpointing::Full) {
        text += "    model.gradient_checkpointing_enable()\n";
    }
    const bool onHost = scenario.layout.offload == Offload::ParametersCpu;
    // fully_shard takes each block to the GPU and leaves its part there.
    text += onHost || fsdp ? "" : "    model.cuda()\n";
    if (settings.kernels.compile) {
        text += "    for block in blocks_of(model):\n        block.compile()\n";
    }
    text += fsdp ? fsdpPart(scenario) : ddpPart(settings);
    text += "    optimizer = " + optimizer + "\n";
    text += trainingLoop(facts, fsdp);
    text += "    dist.destroy_process_group()\n\n\nif __name__ == \"__main__\":\n    main()\n";
    files.files.push_back({"train.py", std::move(text)});
    files.command = {"train.py"};
    return files;
}

}  // namespace fabricast
