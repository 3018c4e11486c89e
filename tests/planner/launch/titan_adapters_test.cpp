#include "planner/text/json_strings.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

/// A plan of torchtitan's with adapters, as its stack sets them.
Scenario titanAdapters(const std::string& model = "llama-3.1-8b") {
    Scenario scenario = layoutsOf("torchtitan", model).front();
    const Stack& stack = **findStack("torchtitan");
    scenario.settings = defaultSettings(stack, scenario.model, scenario.layout, Tuning::Lora);
    scenario.settings.lora.targets = {"q", "k", "v", "o", "gate", "up", "down"};
    return scenario;
}

Result<LaunchFiles> written(const Scenario& scenario, const std::string& version = "0.3.0") {
    return launchFiles(**findLaunchTarget("torchtitan"), factsOf(scenario, version));
}

LaunchFolder folderOf(const LaunchFiles& files) {
    LaunchFolder folder;
    for (const LaunchFile& one : files.files) {
        folder[one.name] = one.text;
    }
    return folder;
}

// LoRAConverter is called in Python: a module gives torchtitan's own config adapters.
TEST(TitanAdapters, StandInAModuleThatTheArgumentsName) {
    Scenario scenario = titanAdapters();
    scenario.settings.lora.rank = 32;
    const auto launch = written(scenario);
    ASSERT_TRUE(launch) << launch.error().text();
    LaunchFolder folder = folderOf(*launch);
    EXPECT_NE(folder["run.sh"].find("--module titan_adapters --config llama3_8b_lora\n"),
              std::string::npos)
        << folder["run.sh"];
    EXPECT_NE(folder["titan_adapters.py"].find(
                  "from torchtitan.models.llama3.config_registry import llama3_8b\n\n\n"
                  "def llama3_8b_lora():\n    config = llama3_8b()\n"
                  "    adapters = LoRAConverter.Config(rank=32, alpha=64, "
                  "target_modules=[\"wqkv\", \"wo\", \"w1\", \"w3\", \"w2\"])\n"),
              std::string::npos)
        << folder["titan_adapters.py"];
    EXPECT_TRUE(launch->untold.empty()) << launch->untold.front();
}

TEST(TitanAdapters, AreReadBack) {
    Scenario scenario = titanAdapters();
    scenario.settings.lora.rank = 32;
    scenario.settings.lora.targets = {"q", "k", "v", "down"};
    scenario.settings.precision.parameters = Dtype::Bf16;
    scenario.settings.lora.base = Dtype::Bf16;
    scenario.settings.lora.dtype = Dtype::Bf16;
    const LaunchFolder folder = folderOf(written(scenario).value());
    const auto read = [&folder](const char* path) { return readFrom(folder, "run.sh", path); };
    EXPECT_EQ(read("settings.tuning"), "\"lora\"");
    EXPECT_EQ(read("settings.lora.rank"), "32");
    EXPECT_EQ(read("settings.lora.targets"), "\"q+k+v+down\"");
    EXPECT_EQ(read("settings.lora.base"), "\"bf16\"");
    EXPECT_EQ(read("settings.lora.dtype"), "\"bf16\"");
    EXPECT_EQ(read("settings.torch.backend"), "\"partial_dtensor\"");
    EXPECT_EQ(read("model"), "\"llama-3.1-8b\"");
    const JsonValue run = importedFrom(folder, "run.sh").value();
    for (const std::string& note : stringsIn(run.find("imported")->find("notes"))) {
        EXPECT_FALSE(note.starts_with("not looked at")) << note;
    }
}

TEST(TitanAdapters, AreRefusedWhereNoReleaseHasThem) {
    const auto why = [](const Scenario& scenario, const char* version) {
        const auto launch = written(scenario, version);
        return launch ? std::string("written") : launch.error().text();
    };
    EXPECT_EQ(why(titanAdapters(), "0.2.2"),
              "settings.tuning: torchtitan 0.2.2 has no adapters (--framework-version 0.3.0)");
    for (const char* const version : {"0.2.2", "0.3.0"}) {
        EXPECT_EQ(
            why(titanAdapters("llama-2-7b"), version),
            "model: torchtitan has adapters in 0.3.0 alone, which has no config of llama-2-7b "
            "(--stack axolotl or accelerate)");
    }
    Scenario scenario = titanAdapters();
    scenario.settings.lora.targets = {"q", "o"};
    EXPECT_EQ(why(scenario, "0.3.0"),
              "settings.lora.targets: the configs of torchtitan 0.3.0 have no linear layer of q "
              "alone (settings.lora.targets=q+k+v+o)");
    scenario = titanAdapters();
    scenario.settings.kernels.fusedQkv = false;
    EXPECT_EQ(why(scenario, "0.3.0"),
              "settings.kernels.fused_qkv: the configs of torchtitan 0.3.0 have one matrix of q, k "
              "and v (--set settings.kernels.fused_qkv=true)");
}

/// What is read of a user's own module, beside one that has no adapters.
std::string ofModule(const std::string& program, const char* path, const char* config = "mine") {
    const LaunchFolder folder = {
        {"run.sh",
         std::string(
             "torchrun --nproc-per-node 8 -m torchtitan.train --module our.runs --config ") +
             config + " --parallelism.spmd_backend partial_dtensor\n"},
        {"our/runs.py",
         "def plain():\n    return llama3_70b()\n\ndef mine():\n    config = llama3_8b()\n" +
             program + "    return config\n"}};
    return readFrom(folder, "run.sh", path);
}

TEST(TitanAdapters, OfAUsersModuleAreReadInTheFunctionThatIsNamed) {
    const std::string lora = "    lora = LoRAConverter.Config(target_modules=[\"wo\"])\n";
    EXPECT_EQ(ofModule(lora, "settings.lora.targets"), "\"o\"");
    EXPECT_EQ(ofModule(lora, "settings.lora.rank"), "8");
    EXPECT_EQ(ofModule(lora, "model"), "\"llama-3.1-8b\"");
    EXPECT_EQ(ofModule("", "settings.tuning"), "-");
    EXPECT_EQ(ofModule("", "model"), "\"llama-3.1-8b\"");
    EXPECT_EQ(ofModule("", "model", "plain"), "\"llama-3.3-70b\"");
    EXPECT_EQ(
        ofModule(lora, "settings.tuning", "plain"),
        "our/runs.py:6:26: LoRAConverter is called outside of def plain, or more than once (one "
        "call, in def plain)");
    EXPECT_EQ(
        ofModule("    lora = LoRAConverter.Config(rank=4)\n", "settings.tuning"),
        "our/runs.py:6:26: LoRAConverter adapters of every linear layer, the head among them, "
        "are not modelled (target_modules=[\"wqkv\", \"wo\", \"w1\", \"w2\", \"w3\"])");
    EXPECT_EQ(
        ofModule("    lora = LoRAConverter.Config(target_modules=[\"gate\"])\n", "settings.tuning"),
        "our/runs.py:6:33: LoRAConverter.target_modules \"gate\" is not modelled (wqkv, wq, wkv, "
        "wo, w1, w3, w2)");
}

// Where nobody says otherwise 0.3.0 trains the whole model beside its adapters.
TEST(TitanAdapters, StandUnderTheBackendThatNobodyChose) {
    LaunchFolder folder = folderOf(written(titanAdapters()).value());
    std::string& script = folder["run.sh"];
    const std::size_t at = script.find("    --parallelism.spmd_backend");
    script.erase(at, script.find('\n', at) + 1 - at);
    EXPECT_EQ(readFrom(folder, "run.sh", "settings.torch.backend"), "\"spmd_types\"");
}

}  // namespace
}  // namespace fabricast
