#include "tests/support/case_table.h"
#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace fabricast {
namespace everyday_test {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

/// What a page supports: "19.8..24.2".
struct SupportedRange {
    double lo = 0.0;
    double hi = 0.0;
};

std::optional<SupportedRange> rangeOf(const std::string& text) {
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) {
        return std::nullopt;
    }
    return SupportedRange{std::stod(text.substr(0, dots)), std::stod(text.substr(dots + 2))};
}

/// Whether a forecast's interval has a value that the page supports.
bool meets(const std::optional<SupportedRange>& range, double lo, double hi) {
    return !range || (lo <= range->hi && hi >= range->lo);
}

/// The same key of the answer of two commands.
JsonValue part(const JsonValue& object, const std::string& key) {
    const JsonValue* value = object.find(key);
    return value == nullptr ? JsonValue() : *value;
}

/// One row of tests/cases/everyday.csv: a question as it would be typed, and what was published of
/// the run that it describes: it ran, it ended out of memory, or what decided is not modelled.
struct Published {
    std::string id;
    std::string outcome;
    std::string question;
    std::optional<SupportedRange> gib;
    std::optional<SupportedRange> tokensPerSecond;
};

void expectsMemory(const Published& row, const JsonValue& answer) {
    const std::string verdict = textOf(answer, "verdict");
    const bool misses = verdict == "does_not_fit" || verdict == "unlikely";
    EXPECT_EQ(misses, row.outcome == "oom") << row.id << ": " << verdict;
    const JsonValue peak = part(part(answer, "memory"), "peak_bytes");
    EXPECT_TRUE(meets(row.gib, numberOf(peak, "lo") / kGibibyte, numberOf(peak, "hi") / kGibibyte))
        << row.id << ": GiB";
}

void expectsSpeed(const Published& row, const JsonValue& answer) {
    const JsonValue time = part(answer, "time");
    const JsonValue step = part(time, "step_s");
    const double tokens = numberOf(time, "tokens_per_s") * numberOf(step, "value");
    EXPECT_TRUE(
        meets(row.tokensPerSecond, tokens / numberOf(step, "hi"), tokens / numberOf(step, "lo")))
        << row.id << ": tokens/s";
}

/// `compare` has the same verdict, memory and step for its first side.
void expectsSameOfCompare(const Published& row, const JsonValue& answer) {
    const ProgramOutput output =
        ran("compare " + row.question + " --with seq=256 -f json --no-fail");
    const JsonValue sides = part(jsonOf(output.out), "sides");
    ASSERT_FALSE(sides.items().empty()) << row.id << output.err;
    const JsonValue& side = sides.items().front();
    EXPECT_EQ(textOf(side, "verdict"), textOf(answer, "verdict")) << row.id;
    EXPECT_EQ(numberOf(part(side, "peak_bytes"), "value"),
              numberOf(part(part(answer, "memory"), "peak_bytes"), "value"))
        << row.id;
    EXPECT_EQ(numberOf(part(side, "step_s"), "value"),
              numberOf(part(part(answer, "time"), "step_s"), "value"))
        << row.id;
}

/// The question with its layout, and all it leaves open, as what a search may not change.
std::string asSearch(const std::string& question, const JsonValue& scenario) {
    const JsonValue layout = part(scenario, "layout");
    std::string typed = question;
    std::string fixed;
    const std::string flag = "--layout ";
    if (const std::size_t at = typed.find(flag); at != std::string::npos) {
        const std::size_t end = typed.find(' ', at + flag.size());
        fixed = typed.substr(at + flag.size(), end - at - flag.size());
        typed.erase(at, end - at);
    }
    const auto fix = [&fixed](const std::string& key, const std::string& value) {
        if (("," + fixed).find("," + key + "=") == std::string::npos) {
            fixed += (fixed.empty() ? "" : ",") + key + "=" + value;
        }
    };
    fix("micro_batch", std::to_string(static_cast<int>(numberOf(layout, "micro_batch"))));
    fix("shard", textOf(layout, "shard"));
    fix("recompute", textOf(part(part(scenario, "settings"), "recompute"), "kind"));
    return "plan " + typed + " --fix " + fixed + " --allow tight --top 20 -f json --no-fail";
}

/// `plan` of that stack and layout lists it with the same numbers where it may fit, and does not
/// where it does not fit.
void expectsSameOfPlan(const Published& row, const JsonValue& answer) {
    const JsonValue scenario = part(answer, "scenario");
    const std::string line = asSearch(row.question, scenario);
    const ProgramOutput output = ran(line);
    const JsonValue plans = part(jsonOf(output.out), "plans");
    const bool fits = textOf(answer, "verdict") != "does_not_fit";
    bool listed = false;
    for (const JsonValue& plan : plans.items()) {
        const JsonValue layout = part(plan, "layout");
        bool same = true;
        for (const char* key : {"dp", "tp", "pp", "cp", "ep", "micro_batch"}) {
            same = same && numberOf(layout, key) == numberOf(part(scenario, "layout"), key);
        }
        for (const char* key : {"shard", "offload", "cp_kind", "schedule"}) {
            same = same && textOf(layout, key) == textOf(part(scenario, "layout"), key);
        }
        if (!same) {
            continue;
        }
        listed = true;
        const JsonValue memory = part(plan, "memory");
        EXPECT_EQ(textOf(memory, "verdict"), textOf(answer, "verdict")) << row.id;
        EXPECT_EQ(numberOf(memory, "peak_bytes"),
                  numberOf(part(part(answer, "memory"), "peak_bytes"), "value"))
            << row.id;
        EXPECT_EQ(numberOf(plan, "step_s"), numberOf(part(part(answer, "time"), "step_s"), "value"))
            << row.id;
        EXPECT_EQ(numberOf(part(part(plan, "cost"), "kwh_per_mtok"), "value"),
                  numberOf(part(part(answer, "cost"), "kwh_per_mtok"), "value"))
            << row.id;
    }
    EXPECT_EQ(listed, fits) << row.id << ": " << line << "\n" << output.err;
}

/// Each takes every fourth row, so that they run side by side.
class EverydayQuestions : public testing::TestWithParam<std::size_t> {};

constexpr std::size_t kQuarters = 4;
/// A search takes as long as all else of a row together: every third is searched.
constexpr std::size_t kSearched = 3;

TEST_P(EverydayQuestions, AreAnsweredAsTheyEndedByEveryCommand) {
    const CsvTable table = CsvTable::read(FABRICAST_SOURCE_DIR "/tests/cases/everyday.csv");
    ASSERT_GE(table.rows(), 250U);
    for (std::size_t index = GetParam(); index < table.rows(); index += kQuarters) {
        const Published row{.id = table.text(index, "id"),
                            .outcome = table.text(index, "published"),
                            .question = table.text(index, "question"),
                            .gib = rangeOf(table.text(index, "gib")),
                            .tokensPerSecond = rangeOf(table.text(index, "tokens_per_s"))};
        EXPECT_FALSE(table.text(index, "source").empty()) << row.id;
        const ProgramOutput output =
            ran("explain " + row.question + " --section all -f json --no-fail");
        if (row.outcome == "refused") {
            EXPECT_EQ(output.code, ExitCode::BadInput) << row.id;
            EXPECT_FALSE(output.err.empty()) << row.id;
            continue;
        }
        ASSERT_EQ(output.code, ExitCode::Ok) << row.id << output.err;
        const JsonValue answer = jsonOf(output.out);
        if (row.outcome == "missed") {  // answered wrongly, and known to be
            EXPECT_EQ(textOf(answer, "verdict"), "fits") << row.id << " is an oom now";
            continue;
        }
        expectsMemory(row, answer);
        expectsSpeed(row, answer);
        if (index / kQuarters % kSearched == 0) {
            expectsSameOfCompare(row, answer);
            expectsSameOfPlan(row, answer);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Quarters, EverydayQuestions, testing::Range(std::size_t{0}, kQuarters));

}  // namespace everyday_test
// What is printed as a name of linear layers is typed as it stands.
TEST(Everyday, NamesOfTargetsThatArePrintedAreTaken) {
    const std::string lora = "explain -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --tuning lora ";
    EXPECT_NE(ran("help lora").out.find("all-linear"), std::string::npos);
    EXPECT_EQ(ran(lora + "--set settings.lora.targets=all-linear").code, ExitCode::Ok);
    const ProgramOutput all = ran(lora + "--set settings.lora.targets=all");
    EXPECT_NE(all.err.find("all-linear"), std::string::npos) << all.err;
    for (const std::string model : {"mixtral-8x7b", "gpt-oss-20b"}) {
        const std::string adapted =
            "explain -m " + model + " -c dgx-h100 --stack axolotl --seq 1024 --tuning lora ";
        const std::string text = ran(adapted).out;
        const std::size_t at = text.find("settings.lora.targets=");
        ASSERT_NE(at, std::string::npos) << text;
        const std::string typed = text.substr(at, text.find(' ', at) - at);
        const ProgramOutput taken = ran(adapted + "--set " + typed);
        EXPECT_EQ(taken.err, "") << typed;
    }
}

// What GPUs are written off over makes no hour of those that are rented.
TEST(Everyday, NamesWhatOfAPriceHasNoEffect) {
    const std::string asked = "explain -m llama-3.1-8b -c dgx-h100 --set price.years=2 ";
    const std::string rented = ran(asked).out;
    EXPECT_NE(rented.find("\nno effect here: price.years=2 (--price-kind owned uses it)\n"),
              std::string::npos)
        << rented;
    EXPECT_EQ(ran(asked + "--price-kind owned").out.find("no effect here"), std::string::npos);
    const std::string note = "no effect here: price.years=2 (--price-kind owned uses it)";
    for (const std::string& other :
         {asked + "--section cost",
          std::string("plan -m llama-3.1-8b -c dgx-h100 --set price.years=2 "
                      "--global-batch 64 --stack fsdp2")}) {
        EXPECT_NE(ran(other).out.find(note), std::string::npos) << ran(other).out;
    }
}

// Axolotl's FSDP2 has no way to load a base of 4 bits but whole, on every GPU.
TEST(Everyday, SaysThatABaseOfFourBitsIsLoadedWhole) {
    const std::string fsdp =
        "explain --gpu rtx-3090 --gpus 2 --stack axolotl --layout "
        "shard=fsdp,recompute=full --seq 1024 --tuning qlora -m ";
    const std::string warning = "loading is counted: under FSDP2 Axolotl";
    const std::string large = ran(fsdp + "llama-3.1-70b").out;
    EXPECT_NE(large.find(warning), std::string::npos) << large;
    EXPECT_TRUE(large.starts_with("DOES NOT FIT")) << large;
    const std::string offloaded =
        "explain -m llama-3.1-70b --gpu rtx-3090 --gpus 2 --stack axolotl --layout "
        "shard=fsdp,offload=parameters_cpu,recompute=full --seq 1024 --tuning qlora "
        "--host-memory 128GB";
    const std::string away = ran(offloaded).out;
    EXPECT_TRUE(away.starts_with("DOES NOT FIT")) << away;
    EXPECT_NE(away.find("loading\n"), std::string::npos) << away;
    EXPECT_EQ(ran(fsdp + "llama-3.1-8b").out.find(warning), std::string::npos);
    const std::string steps = ran(offloaded + " --set settings.phases.loading=meta").out;
    EXPECT_EQ(steps.find("DOES NOT FIT"), std::string::npos) << steps;
    EXPECT_NE(steps.find("loading is not counted"), std::string::npos) << steps;
    const std::string plan =
        "plan --gpu rtx-3090 --gpus 2 --seq 1024 --global-batch 8 --tuning "
        "qlora --stack axolotl -m ";
    const std::string none = ran(plan + "llama-3.1-70b --host-memory 256GB").out;
    EXPECT_TRUE(none.starts_with("DOES NOT FIT")) << none;
    EXPECT_NE(none.find("; 8 layouts that may fit are not modelled: LoRA is not modelled with "),
              std::string::npos)
        << none;
    EXPECT_NE(none.find("nearest: axolotl dp=2,shard=zero3"), std::string::npos) << none;
    EXPECT_NE(none.find("GiB in loading"), std::string::npos) << none;
    const std::string some =
        ran("plan --gpu rtx-4090 --gpus 4 --seq 2048 --global-batch 4 --tuning qlora --stack "
            "axolotl -m llama-3.1-70b")
            .out;
    EXPECT_NE(some.find("loading is counted with shard=fsdp"), std::string::npos) << some;
    EXPECT_EQ(some.find("loading is not counted"), std::string::npos) << some;
}

// What `plan` offers has a command that answers, and says what that command cannot.
TEST(Everyday, SaysOfAWayOutThatItsStepTimeIsNotForecast) {
    const std::string question =
        "-m llama-3.1-70b --gpu rtx-4090 --gpus 2 --stack axolotl --seq 2048 --tuning qlora "
        "--global-batch 2";
    const std::string plan = ran("plan " + question).out;
    const std::size_t offered = plan.find("--layout offload=parameters_cpu: ");
    ASSERT_NE(offered, std::string::npos) << plan;
    EXPECT_NE(plan.substr(offered, plan.find('\n', offered) - offered)
                  .find("its step time is not forecast"),
              std::string::npos)
        << plan;
    const std::size_t next = plan.find("next: fabricast ");
    ASSERT_NE(next, std::string::npos) << plan;
    const std::string typed = plan.substr(next + 16, plan.find('\n', next) - next - 16);
    EXPECT_NE(typed.find("offload=parameters_cpu"), std::string::npos) << typed;
    const std::string explained = ran(typed).out;
    EXPECT_TRUE(explained.starts_with("LIKELY FITS")) << explained;
}

// Two sockets of a box of eight are not in a machine with one GPU of its kind.
TEST(Everyday, ABoxOfFewerCardsHasNoFasterHost) {
    const std::string offload =
        "explain -m llama-3.1-8b --stack deepspeed --layout "
        "shard=zero3,offload=parameters_cpu,recompute=full --seq 2048 "
        "--section time ";
    for (const std::string box : {"--gpu rtx-4090 --gpus 1",
                                  "--gpu rtx-4090 --gpus 4",
                                  "-c 4x-rtx-4090",
                                  "--gpu rtx-3090 --gpus 2"}) {
        const std::string text = ran(offload + box).out;
        EXPECT_NE(text.find("of the host memory's 205 GB/s (assumed; a node's file states "),
                  std::string::npos)
            << box << "\n"
            << text;
    }
}

}  // namespace fabricast
