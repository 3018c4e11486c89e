#include "planner/lint/lint.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <cctype>
#include <map>

namespace fabricast {
namespace {

struct EmittedBy {
    const char* stack;
    const char* model;
    const char* version;
};

/// What a run's files are found fault with: those that run.sh reads, and those that lie beside it.
std::vector<LintFinding> foundIn(const LaunchFiles& launch, const Scenario& scenario) {
    const auto textOf = [&](const std::string& name) -> Result<std::string> {
        for (const LaunchFile& file : launch.files) {
            if (file.name == name) {
                return file.text;
            }
        }
        return fail(Error::Code::NotFound, name, "is not there");
    };
    std::vector<LintFile> files;
    const std::string script = textOf("run.sh").value();
    std::vector<OpenedFile> opened = openLaunchFiles(script, "run.sh", textOf).value();
    for (OpenedFile& one : opened) {
        files.emplace_back(std::move(one));
    }
    return lint(files,
                {.gpus = scenario.cluster.gpus(),
                 .gpusPerNode = scenario.cluster.node.gpus,
                 .model = saidSizes(scenario.model, 1, 1)});
}

class EmittedFiles : public testing::TestWithParam<EmittedBy> {};

// A plan that its framework refuses is not written, and nothing is written that a rule refuses.
TEST_P(EmittedFiles, HaveNoErrors) {
    const EmittedBy& one = GetParam();
    const LaunchTarget& target = **findLaunchTarget(one.stack);
    std::size_t written = 0;
    std::map<std::string, int> warnings;
    for (const Scenario& scenario : layoutsOf(one.stack, one.model)) {
        const auto launch = launchFiles(target, factsOf(scenario, one.version));
        if (!launch) {
            continue;
        }
        ++written;
        for (const LintFinding& finding : foundIn(*launch, scenario)) {
            EXPECT_NE(finding.severity, LintSeverity::Error)
                << finding.code << ": " << finding.what << " " << layoutText(scenario.layout);
            warnings[finding.code] += finding.severity == LintSeverity::Warning ? 1 : 0;
        }
    }
    EXPECT_GT(written, 5U);
    for (const auto& [code, count] : warnings) {
        if (count > 0) {
            RecordProperty(code, count);
        }
    }
}

// Fields of Megatron-Core that no argument sets are keys of Bridge and NeMo all the same.
TEST(EmittedPrograms, HaveNoErrorsWithKernelsOfTransformerEngine) {
    Scenario scenario = layoutsOf("megatron", "llama-3.1-8b").front();
    scenario.settings.kernels.quantization = Quantization::Fp8Tensorwise;
    scenario.settings.kernels.fp8Attention = true;
    for (const auto& [name, version] : {std::pair("megatron-bridge", "0.3.1"), {"nemo", "2.7.3"}}) {
        const LaunchTarget& target = **findLaunchTarget("megatron", name);
        const auto launch = launchFiles(target, factsOf(scenario, version));
        ASSERT_TRUE(launch) << launch.error().text();
        for (const LintFinding& finding : foundIn(*launch, scenario)) {
            EXPECT_NE(finding.severity, LintSeverity::Error)
                << finding.code << ": " << finding.what;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Frameworks,
                         EmittedFiles,
                         testing::Values(EmittedBy{"ddp", "llama-3.2-1b", "2.15"},
                                         EmittedBy{"fsdp2", "llama-3.1-8b", "2.15"},
                                         EmittedBy{"deepspeed", "llama-3.1-8b", "0.19.8"},
                                         EmittedBy{"accelerate", "llama-3.1-8b", "1.15"},
                                         EmittedBy{"axolotl", "llama-3.1-8b", "0.19.0"},
                                         EmittedBy{"torchtitan", "llama-3.1-8b", "0.2.2"},
                                         EmittedBy{"torchtitan", "llama-3.1-8b", "0.3.0"},
                                         EmittedBy{"megatron", "llama-3.1-8b", "0.19"},
                                         EmittedBy{"megatron", "gpt3-13b", "0.14"},
                                         EmittedBy{"megatron", "mixtral-8x7b", "0.19"},
                                         EmittedBy{"megatron", "deepseek-v3", "0.16"}),
                         [](const auto& one) {
                             std::string name = one.param.stack + std::string("_") +
                                                one.param.version + "_" + one.param.model;
                             std::ranges::replace_if(
                                 name,
                                 [](unsigned char letter) { return std::isalnum(letter) == 0; },
                                 '_');
                             return name;
                         });

}  // namespace
}  // namespace fabricast
