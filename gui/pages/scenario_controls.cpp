#include "gui/pages/scenario_controls.h"

#include "gui/pages/choice_control.h"
#include "gui/pages/number_control.h"
#include "gui/pages/text_control.h"
#include "planner/profiles/profile_list.h"
#include "planner/report/subject_words.h"
#include "planner/spec/check_settings.h"
#include "planner/spec/layout_fields.h"
#include "planner/spec/setting_names.h"
#include "study/input_effects.h"

#include <set>
#include <utility>

namespace fabricast {
namespace {

constexpr int kMostNodesOfSlider = 2048;

std::vector<ControlChoice> profileChoices(const ProfileStore& profiles,
                                          std::initializer_list<ProfileKind> kinds) {
    std::vector<ControlChoice> choices;
    std::set<std::string> names;
    for (const ProfileKind kind : kinds) {
        const auto rows = listProfiles(profiles, kind);
        for (const ProfileRow& row : rows.value_or(std::vector<ProfileRow>())) {
            if (!names.insert(row.name).second) {
                continue;  // a server of which there is a cluster
            }
            choices.push_back({QString::fromStdString(row.name),
                               {},
                               QString::fromStdString(row.title + "\n" + row.summary)});
        }
    }
    return choices;
}

std::vector<ControlChoice> choicesOf(std::initializer_list<const char*> values) {
    std::vector<ControlChoice> choices;
    for (const char* value : values) {
        choices.push_back({value, {}});
    }
    return choices;
}

std::vector<ControlChoice> powersOfTwo(int most) {
    std::vector<ControlChoice> choices;
    for (int power = 1; power <= most; power *= 2) {
        choices.push_back({QString::number(power), {}});
    }
    return choices;
}

KeyControl* closed(ControlAbout about, const std::vector<ControlChoice>& choices) {
    return new ChoiceControl(std::move(about), choices, ChoiceControl::Kind::Closed, true);
}

KeyControl* open(ControlAbout about, const std::vector<ControlChoice>& choices, bool hasAuto) {
    return new ChoiceControl(std::move(about), choices, ChoiceControl::Kind::Open, hasAuto);
}

ControlGroup questionGroup(const ProfileStore& profiles) {
    using enum ProfileKind;
    return {
        "What is trained, and on what",
        {open({"model", "-m", "&Model", "A built-in model, or the path of a config.json", true},
              profileChoices(profiles, {Model}),
              false),
         open({"cluster.name",
               "-c",
               "Har&dware",
               "A cluster or a server: how its GPUs are joined",
               true},
              profileChoices(profiles, {Cluster, Node}),
              false),
         new NumberControl({"cluster.nodes", "-n", "&Servers", "How many of these servers"},
                           roundStops(kMostNodesOfSlider)),
         new TextControl({"cluster.gpus_per_node",
                          "--gpus-per-node",
                          "GPUs of e&ach",
                          "Only so many of the GPUs of each server: 64 of an NVL72 rack"},
                         "all"),
         new TextControl({"cluster.gpus",
                          "--gpus",
                          "GPUs in all",
                          "So many of the GPUs, instead of a number of servers: 1 of a box of 8"},
                         "8"),
         open({"cluster.fabric",
               "--fabric",
               "&Network",
               "Between the servers, instead of their own"},
              profileChoices(profiles, {Fabric}),
              true),
         new TextControl({"cluster.host_memory",
                          "--host-memory",
                          "Host memor&y",
                          "Of each server, where it is not known or another: 512GB"},
                         "512GB, 2TB")}};
}

ControlGroup workloadGroup() {
    return {
        "Training",
        {new NumberControl({"workload.sequence",
                            "--seq",
                            "Se&quence length",
                            "Tokens of one sample: longer ones need more memory"},
                           doublingStops(512, 1 << 20)),
         new TextControl({"workload.global_batch",
                          "--global-batch",
                          "Global bat&ch",
                          "Samples of one optimizer step over all GPUs: 512, or \"4M tokens\""},
                         "512, 4M tokens"),
         new TextControl({"workload.tokens",
                          "--tokens",
                          "&Tokens of the run",
                          "How many tokens the whole training reads: then days and dollars follow"},
                         "15T, 300B"),
         closed(
             {"workload.precision", "--precision", "&Precision", "Number format of the arithmetic"},
             choicesOf({"bf16", "fp16", "fp32", "pure_bf16", "fp8_blockwise", "mxfp8"})),
         closed({"workload.optimizer",
                 "--optimizer",
                 "&Optimizer",
                 "How weights are updated: its states take memory"},
                choicesOf({"adamw", "adamw_8bit", "adafactor", "lion", "sgd", "muon"})),
         closed({"settings.tuning",
                 "--tuning",
                 "T&uning",
                 "All weights (full), adapters (lora), or adapters over weights of 4 bits (qlora)"},
                choicesOf({"full", "lora", "qlora"})),
         new TextControl({"settings.lora.rank",
                          "--lora-rank",
                          "LoRA rank",
                          "Rows of each adapter: with lora or qlora"},
                         "16"),
         closed({"search.stacks",
                 "--stack",
                 "Soft&ware",
                 "The training framework; auto compares Megatron, TorchTitan, FSDP2 and DeepSpeed"},
                choicesOf({"megatron",
                           "torchtitan",
                           "fsdp2",
                           "deepspeed",
                           "ddp",
                           "nemo",
                           "accelerate",
                           "axolotl",
                           "fsdp1",
                           "megatron_fsdp"}))}};
}

ControlGroup layoutGroup() {
    const QString flag = "--fix";
    return {
        "How the GPUs are divided",
        {closed({"layout.tp", flag, "Tensor (tp)", "GPUs that split each matrix of a layer"},
                powersOfTwo(64)),
         closed({"layout.pp", flag, "Pipeline (pp)", "Stages, each with a part of the layers"},
                powersOfTwo(64)),
         closed({"layout.cp", flag, "Context (cp)", "GPUs that split each sequence"},
                powersOfTwo(64)),
         closed({"layout.ep", flag, "Expert (ep)", "GPUs over which the experts are distributed"},
                powersOfTwo(256)),
         closed({"layout.dp", flag, "Data (dp)", "Copies that train on different samples"},
                powersOfTwo(4096)),
         closed({"layout.shard",
                 flag,
                 "Sharding",
                 "What the copies share instead of keeping it each: optimizer states (zero1), "
                 "gradients too (zero2), weights too (zero3, fsdp)"},
                choicesOf({"none", "zero1", "zero2", "zero3", "fsdp", "hsdp"})),
         closed({"layout.micro_batch", flag, "Micro-batch", "Samples that a GPU computes at once"},
                powersOfTwo(64)),
         closed({"layout.recompute",
                 flag,
                 "Recompute",
                 "What backward computes again instead of keeping it: less memory, more time"},
                choicesOf({"none", "selective", "full"})),
         closed({"layout.offload",
                 flag,
                 "Offload",
                 "What lies in the servers' own memory or on their drives instead of on the GPUs"},
                choicesOf({"none",
                           "optimizer_cpu",
                           "parameters_cpu",
                           "activations",
                           "optimizer_nvme",
                           "parameters_nvme"}))}};
}

ControlGroup budgetGroup(const ProfileStore& profiles) {
    return {"Money and aim",
            {open({"price.profile",
                   "--price",
                   "Price list",
                   "Of a GPU hour: a price list, or your own quote in dollars (2.10)"},
                  profileChoices(profiles, {ProfileKind::Price}),
                  true),
             closed({"price.kind", "--price-kind", "Contract", "How the GPUs are paid"},
                    choicesOf({"on_demand", "reserved", "spot", "owned"})),
             closed({"search.objective",
                     "--objective",
                     "Best is",
                     "What the first layout has most or least of"},
                    {{"tokens", "most tokens per second"},
                     {"cost", "cheapest token"},
                     {"energy", "least energy"},
                     {"gpus", "fewest GPUs"},
                     {"memory", "least memory"}})}};
}

}  // namespace

std::vector<ControlGroup> scenarioControls(const ProfileStore& profiles) {
    return {questionGroup(profiles), workloadGroup(), layoutGroup(), budgetGroup(profiles)};
}

std::map<std::string, std::string> automaticValues(const PlanReport& report, const Plan* plan) {
    const Scenario& scenario = plan != nullptr ? plan->scenario : report.question;
    std::map<std::string, std::string> values;
    for (const ScenarioInput& input : scenarioInputs(scenario)) {
        if (plan != nullptr || !input.key.starts_with("layout.")) {
            values[input.key] = input.value;
        }
    }
    values["cluster.gpus_per_node"] = std::to_string(scenario.cluster.node.gpus);
    if (!hasNetwork(scenario.cluster)) {
        values["cluster.fabric"] = "none";
    }
    const std::string training = trainingText(scenario.settings);
    values["workload.precision"] = training.substr(0, training.find(' '));
    values["workload.optimizer"] = nameOf(scenario.settings.optimizer.kind);
    values["price.profile"] = report.basis.priceProfile;
    values["price.kind"] = report.basis.priceProfile.empty() ? "" : nameOf(report.basis.kind);
    if (plan != nullptr) {
        values["search.stacks"] = scenario.stack;
        values["layout.recompute"] = recomputeText(scenario.settings.recompute);
    }
    return values;
}

}  // namespace fabricast
