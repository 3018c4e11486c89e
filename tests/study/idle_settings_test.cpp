#include "planner/report/answer_json.h"
#include "planner/request/settings_json.h"
#include "planner/stack/stack.h"
#include "planner/text/json_text.h"
#include "study/check.h"
#include "study/compare.h"
#include "study/explain.h"
#include "study/plan.h"
#include "study/simulate.h"
#include "study/size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace fabricast {
namespace idle_settings_test {

const Workbench& workbench() {
    static const Workbench opened = Workbench::open({}, 2).value();
    return opened;
}

constexpr const char* kDense = R"("model": "llama-3.2-1b")";
constexpr const char* kExperts = R"("model": "qwen1.5-moe-a2.7b")";
constexpr const char* kAdapters = R"("model": "llama-3.2-1b", "settings": {"tuning": "lora"})";

Question asked(const std::string& stack, const std::string& what) {
    return parseQuestion("{" + what + R"(, "cluster": "dgx-b300", "stack": ")" + stack +
                             R"(", "workload": {"sequence": 2048, "global_batch": 16}})",
                         "run.json",
                         {})
        .value();
}

/// What a question is answered with: all numbers, and the settings that are said to change none.
struct Numbers {
    Settings settings;
    std::string text;
    std::string idle;
};

Result<Numbers> numbersOf(const Question& question) {
    FABRICAST_ASSIGN(const Explanation answer,
                     explain(question, {.memory = true, .step = true}, workbench(), {}));
    MemoryBreakdown memory = *answer.memory;
    memory.rejections.clear();  // what would make it fit is not about this run
    JsonText text;
    writeMemory(text, memory);
    writeTime(text, *answer.step, nullptr);
    writeComm(text, answer.scenario.cluster, *answer.step);
    Numbers numbers{
        .settings = answer.scenario.settings, .text = std::move(text).finish(), .idle = {}};
    for (const std::string& note : answer.memory->notes) {
        numbers.idle += note.starts_with("no effect here: ") ? note : "";
    }
    return numbers;
}

/// A few values of a setting, whatever it holds by itself.
std::vector<std::string> valuesOf(const SettingHelp& help) {
    if (help.path == "settings.train") {
        return {"last:2", "norms"};
    }
    if (help.path == "settings.lora.targets") {
        return {"q", "q+v"};
    }
    if (help.path == "settings.recompute.modules") {
        return {"mlp", "core_attn"};
    }
    if (help.values == "number") {
        return {"0", "0.5", "2", "3", "100000"};
    }
    std::vector<std::string> values;
    std::istringstream words(help.values);
    for (std::string word; std::getline(words, word, '|');) {
        values.push_back(word);
    }
    return values;
}

class IdleSettings : public testing::TestWithParam<std::string> {};

// Whatever is set of whatever stack, either moves a number, or is refused with a reason, or is said
// to have no effect; and what is said to have none moves no number.
TEST_P(IdleSettings, AreSaidAndNoOthers) {
    for (const char* const what : {kDense, kExperts, kAdapters}) {
        const Question question = asked(GetParam(), what);
        const Result<Numbers> usual = numbersOf(question);
        if (!usual) {
            EXPECT_EQ(usual.error().code, Error::Code::Unsupported) << usual.error().text();
            continue;
        }
        for (const SettingHelp& help : describeSettings()) {
            for (const std::string& value : valuesOf(help)) {
                const Edit edit{help.path, value, "--set"};
                const Result<Question> changed = with(question, {&edit, 1});
                ASSERT_TRUE(changed) << help.path;
                const Result<Numbers> numbers = numbersOf(*changed);
                if (!numbers) {
                    EXPECT_FALSE(numbers.error().why.empty());
                    continue;
                }
                const bool isSaid =
                    numbers->idle.find(help.path + "=" + value) != std::string::npos;
                const bool moves = numbers->text != usual->text;
                const bool isUsual = numbers->settings == usual->settings;
                EXPECT_TRUE(isUsual || moves != isSaid)
                    << what << " " << help.path << "=" << value << ": " << numbers->idle;
            }
        }
    }
}

// A setting of other frameworks moves nothing, though the same key moves theirs.
struct OtherSetting {
    const char* stack;
    const char* setting;
    const char* value;
    const char* has;  ///< a stack that has it
};
constexpr OtherSetting kOthers[] = {
    {"megatron-fsdp", "settings.torch.reshard", "never", "fsdp2"},
    {"megatron-fsdp", "settings.torch.sync", "last_micro_batch", "fsdp2"},
    {"torchtitan", "settings.torch.sync", "last_micro_batch", "fsdp2"},
    {"megatron", "settings.optimizer.kernel", "for_loop", "torchtitan"},
    {"megatron", "settings.optimizer.kernel", "foreach", "torchtitan"},
    {"megatron-fsdp", "settings.optimizer.kernel", "bitsandbytes", "ddp"},
    {"nemo", "settings.optimizer.kernel", "for_loop", "ddp"},
    {"torchtitan", "settings.optimizer.kernel", "deepspeed", "ddp"},
    {"axolotl", "settings.optimizer.kernel", "for_loop", "accelerate"},
    {"axolotl", "settings.kernels.cuda_graphs", "true", "torchtitan"},
    {"megatron", "settings.kernels.compile", "true", "torchtitan"},
    {"nemo", "settings.kernels.attention_code", "math", "fsdp2"},
    {"torchtitan", "settings.kernels.norm", "fp32", ""},
    {"torchtitan", "settings.kernels.loss", "logits_dtype", "fsdp2"},
    {"axolotl", "settings.kernels.fused_qkv", "true", ""},
    {"fsdp2", "settings.kernels.rope", "complex", ""}};

TEST(OtherFrameworksSettings, MoveNothingAndAreSaid) {
    for (const OtherSetting& other : kOthers) {
        const std::string said = std::string(other.setting) + "=" + other.value;
        const Edit edit{other.setting, other.value, "--set"};
        const auto changed = [&](const std::string& stack) {
            return numbersOf(with(asked(stack, kDense), {&edit, 1}).value()).value();
        };
        const Numbers numbers = changed(other.stack);
        EXPECT_EQ(numbers.text, numbersOf(asked(other.stack, kDense)).value().text)
            << other.stack << " " << said;
        EXPECT_NE(numbers.idle.find(said), std::string::npos) << other.stack << " " << said;
        if (*other.has != '\0') {
            EXPECT_NE(changed(other.has).text, numbersOf(asked(other.has, kDense)).value().text)
                << other.has << " " << said;
        }
    }
}

// DeepSpeed's partition_method counts no ends of a pipeline, and its stages send, then receive; the
// others' do both at once.
TEST(OtherFrameworksSettings, OfPipelinesMoveNothingAndAreSaid) {
    const auto numbers = [](const char* stack, std::vector<Edit> edits) {
        edits.push_back({"layout.pp", "4", "--layout"});
        return numbersOf(with(asked(stack, R"("model": "llama-3.1-8b")"), edits).value()).value();
    };
    for (const auto& [stack, key, value] :
         {std::tuple("deepspeed", "settings.pipeline.embedding_weight", "2"),
          std::tuple("deepspeed", "settings.pipeline.head_weight", "4"),
          std::tuple("deepspeed", "settings.pipeline.first_stage_layers", "1"),
          std::tuple("deepspeed", "settings.pipeline.last_stage_layers", "1"),
          std::tuple("deepspeed", "settings.pipeline.serial_exchange", "false"),
          std::tuple("megatron", "settings.pipeline.serial_exchange", "true"),
          std::tuple("torchtitan", "settings.pipeline.serial_exchange", "true")}) {
        const Numbers set = numbers(stack, {{key, value, "--set"}});
        EXPECT_EQ(set.text, numbers(stack, {}).text) << stack << " " << key;
        EXPECT_EQ(set.idle, "no effect here: " + std::string(key) + "=" + value) << stack;
    }
}

// torch's AdamW steps where Transformer Engine and apex are not installed.
TEST(OtherFrameworksSettings, LeaveMegatronTorchsOptimizer) {
    const std::vector<Edit> edits = {{"settings.kernels.code", "megatron", "--set"},
                                     {"settings.optimizer.kernel", "foreach", "--set"}};
    const Numbers numbers = numbersOf(with(asked("megatron", kDense), edits).value()).value();
    EXPECT_EQ(numbers.settings.optimizer.kernel, OptimizerKernel::Foreach);
    EXPECT_EQ(numbers.idle, "");
}

// A search says it of settings that move nothing of any plan that it shows.
TEST(IdleInAllPlans, IsSaid) {
    const auto notesOf = [](const char* stacks) {
        const Edit edit{"settings.megatron.rope_fusion", "false", "--set"};
        Question question = asked(stacks, kDense);
        question = with(question, {&edit, 1}).value();
        return plan(question, {}, workbench(), {}).value().notes;
    };
    const std::string said = "no effect here: settings.megatron.rope_fusion=false";
    const auto saysIt = [&](const std::vector<std::string>& notes) {
        return std::ranges::find(notes, said) != notes.end();
    };
    EXPECT_TRUE(saysIt(notesOf("fsdp2")));
    EXPECT_FALSE(saysIt(notesOf("megatron")));
}

constexpr const char* kSaid = "no effect here: settings.megatron.rope_fusion=false";

bool saysIdle(const std::vector<std::string>& notes) {
    return std::ranges::find(notes, kSaid) != notes.end();
}

// Whatever is asked of a run, what is set without effect is said of it.
TEST(IdleInEveryAnswer, IsSaid) {
    for (const char* const stack : {"fsdp2", "megatron"}) {
        const bool isIdle = std::string(stack) == "fsdp2";
        const Edit edit{"settings.megatron.rope_fusion", "false", "--set"};
        const Question question = with(asked(stack, kDense), {&edit, 1}).value();
        EXPECT_EQ(saysIdle(simulate(question, {}, workbench(), {}).value().notes), isIdle);
        EXPECT_EQ(saysIdle(check(question, {}, workbench(), {}).value().side.assumed), isIdle);
        const CompareAsk ask{.changes = {changedSide("layout.recompute=full", "--with").value()}};
        const Comparison both = compare({&question, 1}, ask, workbench(), {}).value();
        for (const ComparedSide& side : both.sides) {
            EXPECT_EQ(saysIdle(side.assumed), isIdle) << side.name;
        }
        const SizeAsk hardware{.targets = readSizeTargets({"tokens-per-s=1"}).value(),
                               .clusters = {"dgx-h100"},
                               .nodes = {1, 2}};
        EXPECT_EQ(saysIdle(size({&question, 1}, hardware, workbench(), {}).value().notes), isIdle);
    }
}

/// Of a file of DeepSpeed.
std::string idleOfFile(const std::string& text) {
    Question question = parseQuestion(text, "zero.json", {}).value();
    const std::vector<Edit> onto = {{"model", "llama-3.2-1b", "-m"},
                                    {"cluster.name", "dgx-h100", "-c"}};
    question = with(std::move(question), onto).value();
    return numbersOf(question).value().idle;
}

// A key of a framework's file from which nothing follows that moves a number, with its place; what
// the framework does by itself is none of them, and neither is a key of which one thing moves one.
TEST(IdleInAFile, IsSaidWithItsPlace) {
    const auto file = [](const std::string& stage) {
        return "{\"zero_optimization\": {\"stage\": " + stage +
               ",\n\"stage3_prefetch_bucket_size\": 1000},\n"
               "\"bf16\": {\"enabled\": true}, \"train_micro_batch_size_per_gpu\": 1}";
    };
    EXPECT_EQ(idleOfFile(file("2")),
              "no effect here: settings.deepspeed.prefetch_bucket=1000 (zero.json:2:32)");
    EXPECT_EQ(idleOfFile(file("3")), "");
}

std::vector<std::string> stackNames() {
    std::vector<std::string> names;
    for (const Stack& stack : allStacks()) {
        names.emplace_back(stack.name);
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(Stacks,
                         IdleSettings,
                         testing::ValuesIn(stackNames()),
                         [](const testing::TestParamInfo<std::string>& stack) {
                             std::string name = stack.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace idle_settings_test
}  // namespace fabricast
