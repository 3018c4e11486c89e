#include "study/sweep.h"

#include "planner/text/text_files.h"
#include "study/size.h"
#include "study/sweep_file.h"
#include "study/sweep_rows.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

namespace fabricast {
namespace sweep_test {

const Workbench& bench() {
    static const Workbench opened = Workbench::open({}, 2).value();
    return opened;
}

Question asked() {
    const std::vector<Edit> edits = {{"model", "gpt2", "-m"},
                                     {"cluster.name", "8x-rtx-4090", "-c"},
                                     {"workload.sequence", "1024", "--seq"},
                                     {"workload.global_batch", "64", "--global-batch"},
                                     {"search.stacks", "fsdp2", "--stack"}};
    return with(readQuestion("", "").value(), edits).value();
}

const std::vector<SweepAxis> kAxes = {{"cluster.nodes", {"1", "2", "4"}},
                                      {"workload.global_batch", {"64", "128"}},
                                      {"search.stacks", {"fsdp2", "ddp"}}};

std::string freshFile(const char* name) {
    const std::string path =
        tempFolder() + "/sweep_" + name + std::to_string(::getpid()) + ".jsonl";
    ::unlink(path.c_str());
    return path;
}

std::string wholeText() {
    const std::string file = freshFile("whole");
    EXPECT_TRUE(sweep(planPoints(asked()), kAxes, {.file = file}, bench(), {}).value().isWhole());
    return readTextFile(file).value();
}

TEST(Sweep, TakesTheNamesOfFlagsForKeys) {
    const auto axes = readSweep({"seq=4k,8k", "global-batch=64", "nodes=1,2", "stack=ddp"}).value();
    ASSERT_EQ(axes.size(), 4U);
    EXPECT_EQ(axes[0].key, "workload.sequence");
    EXPECT_EQ(axes[1].key, "workload.global_batch");
    EXPECT_EQ(axes[2].key, "cluster.nodes");
    EXPECT_EQ(axes[3].key, "stack");
    EXPECT_FALSE(readSweep({"seq=4k", "workload.sequence=8k"}));
}

TEST(Sweep, TakesAmountsAsAnswersWriteThem) {
    const auto axes = readSweep({"target.budget=9k,$12,000,$1,250,000,$7,800,12"}).value();
    ASSERT_EQ(axes.size(), 1U);
    EXPECT_EQ(axes[0].values,
              std::vector<std::string>({"9k", "$12,000", "$1,250,000", "$7,800", "12"}));
    EXPECT_EQ(readSweep({"seq=1,024"}).value()[0].values.size(), 2U);
}

TEST(Sweep, HasALineForEveryCombination) {
    const std::string text = wholeText();
    EXPECT_EQ(std::ranges::count(text, '\n'), 12);
    EXPECT_NE(
        text.find(
            R"("cluster.nodes": "4", "workload.global_batch": "128", "search.stacks": "ddp")"),
        std::string::npos)
        << text;
}

// Stopped after each few points, and gone on with by another process.
TEST(Sweep, GoesOnWhereItWasStopped) {
    const std::string file = freshFile("stopped");
    std::size_t runs = 0;
    std::size_t computed = 0;
    for (bool done = false; !done && runs < 20; ++runs) {
        std::stop_source stop;
        const Watch watch{.stop = stop.get_token(),
                          .progress = [&](std::size_t, std::size_t) { stop.request_stop(); }};
        const SweepAnswer answer =
            sweep(planPoints(asked()), kAxes, {.file = file}, bench(), watch).value();
        done = !answer.stopped;
        computed += done ? answer.computed : 0;
    }
    EXPECT_GT(runs, 2U);
    EXPECT_LT(computed, 12U);  // the last run computed only what was missing
    EXPECT_EQ(readTextFile(file).value(), wholeText());
    EXPECT_EQ(sweep(planPoints(asked()), kAxes, {.file = file}, bench(), {}).value().computed, 0U);
}

TEST(Sweep, ShardsTogetherAreTheWhole) {
    const std::string file = freshFile("shards");
    for (const std::size_t index : std::vector<std::size_t>{2, 0, 1}) {
        const SweepStore store{.file = file, .shard = {index, 3}};
        EXPECT_EQ(sweep(planPoints(asked()), kAxes, store, bench(), {}).value().computed, 4U);
    }
    EXPECT_EQ(readTextFile(file).value(), wholeText());
}

TEST(Sweep, DoesNotDependOnThreads) {
    const std::string file = freshFile("one");
    const Workbench one = Workbench::open({}, 1).value();
    ASSERT_TRUE(sweep(planPoints(asked()), kAxes, {.file = file}, one, {}));
    EXPECT_EQ(readTextFile(file).value(), wholeText());
}

TEST(Sweep, RefusesDamagedLinesAndOtherSweeps) {
    const std::string file = freshFile("damaged");
    std::string text = wholeText();
    text.insert(text.find('\n') + 1, "}");
    ASSERT_TRUE(writeTextFile(file, text));
    const auto damaged = sweep(planPoints(asked()), kAxes, {.file = file}, bench(), {});
    ASSERT_FALSE(damaged);
    EXPECT_TRUE(damaged.error().where.starts_with(file + ":2:")) << damaged.error().where;
    ASSERT_TRUE(writeTextFile(file, wholeText()));
    const auto other =
        sweep(planPoints(asked()), {{"cluster.nodes", {"8"}}}, {.file = file}, bench(), {});
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().where, file + ":1");
    // The question was edited since.
    const Question edited =
        with(asked(), std::vector<Edit>{{"workload.sequence", "512", "--seq"}}).value();
    EXPECT_FALSE(sweep(planPoints(edited), kAxes, {.file = file}, bench(), {}));
}

// Two that write one file would each replace it by one without the other's points.
// The points of one table lean on one state of the model's file, of axes' files and of profiles.
TEST(Sweep, GoesOnOnlyFromPointsOfTheSameInputs) {
    const std::string folder = freshFile("inputs") + "_folder";
    const std::string model = folder + "/config.json";
    const std::string price = folder + "/p/prices/ours.json";
    std::filesystem::create_directories(folder + "/p/prices");
    const auto llama = [&](const char* layers) {
        ASSERT_TRUE(writeTextFile(
            model,
            std::string(R"({"model_type": "llama", "hidden_size": 1024, "vocab_size": 32000,
              "intermediate_size": 2816, "num_attention_heads": 16, "num_hidden_layers": )") +
                layers + "}"));
    };
    const auto priced = [&](const char* hour) {
        ASSERT_TRUE(writeTextFile(
            price,
            std::string(R"({"schema": "fabricast.price/1", "name": "ours", "title": "Ours",)") +
                R"("notes": ")" + hour + "\"}"));
    };
    const auto ran = [&](const Question& question, const SweepAxis& first) {
        const std::vector<std::string> folders = {folder + "/p"};
        return sweep(planPoints(question),
                     {first, {"workload.global_batch", {"64", "128"}}},
                     {.file = folder + "/points.jsonl"},
                     Workbench::open(folders, 1).value(),
                     {});
    };
    const std::vector<Edit> named = {{"model", model, "-m"}};
    const Question fixed = with(asked(), named).value();
    for (const bool isAxis : {false, true}) {
        const Question& question = isAxis ? asked() : fixed;
        const SweepAxis axis =
            isAxis ? SweepAxis{"model", {model}} : SweepAxis{"cluster.nodes", {"1"}};
        std::filesystem::remove(folder + "/points.jsonl");
        llama("4");
        priced("1");
        EXPECT_EQ(ran(question, axis).value().computed, 2U);
        EXPECT_EQ(ran(question, axis).value().computed, 0U);
        llama("8");
        const auto other = ran(question, axis);
        ASSERT_FALSE(other) << "a model of eight layers";
        EXPECT_NE(other.error().why.find("have changed since"), std::string::npos);
        llama("4");
        priced("2");
        EXPECT_FALSE(ran(question, axis)) << "another profile";
        priced("1");
        EXPECT_EQ(ran(question, axis).value().computed, 0U);
    }
    std::filesystem::remove_all(folder);
}

TEST(Sweep, IsRefusedTheFileOfAnother) {
    const std::string file = freshFile("taken");
    const std::string whole = wholeText();
    {
        const auto other = SweepFile::open(file);
        ASSERT_TRUE(other);
        const auto refused = sweep(planPoints(asked()), kAxes, {.file = file}, bench(), {});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Error::Code::BadInput);
        EXPECT_EQ(refused.error().where, file);
        // Ranks have a file each, and leave the whole to the one that has it.
        for (const std::size_t index : {0U, 1U}) {
            const SweepStore store{.file = file, .shard = {index, 2}};
            EXPECT_TRUE(sweep(planPoints(asked()), kAxes, store, bench(), {}));
        }
        EXPECT_EQ(readTextFile(file).value(), "");
    }
    EXPECT_FALSE(readTextFile(file)) << "nobody wrote anything into it";
    std::stop_source stop;
    const Watch watch{.stop = stop.get_token(), .progress = [&](std::size_t, std::size_t) {
                          // In the middle of a sweep, of whose file another one has taken the
                          // place.
                          EXPECT_FALSE(SweepFile::open(file));
                      }};
    ASSERT_TRUE(sweep(planPoints(asked()), kAxes, {.file = file}, bench(), watch));
    EXPECT_EQ(readTextFile(file).value(), whole);
    EXPECT_TRUE(SweepFile::open(file));
}

TEST(Sweep, DoesNotBelieveNumbersThatNoneCanBe) {
    const std::string file = freshFile("numbers");
    const std::string whole = wholeText();
    const std::size_t begin = whole.find("\"step_s\": ") + 10;
    const std::size_t length = whole.find(',', begin) - begin;
    for (const char* const number : {"NaN", "-1.0", "1e308", "1e999", "\"1\"", "true", "{}"}) {
        std::string odd = whole;
        ASSERT_TRUE(writeTextFile(file, odd.replace(begin, length, number)));
        const auto refused = sweep(planPoints(asked()), kAxes, {.file = file}, bench(), {});
        ASSERT_FALSE(refused) << number;
        EXPECT_EQ(refused.error().code, Error::Code::BadInput);
        EXPECT_TRUE(refused.error().where.starts_with(file + ":1:")) << refused.error().where;
        EXPECT_EQ(readTextFile(file).value(), odd) << "it is left as it was";
    }
}

TEST(Sweep, FindsWhatWasChangedInALine) {
    const std::string file = freshFile("changed");
    const std::string whole = wholeText();
    const std::vector<std::pair<std::string, std::string>> changes = {
        {"\"gpus\": 8", "\"gpus\": 7"},
        {"\"verdict\": \"fits\"", "\"verdict\": \"fitz\""},
        {"\"layout\": \"dp=", "\"layout\": \"dp=9"},
        {"\"mfu\": 0.", "\"mfu\": 7."},
        {"\n", "\r\n"}};
    for (const auto& [was, is] : changes) {
        std::string odd = whole;
        const std::size_t at = odd.find(was);
        ASSERT_NE(at, std::string::npos) << was << whole;
        ASSERT_TRUE(writeTextFile(file, odd.replace(at, was.size(), is)));
        const auto refused = sweep(planPoints(asked()), kAxes, {.file = file}, bench(), {});
        ASSERT_FALSE(refused) << is;
        EXPECT_NE(refused.error().why.find("was changed"), std::string::npos)
            << refused.error().why;
    }
}

// What a kill or a full disk may leave of the last line.
TEST(Sweep, DropsALastLineThatIsCut) {
    const std::string file = freshFile("cut");
    const std::string whole = wholeText();
    for (const std::size_t left : {whole.size() - 2, whole.size() - 40, whole.size() - 1}) {
        ASSERT_TRUE(writeTextFile(file, whole.substr(0, left)));
        const SweepAnswer answer =
            sweep(planPoints(asked()), kAxes, {.file = file}, bench(), {}).value();
        const bool isCut = left != whole.size() - 1;  // only the end of the line is missing
        EXPECT_EQ(answer.computed, isCut ? 1U : 0U);
        EXPECT_EQ(answer.note.find("the line is cut") != std::string::npos, isCut) << answer.note;
        EXPECT_TRUE(answer.isWhole());
        if (isCut) {
            EXPECT_EQ(readTextFile(file).value(), whole);
        }
    }
}

// A file of somebody else's without a last line end is no sweep that was cut.
TEST(Sweep, KeepsAFileThatIsNoSweep) {
    const std::string file = freshFile("foreign");
    for (const std::string text : {R"({"my": ["data"]})", "a note", "{\"my\": 1}\n{\"my\": 2}"}) {
        ASSERT_TRUE(writeTextFile(file, text));
        const auto refused = sweep(planPoints(asked()), kAxes, {.file = file}, bench(), {});
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(refused.error().code, Error::Code::BadInput);
        EXPECT_EQ(readTextFile(file).value(), text);
    }
}

TEST(Sweep, PutsLinesInTheirOrder) {
    const std::string whole = wholeText();
    const std::size_t first = whole.find('\n') + 1;
    const std::string file = freshFile("order");
    for (const std::string& text :
         {whole.substr(first) + whole.substr(0, first), whole + whole.substr(0, first)}) {
        ASSERT_TRUE(writeTextFile(file, text));
        const SweepAnswer answer =
            sweep(planPoints(asked()), kAxes, {.file = file}, bench(), {}).value();
        EXPECT_EQ(answer.computed, 0U);
        EXPECT_EQ(readTextFile(file).value(), whole);
    }
}

Question unsized() {
    const std::vector<Edit> edits = {{"model", "llama-3.2-1b", "-m"},
                                     {"workload.sequence", "2048", "--seq"},
                                     {"workload.global_batch", "64", "--global-batch"},
                                     {"workload.tokens", "1B", "--tokens"},
                                     {"search.stacks", "fsdp2", "--stack"}};
    return with(readQuestion("", "").value(), edits).value();
}

// What is stated, or swept, without effect on the answer of a point is said in its line.
TEST(Sweep, SaysWhatHasNoEffect) {
    const Edit edit{"settings.kernels.cuda_graphs", "true", "--set"};
    const Question question = with(asked(), {&edit, 1}).value();
    const std::vector<SweepAxis> axes = {{"cluster.nodes", {"1", "2"}},
                                         {"settings.megatron.rope_fusion", {"true", "false"}}};
    const auto plans = sweep(planPoints(question), axes, {}, bench(), {}).value();
    const SweepWork sized =
        sizePoints({with(unsized(), {&edit, 1}).value()}, {.clusters = {"8x-rtx-4090"}});
    const auto sizes = sweep(sized, axes, {}, bench(), {}).value();
    for (const SweepAnswer* answer : {&plans, &sizes}) {
        for (const std::string& line : answer->lines) {
            const bool isFalse = line.find("\"false\"") != std::string::npos;
            const std::string said =
                std::string("\"no_effect\": \"settings.kernels.cuda_graphs=true") +
                (isFalse ? ", settings.megatron.rope_fusion=false\"" : "\"");
            EXPECT_NE(line.find(said), std::string::npos) << line;
        }
    }
    EXPECT_EQ(wholeText().find("no_effect"), std::string::npos);
}

// The pick of each point is that of the same question asked alone, in one process or in several.
TEST(Sweep, OfSizesHasThePickOfEachPoint) {
    const std::vector<SweepAxis> axes = {{"target.days", {"0.01", "0.04", "0.2"}},
                                         {"cluster.name", {"dgx-h100", "8x-rtx-4090"}}};
    const SizeAsk ask{.nodes = {1, 2, 4}};
    const SweepWork work = sizePoints({unsized()}, ask);
    const std::string file = freshFile("sizes");
    for (const std::size_t index : std::vector<std::size_t>{1, 0}) {
        ASSERT_TRUE(sweep(work, axes, {.file = file, .shard = {index, 2}}, bench(), {}));
    }
    const SweepAnswer whole = sweep(work, axes, {}, bench(), {}).value();
    std::string text;
    for (const std::string& line : whole.lines) {
        text += line + "\n";
    }
    EXPECT_EQ(readTextFile(file).value(), text);
    for (std::size_t i = 0; i < whole.lines.size(); ++i) {
        SizeAsk alone = ask;
        alone.targets = readSizeTargets({"days=" + axes[0].values[i / 2]}).value();
        alone.clusters = {axes[1].values[i % 2]};
        const std::vector<Question> jobs = {unsized()};
        const SizeAnswer answer = size(jobs, alone, bench(), {}).value();
        const auto line = parseJson(whole.lines[i], "line");
        ASSERT_EQ(line->find("usd") != nullptr, answer.pick.has_value()) << whole.lines[i];
        if (answer.pick) {
            EXPECT_EQ(line->find("nodes")->integer({}).value(), answer.pick->nodes);
            EXPECT_DOUBLE_EQ(line->find("usd")->number(0, 1e9).value(), *answer.pick->usd);
        }
    }
}

TEST(Sweep, RefusesWhatWasMistyped) {
    EXPECT_FALSE(sweep(planPoints(asked()), {{"cluster.name", {"dgx-h101"}}}, {}, bench(), {}));
    for (const char* typed : {"cluster.nodes", "=1", "a=", "a=1,,2", "a=1,1"}) {
        EXPECT_FALSE(readSweep({typed})) << typed;
    }
    EXPECT_FALSE(readSweep({"a=1", "a=2"}));
}

TEST(Sweep, HasALimitOfPoints) {
    std::string values = "0";
    for (int value = 1; value < 400; ++value) {
        values += "," + std::to_string(value);
    }
    EXPECT_TRUE(readSweep({"a=" + values, "b=1,2,3"}));
    const auto many = readSweep({"a=" + values, "b=" + values});
    ASSERT_FALSE(many);
    EXPECT_NE(many.error().why.find("more points than the 100000"), std::string::npos);
}

struct RankCase {
    std::map<std::string, std::string> variables;
    std::size_t index;
    std::size_t count;
};

TEST(SweepShards, ARankThatIsNoneOfThemIsToldWhatItMayBe) {
    const auto hintOf = [](const std::map<std::string, std::string>& variables) {
        const auto shard = shardOf([&](const char* name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        });
        return shard ? "" : shard.error().hint;
    };
    EXPECT_EQ(hintOf({{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "3"}, {"SLURM_STEP_ID", "0"}}),
              "unset SLURM_PROCID, and this process answers all points");
    EXPECT_EQ(hintOf({{"SLURM_ARRAY_TASK_ID", "15"},
                      {"SLURM_ARRAY_TASK_COUNT", "3"},
                      {"SLURM_ARRAY_TASK_MIN", "5"}}),
              "an array without gaps: --array=0-2");
}

TEST(SweepShards, AreThoseOfTheLauncher) {
    const std::vector<RankCase> known = {
        {{}, 0, 1},
        {{{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "8"}, {"SLURM_STEP_ID", "0"}}, 3, 8},
        {{{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "8"}, {"SLURM_STEP_NUM_TASKS", "2"}}, 1, 2},
        {{{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}, 0, 1},
        {{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}, 1, 2},
        {{{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}}, 0, 4},
        {{{"SLURM_ARRAY_TASK_ID", "5"},
          {"SLURM_ARRAY_TASK_COUNT", "4"},
          {"SLURM_ARRAY_TASK_MIN", "2"},
          {"SLURM_PROCID", "0"},
          {"SLURM_NTASKS", "1"}},
         3,
         4}};
    for (const RankCase& one : known) {
        const Variable variable = [&one](const char* name) -> std::optional<std::string> {
            const auto found = one.variables.find(name);
            return found == one.variables.end() ? std::nullopt : std::optional(found->second);
        };
        const auto shard = shardOf(variable);
        ASSERT_TRUE(shard) << shard.error().why;
        EXPECT_EQ(shard->index, one.index);
        EXPECT_EQ(shard->count, one.count);
    }
    const Variable odd = [](const char* name) -> std::optional<std::string> {
        return std::string(name) == "PMI_RANK"   ? std::optional<std::string>("x")
               : std::string(name) == "PMI_SIZE" ? std::optional<std::string>("2")
                                                 : std::nullopt;
    };
    ASSERT_FALSE(shardOf(odd));
    EXPECT_EQ(shardOf(odd).error().hint, "unset PMI_RANK, and this process answers all points");
    const Variable many = [](const char* name) -> std::optional<std::string> {
        return std::string(name) == "PMI_RANK"   ? std::optional<std::string>("0")
               : std::string(name) == "PMI_SIZE" ? std::optional<std::string>("99999999999")
                                                 : std::nullopt;
    };
    ASSERT_FALSE(shardOf(many));
    EXPECT_EQ(shardOf(many).error().where, "PMI_SIZE");
}

TEST(SweepShards, SayWhatIsMissing) {
    SweepAnswer answer{.lines = {"a", "", "", "", "", "b", "", "", "", ""}};
    const SweepStore store{.file = "points.jsonl", .shard = {.index = 0, .count = 5}};
    EXPECT_EQ(shardText(answer, store),
              "part 1 of 5: 2 of 10 points are done; the others are to come in "
              "points.jsonl.2-of-5, points.jsonl.3-of-5, points.jsonl.4-of-5 and 1 more");
    answer.lines.assign(10, "a");
    EXPECT_EQ(shardText(answer, store), "");
}

}  // namespace sweep_test
}  // namespace fabricast
