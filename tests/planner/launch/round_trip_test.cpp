#include "planner/launch/import_launch.h"
#include "planner/launch/untold_settings.h"
#include "planner/load/load_question.h"
#include "planner/text/json_builder.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace fabricast {
namespace {

const ProfileStore& profiles() {
    static const ProfileStore store = ProfileStore::builtIn();
    return store;
}

/// The scenario that an imported file asks about, for the model and cluster of the one written, and
/// with the batch and sequence where the file has none.
Result<LoadedScenario> reloaded(JsonValue root, const std::string& model, const Scenario& written) {
    const ProfileFile file = profiles().model(model, "").value();
    JsonValue config = *parseJson(file.text, file.source)->find("config");
    const JsonBuilder builder("test");
    config = builder.with(config, "num_hidden_layers", builder.integer(written.model.layers, ""))
                 .value();
    root = builder.with(JsonBuilder::without(root, "model"), "model", config).value();
    root = builder.with(root, "cluster.name", builder.string("dgx-h100")).value();
    root = builder.with(root, "cluster.nodes", builder.integer(2, "2")).value();
    const WorkloadSpec& asked = written.workload;
    const auto leavesOut = [&root](const char* key) {
        const JsonValue* const workload = root.find("workload");
        return workload == nullptr || workload->find(key) == nullptr;
    };
    if (leavesOut("sequence")) {
        root = builder.with(root, "workload.sequence", builder.integer(asked.sequence, "")).value();
    }
    if (leavesOut("global_batch")) {
        root = builder.with(root, "workload.global_batch", builder.integer(asked.globalBatch, ""))
                   .value();
    }
    return loadScenario(root, profiles(), {});
}

/// Settings that differ, by the name of each in a scenario.
std::string differencesOf(const Scenario& one, const Scenario& other) {
    std::string text;
    const std::vector<std::string_view> none;
    const std::vector<std::string> ofOne = untoldSettings(one, none).value();
    const std::vector<std::string> ofOther = untoldSettings(other, none).value();
    for (const std::string& name : ofOne) {
        text += "\n  read back: " + name;
    }
    for (const std::string& name : ofOther) {
        text += "\n  written: " + name;
    }
    return text;
}

bool leavesLayout(const std::vector<std::string>& untold) {
    bool leaves = false;
    for (const std::string& one : untold) {
        leaves = leaves || one.starts_with("layout.");
    }
    return leaves;
}

struct Trip {
    const char* stack;
    const char* model;
    const char* version;
    const char* file;
    const char* target = "";
};

class RoundTrip : public testing::TestWithParam<Trip> {};

// What emit writes, import reads back: layout, batch and every setting but those said to be untold.
TEST_P(RoundTrip, GivesThePlanBack) {
    const Trip& trip = GetParam();
    const LaunchTarget& target = **findLaunchTarget(trip.stack, trip.target);
    std::size_t same = 0;
    std::size_t written = 0;
    const std::vector<Scenario> plans = layoutsOf(trip.stack, trip.model);
    for (Scenario scenario : plans) {
        if (trip.version == std::string("0.2.2")) {  // ChunkedCELoss came with torchtitan 0.3.0
            scenario.settings.kernels.loss = LossKernel::Fp32Upcast;
        }
        const auto launch = launchFiles(target, factsOf(scenario, trip.version));
        if (!launch) {
            EXPECT_EQ(launch.error().code, Error::Code::Unsupported) << launch.error().text();
            continue;
        }
        ++written;
        const auto textOf = [&](const std::string& name) -> Result<std::string> {
            for (const LaunchFile& file : launch->files) {
                if (file.name == name) {
                    return file.text;
                }
            }
            return fail(Error::Code::NotFound, name, "is not there");
        };
        const auto layers = [&](const std::string&) { return std::optional(std::int64_t{8}); };
        const auto imported =
            importLaunch(textOf(trip.file).value(), trip.file, {.read = textOf, .layers = layers});
        ASSERT_TRUE(imported) << imported.error().text();
        if (leavesLayout(launch->untold)) {
            continue;  // the script has it
        }
        auto back = reloaded(*imported, trip.model, scenario);
        ASSERT_TRUE(back) << back.error().text() << "\n" << textOf(trip.file).value();
        back->scenario.settings.lora = scenario.settings.lora;  // of no adapters
        Layout layout = back->scenario.layout;
        if (layout.shardSize == layout.replicas()) {
            layout.shardSize = scenario.layout.shardSize;  // all of them, said or not
        }
        EXPECT_EQ(layoutText(layout), layoutText(scenario.layout));
        EXPECT_EQ(back->scenario.workload.globalBatch, scenario.workload.globalBatch);
        EXPECT_EQ(back->scenario.workload.sequence, scenario.workload.sequence);
        const bool settings = back->scenario.settings == scenario.settings;
        EXPECT_TRUE(settings || !launch->untold.empty())
            << layoutText(scenario.layout) << differencesOf(back->scenario, scenario);
        same += settings ? 1U : 0U;
        for (const std::string& note : back->assumed) {
            EXPECT_FALSE(note.starts_with("not looked at")) << note;
        }
    }
    EXPECT_GT(same, trip.stack == std::string("ddp") ? 2U : 10U);  // of as many as it has
    RecordProperty("plans", std::to_string(plans.size()));
    RecordProperty("written", std::to_string(written));
    RecordProperty("same", std::to_string(same));
}

INSTANTIATE_TEST_SUITE_P(
    Frameworks,
    RoundTrip,
    testing::Values(Trip{"torchtitan", "llama-3.1-8b", "0.2.2", "train.toml"},
                    Trip{"torchtitan", "llama-3.1-8b", "0.3.0", "run.sh"},
                    Trip{"fsdp2", "llama-3.1-8b", "2.15", "run.sh"},
                    Trip{"ddp", "llama-3.1-8b", "2.15", "run.sh"},
                    Trip{"deepspeed", "llama-3.1-8b", "0.19.8", "run.sh"},
                    Trip{"accelerate", "llama-3.1-8b", "1.15.0", "run.sh"},
                    Trip{"axolotl", "llama-3.1-8b", "0.19.0", "axolotl.yaml"},
                    Trip{"megatron", "llama-3.1-8b", "0.19", "run.sh"},
                    Trip{"megatron", "mixtral-8x7b", "0.19", "run.sh"},
                    Trip{"megatron", "llama-3.1-8b", "0.3.1", "run.sh", "megatron-bridge"},
                    Trip{"megatron", "mixtral-8x7b", "0.3.1", "run.sh", "megatron-bridge"},
                    Trip{"nemo", "llama-3.1-8b", "2.7.3", "run.sh"},
                    Trip{"nemo", "mixtral-8x7b", "2.7.3", "run.sh"}),
    [](const auto& one) {
        std::string name =
            one.param.stack + std::string("_") + one.param.version + "_" + one.param.model;
        std::ranges::replace_if(
            name, [](char letter) { return std::isalnum(letter) == 0; }, '_');
        return name;
    });

/// Transformer Engine's kernels for layers in 8 bits, another choice of them for each plan.
Scenario withEngineKernels(Scenario scenario, std::size_t plan) {
    constexpr std::size_t kOps = 1;
    constexpr std::size_t kAttention = 2;
    constexpr std::size_t kExperts = 4;
    KernelSettings& kernels = scenario.settings.kernels;
    kernels.fusedExperts = (plan & kExperts) != 0 && scenario.model.moe.has_value();
    kernels.quantization = kernels.fusedExperts ? Quantization::MxFp8 : Quantization::Fp8Tensorwise;
    kernels.experts = kernels.fusedExperts ? ExpertKernel::GroupedFused : kernels.experts;
    kernels.fusedOps = kernels.fusedExperts || (plan & kOps) != 0;
    kernels.fp8Attention = (plan & kAttention) != 0;
    return scenario;
}

struct EngineTrip {
    const char* target;
    const char* version;
    const char* model;
    bool ops, attention, experts;  ///< what it has keys for
};

// What a target has a key for is written and read back; a plan with another one is refused.
TEST(RoundTripOfEngineKernels, GivesThemBack) {
    for (const EngineTrip& trip :
         {EngineTrip{"megatron", "0.19", "llama-3.1-8b", true, false, true},
          EngineTrip{"megatron", "0.19", "mixtral-8x7b", true, false, true},
          EngineTrip{"megatron-bridge", "0.3.1", "llama-3.1-8b", true, true, false},
          EngineTrip{"megatron-bridge", "0.3.1", "mixtral-8x7b", true, true, false},
          EngineTrip{"nemo", "2.7.3", "llama-3.1-8b", false, true, false}}) {
        const LaunchTarget& target = **findLaunchTarget("megatron", trip.target);
        std::size_t written = 0;
        std::size_t refused = 0;
        std::size_t plan = 0;
        for (const Scenario& usual : layoutsOf("megatron", trip.model)) {
            const Scenario scenario = withEngineKernels(usual, plan++);
            const KernelSettings& kernels = scenario.settings.kernels;
            const bool has = (trip.ops || !kernels.fusedOps) &&
                             (trip.attention || !kernels.fp8Attention) &&
                             (trip.experts || !kernels.fusedExperts);
            const auto launch = launchFiles(target, factsOf(scenario, trip.version));
            if (!launch) {
                refused += has ? 0U : 1U;
                EXPECT_EQ(launch.error().code, Error::Code::Unsupported) << launch.error().text();
                continue;
            }
            ASSERT_TRUE(has) << trip.target << " " << trip.model;
            const auto textOf = [&](const std::string& name) -> Result<std::string> {
                for (const LaunchFile& file : launch->files) {
                    if (file.name == name) {
                        return file.text;
                    }
                }
                return fail(Error::Code::NotFound, name, "is not there");
            };
            const auto layers = [](const std::string&) { return std::optional(std::int64_t{8}); };
            const auto imported = importLaunch(
                textOf("run.sh").value(), "run.sh", {.read = textOf, .layers = layers});
            ASSERT_TRUE(imported) << imported.error().text();
            const JsonValue* const read = imported->find("settings")->find("kernels");
            for (const auto& [key, planned] : {std::pair("fused_ops", kernels.fusedOps),
                                               std::pair("fp8_attention", kernels.fp8Attention),
                                               std::pair("fused_experts", kernels.fusedExperts)}) {
                EXPECT_EQ(read->find(key) != nullptr, planned) << trip.target << " " << key;
            }
            ++written;
        }
        EXPECT_GT(written, 10U) << trip.target;
        const bool lacksExperts = !trip.experts && trip.model == std::string("mixtral-8x7b");
        EXPECT_EQ(refused > 0, !trip.ops || !trip.attention || lacksExperts) << trip.target;
    }
}

/// Adapters, 8-bit optimizers, Liger's loss and evaluation in a plan, other ones for each.
Scenario withTuning(Scenario scenario, std::size_t plan) {
    constexpr std::array kBases = {Dtype::Bf16, Dtype::Nf4, Dtype::Int8};
    constexpr std::array kOptimizers = {OptimizerKind::AdamW,
                                        OptimizerKind::AdamW8bit,
                                        OptimizerKind::PagedAdamW8bit,
                                        OptimizerKind::Adafactor,
                                        OptimizerKind::Lion};
    const Stack& stack = **findStack(scenario.stack);
    const bool adapts = plan % 4 != 0;
    const Checkpointing recomputed = scenario.settings.recompute.kind;
    scenario.settings = defaultSettings(
        stack, scenario.model, scenario.layout, adapts ? Tuning::Lora : Tuning::Full);
    Settings& settings = scenario.settings;
    settings.recompute.kind = recomputed;
    settings.optimizer.kind = kOptimizers[plan % kOptimizers.size()];
    const bool isPlain = scenario.layout.tp * scenario.layout.cp * scenario.layout.pp == 1;
    settings.phases.evaluationBatch = isPlain && plan % 7 == 0 ? 2 : 0;
    if (adapts) {
        settings.tuning = Tuning::Lora;
        settings.lora.base = kBases[plan % kBases.size()];
        settings.lora.rank = plan % 2 == 0 ? 8 : 64;
        settings.lora.dropout = plan % 5 == 0 ? 0.1 : 0.0;
        settings.lora.dora = plan % 11 == 0;
    }
    settings.lora.doubleQuantization &= settings.lora.base == Dtype::Nf4;  // as it is loaded
    return scenario;
}

TEST(RoundTripOfTuning, GivesThePlanBack) {
    for (const std::string stack : {"accelerate", "deepspeed", "axolotl"}) {
        const LaunchTarget& target = **findLaunchTarget(stack);
        std::size_t same = 0;
        std::size_t plan = 0;
        for (const Scenario& usual : layoutsOf(stack, "llama-3.1-8b")) {
            const Scenario scenario = withTuning(usual, plan++);
            if (!(*findStack(stack))->check(scenario)) {
                continue;
            }
            const auto launch = launchFiles(target, factsOf(scenario, std::string(target.newest)));
            if (!launch) {
                EXPECT_EQ(launch.error().code, Error::Code::Unsupported) << launch.error().text();
                continue;
            }
            LaunchFolder folder;
            for (const LaunchFile& file : launch->files) {
                folder.emplace(file.name, file.text);
            }
            const std::string first = stack == "axolotl" ? "axolotl.yaml" : "run.sh";
            const auto imported = importedFrom(folder, first);
            ASSERT_TRUE(imported) << imported.error().text() << folder[first];
            const auto back = reloaded(*imported, "llama-3.1-8b", scenario);
            ASSERT_TRUE(back) << back.error().text() << folder[first];
            const bool settings = back->scenario.settings == scenario.settings;
            const bool isUntold = std::ranges::any_of(launch->untold, [](const std::string& one) {
                return one.starts_with("settings.");
            });
            EXPECT_TRUE(settings || isUntold)
                << stack << " " << layoutText(scenario.layout)
                << differencesOf(back->scenario, scenario) << folder[first];
            EXPECT_EQ(back->scenario.workload.globalBatch, scenario.workload.globalBatch);
            same += settings ? 1U : 0U;
        }
        EXPECT_GT(same, 10U) << stack;
    }
}

/// deepspeed.moe in place of the experts of a plan, with other ranks and another capacity for each.
Scenario withOwnExperts(Scenario scenario, std::size_t plan) {
    constexpr std::size_t kWays = 4;
    Settings& settings = scenario.settings;
    settings.kernels.experts = ExpertKernel::DeepSpeed;
    scenario.layout.ep = std::int64_t{1} << (plan % kWays);
    settings.kernels.capacityFactor = plan % 2 == 0 ? 0.0 : 1.25;
    settings.deepspeed.minCapacity = plan % 3 == 0 ? 4 : 8;
    return scenario;
}

TEST(RoundTripOfDeepspeedExperts, GivesThePlanBack) {
    const LaunchTarget& target = **findLaunchTarget("deepspeed");
    std::size_t plan = 0;
    std::size_t same = 0;
    for (const Scenario& usual : layoutsOf("deepspeed", "mixtral-8x7b")) {
        const Scenario scenario = withOwnExperts(usual, plan++);
        const std::int64_t ranks = scenario.layout.replicas();
        if (usual.layout.shard == Shard::Zero3 || ranks % scenario.layout.ep != 0) {
            continue;
        }
        const LaunchFiles launch = launchFiles(target, factsOf(scenario, "0.19.8")).value();
        LaunchFolder folder;
        for (const LaunchFile& file : launch.files) {
            folder.emplace(file.name, file.text);
        }
        const auto imported = importedFrom(folder, "run.sh");
        ASSERT_TRUE(imported) << imported.error().text();
        const auto back = reloaded(*imported, "mixtral-8x7b", scenario);
        ASSERT_TRUE(back) << back.error().text() << folder["run.sh"];
        EXPECT_EQ(back->scenario.layout.ep, scenario.layout.ep) << folder["run.sh"];
        EXPECT_EQ(layoutText(back->scenario.layout), layoutText(scenario.layout));
        EXPECT_EQ(back->scenario.settings.kernels.experts, ExpertKernel::DeepSpeed);
        EXPECT_EQ(back->scenario.settings.kernels.capacityFactor,
                  scenario.settings.kernels.capacityFactor);
        EXPECT_EQ(back->scenario.settings.deepspeed.minCapacity,
                  scenario.settings.deepspeed.minCapacity);
        ++same;
    }
    EXPECT_GT(same, 10U);
}

// A job that starts run.sh says what run.sh says.
TEST(RoundTripOfJobs, IsThatOfTheScriptTheyStart) {
    for (const char* const stack : {"fsdp2", "deepspeed", "axolotl", "torchtitan", "megatron"}) {
        const LaunchTarget& target = **findLaunchTarget(stack);
        const Scenario scenario = layoutsOf(stack, "llama-3.1-8b").back();
        LaunchFacts facts = factsOf(scenario, std::string(target.newest));
        facts.launcher = Launcher::Slurm;
        const LaunchFiles launch = launchFiles(target, facts).value();
        const auto textOf = [&](const std::string& name) -> Result<std::string> {
            for (const LaunchFile& file : launch.files) {
                if (file.name == name) {
                    return file.text;
                }
            }
            return fail(Error::Code::NotFound, name, "is not there");
        };
        const auto layers = [](const std::string&) { return std::optional(std::int64_t{8}); };
        const ImportContext context{.read = textOf, .layers = layers};
        const auto job = importLaunch(textOf("job.sbatch").value(), "job.sbatch", context);
        const auto run = importLaunch(textOf("run.sh").value(), "run.sh", context);
        ASSERT_TRUE(job && run) << stack << (job ? run : job).error().text();
        EXPECT_EQ(job->shown(), run->shown()) << stack;
    }
}

// The script has the micro-batch: what the file has is read back.
TEST(RoundTripOfAccelerate, GivesTheMeshBack) {
    const LaunchTarget& target = **findLaunchTarget("accelerate");
    std::size_t read = 0;
    for (const Scenario& scenario : layoutsOf("accelerate", "llama-3.1-8b")) {
        const LaunchFiles launch = launchFiles(target, factsOf(scenario, "1.15")).value();
        const auto textOf = [&](const std::string& name) -> Result<std::string> {
            for (const LaunchFile& file : launch.files) {
                if (file.name == name) {
                    return file.text;
                }
            }
            return fail(Error::Code::NotFound, name, "is not there");
        };
        const std::string yaml = textOf("accelerate.yaml").value();
        JsonValue root =
            importLaunch(yaml, "accelerate.yaml", {.read = textOf, .layers = {}}).value();
        const JsonBuilder builder("test");
        root =
            builder
                .with(root, "layout.micro_batch", builder.integer(scenario.layout.microBatch, ""))
                .value();
        const auto back = reloaded(root, "llama-3.1-8b", scenario);
        ASSERT_TRUE(back) << back.error().text() << yaml;
        Layout layout = back->scenario.layout;
        if (layout.shardSize == layout.replicas()) {
            layout.shardSize = scenario.layout.shardSize;
        }
        EXPECT_EQ(layoutText(layout), layoutText(scenario.layout)) << yaml;
        EXPECT_EQ(back->scenario.settings.engine, scenario.settings.engine);
        ++read;
    }
    EXPECT_GT(read, 50U);
}

}  // namespace
}  // namespace fabricast
