#include "planner/report/table.h"
#include "planner/request/layout_json.h"
#include "planner/request/settings_json.h"
#include "planner/stack/stack.h"
#include "study/reference_words.h"

#include <array>

namespace fabricast {
namespace {

std::string settingsTopic() {
    Table table{{{"--set PATH"}, {"meaning"}, {"values"}}, {}};
    for (const SettingHelp& setting : describeSettings()) {
        const std::string range = setting.range.empty() ? "" : " " + setting.range;
        table.rows.push_back(
            {setting.path, std::string(meaningOf(setting.path)), setting.values + range});
    }
    return alignedText(table);
}

std::string layoutTopic() {
    Table table{{{"--layout KEY"}, {"meaning"}, {"values"}}, {}};
    for (const SettingHelp& key : describeLayout()) {
        table.rows.push_back({key.path, std::string(meaningOf(key.path)), key.values});
    }
    return alignedText(table) + "Missing keys follow from the others, from the stack, or are 1.\n";
}

std::string stacksTopic() {
    Table table{{{"--stack NAME"}, {"what"}, {""}}, {}};
    for (const Stack& stack : allStacks()) {
        table.rows.push_back(
            {std::string(stack.name), std::string(stack.title), std::string(stack.description)});
    }
    return alignedText(table);
}

std::string loraTopic() {
    return "Adapters (PEFT) are trained, the model's own weights stay frozen.\n"
           "  --tuning lora                        over 16-bit weights\n"
           "  --tuning qlora                       over 4-bit weights (settings.lora.base=nf4)\n"
           "  --lora-rank 16                       rank of the adapters\n"
           "  --set settings.lora.targets=q+v      which linear layers (all-linear: each)\n"
           "  --set settings.lora.base=int8        8-bit weights\n"
           "  --set settings.lora.dora=true        DoRA\n"
           "  --set settings.lora.double_quantization=true\n"
           "  --set settings.lora.prepared_for_kbit=true   peft's "
           "prepare_model_for_kbit_training,\n"
           "                                       which casts what is not quantised to fp32\n"
           "  --set settings.lora.modules_to_save=embed_tokens+lm_head   tables trained whole\n"
           "Stacks: ddp (one copy a GPU), fsdp2 (sharded; base of 16 bits or nf4), fsdp1,\n"
           "deepspeed (ZeRO-1, -2, -3), accelerate, axolotl (double quantization by default);\n"
           "torchtitan and nemo over 16 or 32 bits, with tensor parallelism too.\n"
           "DoRA is modelled under all but FSDP1, dropout (settings.lora.dropout) under all.\n"
           "Experts keep their 16 bits, and have adapters where settings.lora.targets names\n"
           "experts or router, without DoRA and dropout.\n"
           "Step time and cost (--section time), not memory: tensor parallelism of axolotl,\n"
           "accelerate and deepspeed; nemo's experts. Latent attention (DeepSeek) and Llama 4 have "
           "both.\n"
           "Not modelled: under ZeRO-3 with recomputation the memory of adapters of experts and\n"
           "routers, and of DoRA of large ranks; states on drives; a base of 8 bits that is "
           "sharded;\n"
           "the time of offload, but for FSDP's parameters_cpu.\n"
           "  fabricast plan -m llama-3.1-8b -c 4x-rtx-4090 --tuning qlora --seq 2048\n";
}

std::string offloadTopic() {
    return "States or activations wait in the nodes' memory or on their drives: less GPU memory,\n"
           "slower steps.\n"
           "  --layout offload=parameters_cpu    weights and optimizer states (FSDP2, ZeRO-3)\n"
           "  --layout offload=optimizer_cpu     optimizer states, stepped by the CPUs\n"
           "  --layout offload=optimizer_nvme    the same on drives (ZeRO-Infinity);\n"
           "                                     parameters_nvme: the weights too\n"
           "  --layout offload=activations       what backward needs, beside the compute\n"
           "  --host-memory 2TB, --nvme 30TB     what a node has, where its profile does not say\n"
           "plan tries host memory where a stack has it; --fix offload=none leaves it out.\n"
           "  fabricast plan -m llama-3.1-70b -c dgx-h100 --stack deepspeed --seq 4096\n";
}

std::string referenceTopic() {
    return "Preference training (DPO, GRPO) keeps a frozen copy of the model, the reference.\n"
           "  --set settings.reference=whole     a bf16 copy on each GPU\n"
           "  --set settings.reference=sharded   in shards, as fully_shard has it (fsdp2 only)\n"
           "Of a second model of another kind:\n"
           "  --set settings.reference_model.dtype=fp32       its weights' type\n"
           "  --set settings.reference_model.parameters=70e9  a teacher of another size\n"
           "  --set settings.reference_model.forward=false    an average of the weights (EMA)\n"
           "Counted: the memory of the copy, and its forward, which keeps nothing for backward, "
           "in\n"
           "memory and in the step.\n"
           "Not counted: generation of samples (vLLM, …) and its memory; a reward model. Take a "
           "chosen and a rejected answer as two sequences.\n"
           "Of another size: the weights alone, not the time nor what a forward needs beside "
           "them.\n"
           "Of fp32 products: not their time. Of an average: not its update.\n"
           "Stacks: ddp, fsdp2, accelerate, axolotl, with transformers' layers. Not modelled with "
           "tp,\n"
           "pp, cp, offload or experts. Adapters need none: without them the base is the "
           "reference.\n"
           "A launch file with rl: dpo is refused: leave that line out, and type the reference.\n"
           "  fabricast plan -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq 4096 --global-batch "
           "64 --set settings.reference=sharded\n";
}

std::string recomputeTopic() {
    return "Activations that backward needs are kept, or computed again (checkpointing): less\n"
           "memory, more compute.\n"
           "  --layout recompute=none        everything is kept\n"
           "  --layout recompute=selective   TorchTitan: matrix products are kept, every other "
           "one\n"
           "                                 is not; Megatron: attention's core is computed again\n"
           "  --layout recompute=full        only each layer's input is kept: a third more "
           "compute\n"
           "  --layout recompute=uniform:4   Megatron: the input of every fourth layer\n"
           "  --layout recompute=block:8     Megatron: full, for the first 8 layers of a stage\n"
           "  --layout recompute=core_attn+mlp   Megatron's modules: core_attn, layernorm,\n"
           "                                 mla_up_proj, mlp, moe, moe_act, shared_experts\n"
           "plan searches none, selective and full; --fix recompute=full holds one of them.\n";
}

std::string moeTopic() {
    return "Mixtures of experts: each token passes a few of the experts of a layer.\n"
           "  --layout ep=8      experts are distributed over 8 GPUs (Megatron, TorchTitan, "
           "DeepSpeed)\n"
           "  --layout etp=1     tensor parallelism inside an expert\n"
           "  --set settings.kernels.dispatcher=alltoall       how tokens reach their experts\n"
           "  --set settings.kernels.dispatch_once_per_node=true   DeepEP and HybridEP\n"
           "  --set settings.megatron.expert_overlap=true      all-to-alls beside compute\n"
           "  --set settings.kernels.capacity_factor=1.25      drop tokens above a share\n"
           "  --set settings.kernels.imbalance=1.3             the busiest rank's tokens\n"
           "  --set settings.kernels.experts=deepspeed         DeepSpeed-MoE, for ep\n"
           "  --set settings.kernels.experts=autoep            AutoEP: DeepSpeed's default with "
           "ep\n"
           "  \"expert_parallel\": {\"enabled\": true, \"autoep_size\": 8}    the same in "
           "DeepSpeed's "
           "JSON\n"
           "Without ep every GPU has all experts of its layers, or shards of them (FSDP, ZeRO-3).\n"
           "  fabricast plan -m qwen3-30b-a3b -c dgx-h100 -n 2 --seq 4096\n";
}

std::string sitesTopic() {
    return "Nodes at several sites, joined by a line that all GPUs of a site share.\n"
           "  --sites 2                            the nodes are divided evenly over them\n"
           "  --wan 100Gbps                        line rate of one site to the others, each way\n"
           "  --wan-latency 10ms                   from one site to another\n"
           "Ranks are numbered site by site, so that the outermost axis of the layout crosses: "
           "dp,\n"
           "or pp where there are stages (placement=pp_inside: dp again). Collectives over sites\n"
           "are hierarchical: inside a site, and then what is left between. Without outer steps\n"
           "all sites step together.\n"
           "Local SGD (DiLoCo): sites train apart, and average once in many steps.\n"
           "  --set settings.outer.steps=100       steps from one outer step to the next\n"
           "  --set settings.outer.wire=int8       sent of each parameter (default: fp32)\n"
           "  --set settings.outer.overlap=true    exchanged while the next steps compute\n"
           "  --set settings.outer.fragments=8     Streaming DiLoCo: the model in parts\n"
           "  --set settings.outer.place=host      copy and Nesterov momentum in host memory\n"
           "Each site steps by its share of the global batch between outer steps; what that does "
           "to\n"
           "convergence is not modelled. dp is of all sites, and a multiple of them.\n"
           "simulate plays steps without outer ones; emit writes the files of one site only.\n"
           "  fabricast explain -m llama-3.1-8b -c dgx-h100 -n 4 --sites 2 --wan 100Gbps --stack "
           "fsdp2 --section comm\n";
}

constexpr std::array kTopics = {HelpTopic{"dpo", &referenceTopic},
                                HelpTopic{"exit-codes", &exitCodesTopic},
                                HelpTopic{"layout", &layoutTopic},
                                HelpTopic{"lora", &loraTopic},
                                HelpTopic{"moe", &moeTopic},
                                HelpTopic{"offload", &offloadTopic},
                                HelpTopic{"qlora", &loraTopic},
                                HelpTopic{"recompute", &recomputeTopic},
                                HelpTopic{"reference", &referenceTopic},
                                HelpTopic{"settings", &settingsTopic},
                                HelpTopic{"sites", &sitesTopic},
                                HelpTopic{"stacks", &stacksTopic}};

}  // namespace

std::string exitCodesTopic() {
    return "0  success: it fits, surely or perhaps (LIKELY, UNLIKELY TO FIT); the target is "
           "reached\n"
           "1  it does not fit, a target or a budget is missed, a requirement fails (0 with "
           "--no-fail)\n"
           "2  no forecast: bad input (an error with its place and a hint), or nothing is modelled "
           "(an answer of plan and advise says why)\n"
           "3  check: the forecast's interval does not tell whether a requirement holds\n"
           "4  environment: a file cannot be written, out of memory\n"
           "5  a bug in fabricast\n";
}

std::span<const HelpTopic> helpTopics() {
    return kTopics;
}

}  // namespace fabricast
