#include "planner/launch/possible_lengths.h"

#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace possible_lengths_test {

const std::string kLoads =
    "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16)\n";
const std::string kTrains = "Trainer(model=model, args=TrainingArguments(\"o\")).train()\n";
const std::string kParses =
    "class D:\n    max_len: int = field(default=8192)\n"
    "d, t = HfArgumentParser((D, TrainingArguments)).parse_args_into_dataclasses()\n" +
    kLoads + "Trainer(model=model, args=t, train_dataset=Data(d.max_len)).train()\n";
const std::string kSteps =
    "for b in DataLoader(ds, batch_size=2):\n"
    "    loss = model(**cut(b)).loss\n    loss.backward()\n";

std::string askedOf(const LaunchFolder& folder, const std::string& first) {
    return readFrom(folder, first, "imported.open.workload.sequence.hint");
}

TEST(PossibleLengths, AreKnownByTheirNames) {
    for (const char* const name : {"--max_len",
                                   "--max-len",
                                   "ctx",
                                   "CONTEXT_LENGTH",
                                   "block_size",
                                   "--seq",
                                   "window",
                                   "max_tokens"}) {
        EXPECT_TRUE(mayBeLength(name)) << name;
    }
    for (const char* const name : {"--max_new_tokens",
                                   "eval_len",
                                   "num_blocks",
                                   "lengthen",
                                   "sliding_window",
                                   "max_prompt_length",
                                   "group_by_length"}) {
        EXPECT_FALSE(mayBeLength(name)) << name;
    }
}

// What a script types is asked for at the script's line, and wins over what the program has.
TEST(PossibleLengths, OfAScript) {
    const std::string start = "torchrun --nproc_per_node 8 train.py --max_len ";
    EXPECT_EQ(askedOf({{"run.sh", start + "65536\n"}, {"train.py", kParses}}, "run.sh"),
              "\"--seq 65536\"");
    const auto run = importedFrom({{"run.sh", start + "65536\n"}, {"train.py", kParses}}, "run.sh");
    const JsonValue* const why =
        run->find("imported")->find("open")->find("workload")->find("sequence")->find("why");
    EXPECT_EQ(why->text().value(), "--max_len 65536 may be the sequence, which is not read");
    EXPECT_EQ(why->where(), "run.sh:1:38");
    EXPECT_EQ(askedOf({{"run.sh", start + "65536\n"}, {"train.py", kLoads + kTrains}}, "run.sh"),
              "\"--seq 65536\"");
    EXPECT_EQ(askedOf({{"run.sh", start + "4096\n"}, {"train.py", kParses}}, "run.sh"), "-")
        << "what is forecast";
    EXPECT_EQ(askedOf({{"run.sh", start + "8\n"}, {"train.py", kLoads + kTrains}}, "run.sh"), "-");
}

TEST(PossibleLengths, OfAProgram) {
    struct Case {
        std::string program;
        const char* hint;
    };
    const std::vector<Case> all = {
        {kParses, "\"--seq 8192\""},
        {"ctx = 32768\n" + kLoads + kTrains, "\"--seq 32768\""},
        {"p = ArgumentParser()\np.add_argument(\"--ctx\", default=2048)\na = p.parse_args()\n" +
             kLoads + kSteps,
         "\"--seq 2048\""},
        {"def run(n, window=8192):\n    use(window)\n" + kLoads + kTrains + "run(1)\n",
         "\"--seq 8192\""},
        {"def run(n, window=8192):\n    use(window)\n" + kLoads + kTrains + "run(1, window=4096)\n",
         "-"},
        {"ctx = 32768\n" + kLoads + kTrains + "tok(x, truncation=True, max_length=512)\n", "-"},
        {"eval_len = 32768\n" + kLoads + kTrains, "-"}};
    for (const Case& one : all) {
        EXPECT_EQ(askedOf({{"a.py", one.program}}, "a.py"), one.hint) << one.program;
    }
}

}  // namespace possible_lengths_test
}  // namespace fabricast
