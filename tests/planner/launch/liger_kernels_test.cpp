#include "planner/launch/liger_kernels.h"

#include "planner/launch/import_launch.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

/// The first layout of a stack that the fused loss is modelled for.
Scenario fusedLossOf(const char* stack) {
    for (Scenario scenario : layoutsOf(stack, "llama-3.1-8b")) {
        if (scenario.layout.tp * scenario.layout.pp * scenario.layout.cp == 1) {
            scenario.settings.kernels.loss = LossKernel::Liger;
            return scenario;
        }
    }
    return {};
}

LaunchFiles writtenFor(const char* stack) {
    const LaunchTarget& target = **findLaunchTarget(stack);
    return launchFiles(target, factsOf(fusedLossOf(stack), std::string(target.newest))).value();
}

Result<JsonValue> readBack(const std::string& text, const std::string& name, ReadNamed read) {
    const auto layers = [](const std::string&) { return std::optional(std::int64_t{8}); };
    return importLaunch(text, name, {.read = std::move(read), .layers = layers});
}

std::string kernelOf(const Result<JsonValue>& root, const char* kernel) {
    if (!root) {
        return root.error().text();
    }
    const JsonValue* at = &*root;
    for (const char* const key : {"settings", "kernels", kernel}) {
        at = at == nullptr ? nullptr : at->find(key);
    }
    return at == nullptr ? "" : at->text().value();
}

std::string lossOf(const Result<JsonValue>& root) {
    return kernelOf(root, "loss");
}

/// "norm rope": those that are Liger's.
std::string ligersOf(const Result<JsonValue>& root) {
    std::string all;
    for (const char* const kernel : {"norm", "rope", "activation", "loss"}) {
        all += kernelOf(root, kernel) == "liger" ? std::string(kernel) + " " : "";
    }
    return all;
}

TEST(LigerLoss, IsReadBackFromWhatIsWritten) {
    for (const char* const stack : {"ddp", "fsdp2", "axolotl", "accelerate", "deepspeed"}) {
        const LaunchFiles files = writtenFor(stack);
        const auto textOf = [&](const std::string& name) -> Result<std::string> {
            const auto file = std::ranges::find(files.files, name, &LaunchFile::name);
            return file == files.files.end() ? fail(Error::Code::NotFound, name, "is not there")
                                             : Result<std::string>(file->text);
        };
        const std::string name = stack == std::string("axolotl") ? "axolotl.yaml" : "run.sh";
        EXPECT_EQ(lossOf(readBack(textOf(name).value(), name, textOf)), "liger") << stack;
        for (const std::string& one : files.untold) {
            EXPECT_FALSE(one.starts_with("settings.kernels.loss")) << stack << ": " << one;
        }
    }
}

// Axolotl 0.19: integrations/cut_cross_entropy, monkeypatch/loss/chunked.py.
TEST(LigerLoss, IsTheOnlyOneOfAxolotlsLosses) {
    const auto noFile = [](const std::string& name) -> Result<std::string> {
        return fail(Error::Code::NotFound, name, "is not there");
    };
    const auto whyNot = [&](const std::string& key) {
        const auto run = readBack("base_model: a/b\n" + key + "\n", "a.yaml", noFile);
        return run ? "" : run.error().where + ": " + run.error().why;
    };
    const std::string cut = " is not modelled: its kernels make no logits";
    EXPECT_EQ(whyNot("cut_cross_entropy: true"), "a.yaml:2:1: cut_cross_entropy" + cut);
    const std::string plugin =
        "plugins: [axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin]";
    EXPECT_EQ(whyNot(plugin), "a.yaml:2:1: plugins" + cut);
    EXPECT_EQ(whyNot(plugin + "\ncut_cross_entropy: false"), "");
    EXPECT_EQ(whyNot("chunked_cross_entropy: true"),
              "a.yaml:2:1: chunked_cross_entropy is not modelled: whole logits in bf16, cast in "
              "parts");
}

TEST(LigerLoss, IsTheOnlyOneThatFilesOfTransformersSay) {
    Scenario scenario = layoutsOf("accelerate", "llama-3.2-1b").front();
    scenario.settings.kernels.loss = LossKernel::Chunked;
    const LaunchTarget& target = **findLaunchTarget("accelerate");
    const LaunchFiles files =
        launchFiles(target, factsOf(scenario, std::string(target.newest))).value();
    EXPECT_NE(std::ranges::find(files.untold, "settings.kernels.loss=chunked"), files.untold.end());
}

TEST(LigerLoss, IsOneOfTheKernelsOfTrainer) {
    const auto noFile = [](const std::string& name) -> Result<std::string> {
        return fail(Error::Code::NotFound, name, "is not there");
    };
    const std::string script =
        "torchrun --nproc-per-node 8 sft.py --model_name_or_path meta-llama/Llama-3.1-8B --bf16 "
        "--max_length 4096 --per_device_train_batch_size 1 --use_liger_kernel";
    EXPECT_EQ(lossOf(readBack(script, "run.sh", noFile)), "liger");
    EXPECT_EQ(lossOf(readBack(script + " False", "run.sh", noFile)), "");
    EXPECT_EQ(lossOf(readBack(script + " --liger_kernel_config "
                                       "'{\"fused_linear_cross_entropy\": false}'",
                              "run.sh",
                              noFile)),
              "");
    const auto program = [&](const std::string& fused) {
        return readBack(
            "from transformers import Trainer, TrainingArguments\n"
            "args = TrainingArguments(per_device_train_batch_size=1, bf16=True, "
            "use_liger_kernel=True,\n"
            "    liger_kernel_config={\"fused_linear_cross_entropy\": " +
                fused + "})\nTrainer(args=args).train()\n",
            "full.py",
            noFile);
    };
    EXPECT_EQ(lossOf(program("True")), "liger");
    EXPECT_EQ(lossOf(program("False")), "");
    EXPECT_EQ(ligersOf(readBack(script, "run.sh", noFile)), "norm rope activation loss ");
    EXPECT_EQ(ligersOf(readBack(script + " --liger_kernel_config "
                                         "'{\"rope\": false, \"swiglu\": false}'",
                                "run.sh",
                                noFile)),
              "norm loss ");
}

TEST(LigerKernels, AreReadFromAxolotlsKeys) {
    const auto noFile = [](const std::string& name) -> Result<std::string> {
        return fail(Error::Code::NotFound, name, "is not there");
    };
    const auto of = [&](const std::string& keys) {
        return ligersOf(readBack("base_model: a/b\n" + keys, "a.yaml", noFile));
    };
    EXPECT_EQ(of("liger_rms_norm: true\nliger_layer_norm: true\n"), "norm ");
    EXPECT_EQ(of("liger_rope: true\nliger_glu_activation: true\n"), "rope activation ");
    EXPECT_EQ(of("liger_swiglu: true\nliger_rope: false\n"), "activation ");
}

TEST(LigerKernels, AreReadBackFromWhatIsWritten) {
    for (const char* const stack : {"ddp", "axolotl"}) {
        Scenario scenario = fusedLossOf(stack);
        scenario.settings.kernels.norm = NormKernel::Liger;
        scenario.settings.kernels.activation = ActivationKernel::Liger;
        const LaunchTarget& target = **findLaunchTarget(stack);
        const LaunchFiles files =
            launchFiles(target, factsOf(scenario, std::string(target.newest))).value();
        const auto textOf = [&](const std::string& name) -> Result<std::string> {
            const auto file = std::ranges::find(files.files, name, &LaunchFile::name);
            return file == files.files.end() ? fail(Error::Code::NotFound, name, "is not there")
                                             : Result<std::string>(file->text);
        };
        const std::string name = stack == std::string("axolotl") ? "axolotl.yaml" : "run.sh";
        EXPECT_EQ(ligersOf(readBack(textOf(name).value(), name, textOf)), "norm activation loss ");
        for (const std::string& one : files.untold) {
            EXPECT_FALSE(one.starts_with("settings.kernels")) << stack << ": " << one;
        }
    }
}

// All that there are for a family need no word: gpt-oss has no activation, GLM-4 does not rotate.
TEST(LigerKernels, NeedNoConfigWhereAllOfThemAreOn) {
    Scenario scenario = fusedLossOf("accelerate");
    KernelSettings& kernels = scenario.settings.kernels;
    EXPECT_EQ(ligerConfig(scenario), "{\"rope\": False, \"rms_norm\": False, \"swiglu\": False}");
    kernels.norm = NormKernel::Liger;
    scenario.model.family = "glm4";
    EXPECT_EQ(ligerConfig(scenario), "{\"swiglu\": False}");
    kernels.rope = RopeKernel::Liger;
    scenario.model.family = "gpt_oss";
    EXPECT_EQ(ligerConfig(scenario), "");
    scenario.model.family = "llama";
    kernels.activation = ActivationKernel::Liger;
    EXPECT_EQ(ligerConfig(scenario), "");
}

// A command line cannot turn single kernels off.
TEST(LigerKernels, AreSaidWhereACommandLineCannot) {
    Scenario scenario = fusedLossOf("accelerate");
    scenario.settings.kernels.norm = NormKernel::Liger;
    const LaunchTarget& target = **findLaunchTarget("accelerate");
    const LaunchFiles files =
        launchFiles(target, factsOf(scenario, std::string(target.newest))).value();
    const auto says = [](const std::string& one) {
        return one.find("liger_kernel_config={\"rope\": False, \"swiglu\": False}") !=
               std::string::npos;
    };
    EXPECT_TRUE(std::ranges::any_of(files.untold, says));
}

}  // namespace
}  // namespace fabricast
