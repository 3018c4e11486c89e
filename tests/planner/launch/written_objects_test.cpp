#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

const std::string kWrittenModel =
    "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16).cuda()\n"
    "opt = torch.optim.AdamW(model.parameters(), lr=1e-5)\n";

/// A loop over so many samples of so many tokens.
std::string writtenLoop(const std::string& samples, const std::string& tokens) {
    return kWrittenModel + "for step in range(9):\n  x = torch.randint(0, 9, (" + samples + ", " +
           tokens +
           "))\n  loss = model(input_ids=x, labels=x).loss\n  loss.backward()\n  opt.step()\n";
}

/// "4 x 2048", or why it is refused.
std::string sizesOf(const LaunchFolder& folder, const std::string& first) {
    return readFrom(folder, first, "layout.micro_batch") + " x " +
           readFrom(folder, first, "workload.sequence");
}

std::string sizesOf(const std::string& program) {
    return sizesOf({{"a.py", program}}, "a.py");
}

// What a program writes out of its sizes, wherever it writes it.
TEST(WrittenObjects, HaveTheMembersThatTheyAreMadeWith) {
    const std::string loop = writtenLoop("cfg.batch", "cfg.seq_len");
    const std::string dataclass =
        "@dataclass\nclass Config:\n    batch: int = 4\n    seq_len: int = field(default=2048)\n\n";
    EXPECT_EQ(sizesOf(dataclass + "cfg = Config()\n" + loop), "4 x 2048");
    EXPECT_EQ(sizesOf(dataclass + "cfg = Config(batch=2)\n" + loop), "2 x 2048");
    EXPECT_EQ(sizesOf(dataclass + "cfg = Config(3, 512)\n" + loop), "3 x 512");
    EXPECT_EQ(sizesOf("class Config:\n    batch = 4\n    seq_len = 2048\ncfg = Config\n" + loop),
              "4 x 2048");
    EXPECT_EQ(
        sizesOf("class Config:\n    def __init__(self, batch=4):\n        self.batch = batch\n"
                "        self.seq_len = 2048\ncfg = Config(batch=8)\n" +
                loop),
        "8 x 2048");
    EXPECT_EQ(sizesOf("class cfg:\n    batch = 4; seq_len = 2048\n" + loop), "4 x 2048");
    EXPECT_EQ(sizesOf("cfg = SimpleNamespace(batch=4, seq_len=2048)\n" + loop), "4 x 2048");
    EXPECT_EQ(sizesOf("CFG = {\"batch\": 4, \"seq_len\": 2048}\n" +
                      writtenLoop("CFG[\"batch\"]", "CFG[\"seq_len\"]")),
              "4 x 2048");
    EXPECT_EQ(sizesOf("CFG = dict(batch=8, parts=2, seq_len=2048)\n" +
                      writtenLoop("CFG[\"batch\"] // CFG[\"parts\"]", "CFG[\"seq_len\"]")),
              "4 x 2048");
    EXPECT_EQ(sizesOf("BATCH, SEQ = 4, 2048\n" + writtenLoop("BATCH", "SEQ")), "4 x 2048");
    EXPECT_EQ(sizesOf("class Data:\n    batch = 4\nclass Config:\n    data = Data()\n    seq = "
                      "2048\ncfg = Config()\n" +
                      writtenLoop("cfg.data.batch", "cfg.seq")),
              "4 x 2048");
}

TEST(WrittenObjects, HaveNoMemberThatIsSetOtherwise) {
    const std::string loop = writtenLoop("cfg.batch", "2048");
    const std::string made = "cfg = SimpleNamespace(batch=4)\n";
    for (const char* const change : {"cfg.batch = 8\n",
                                     "cfg.batch += 1\n",
                                     "setattr(cfg, name, 8)\n",
                                     "cfg = SimpleNamespace(batch=8)\n"}) {
        EXPECT_NE(readFrom({{"a.py", made + change + loop}}, "a.py", "layout.micro_batch"), "4")
            << change;
    }
    // Each is made of the other.
    EXPECT_NE(
        sizesOf("A = {\"x\": B[\"x\"]}\nB = {\"x\": A[\"x\"]}\n" + writtenLoop("A[\"x\"]", "2048")),
        "4 x 2048");
}

TEST(WrittenObjects, DecideBranchesByTheirNumbers) {
    const std::string adapters =
        "    model = get_peft_model(model, LoraConfig(r=RANK, target_modules=[\"q_proj\"]))\n";
    const auto tuned = [&](const std::string& rank, const std::string& condition) {
        const std::string loop = writtenLoop("2", "2048");
        const std::size_t at = loop.find("opt = ");
        return readFrom({{"a.py",
                          "RANK = " + rank + "\n" + loop.substr(0, at) + "if " + condition + ":\n" +
                              adapters + loop.substr(at)}},
                        "a.py",
                        "settings.tuning");
    };
    EXPECT_EQ(tuned("8", "RANK > 0"), "\"lora\"");
    EXPECT_EQ(tuned("0", "RANK > 0"), "-");
    EXPECT_EQ(tuned("8", "RANK >= 8 and not RANK < 4"), "\"lora\"");
    EXPECT_EQ(tuned("8", "-1 < RANK"), "\"lora\"");
    EXPECT_EQ(tuned("8", "RANK <= 1e1"), "\"lora\"");
}

// How many ranks there are is said by what starts them: the default is that of a run alone.
TEST(WrittenObjects, DoNotDecideByTheRanksThatALauncherStarts) {
    for (const char* const condition : {"int(os.environ.get(\"WORLD_SIZE\", 1)) > 1",
                                        "int(os.environ.get(\"RANK\", -1)) != -1",
                                        "world_size > 1",
                                        "n > 1",
                                        "args.local_rank >= 0"}) {
        const std::string program =
            "parser.add_argument(\"--local_rank\", type=int, default=-1)\n"
            "n = 1\nfor i, n in counts():\n    pass\n"
            "args = parser.parse_args()\nworld_size = int(os.environ.get(\"WORLD_SIZE\", 1))\n" +
            kWrittenModel + "if " + condition + ":\n    model = DDP(model)\n" +
            writtenLoop("2", "2048");
        EXPECT_EQ(readFrom({{"a.py", program}, {"a.sh", "torchrun --nproc_per_node=8 a.py\n"}},
                           "a.sh",
                           "layout.dp"),
                  "8")
            << condition;
    }
}

// fire.Fire(main) calls it with what is typed.
TEST(WrittenObjects, OfAFunctionThatIsStartedAreTypedOrUsual) {
    const std::string loop = writtenLoop("batch_size", "seq");
    std::string body;
    for (std::size_t begin = 0; begin < loop.size();) {
        const std::size_t end = loop.find('\n', begin) + 1;
        body += "    " + loop.substr(begin, end - begin);
        begin = end;
    }
    const std::string program = "import fire\ndef main(batch_size: int = 4, seq=2048):\n" + body +
                                "if __name__ == \"__main__\":\n    fire.Fire(main)\n";
    EXPECT_EQ(sizesOf(program), "4 x 2048");
    EXPECT_EQ(
        sizesOf({{"a.py", program}, {"a.sh", "python a.py --batch-size 8 --seq=1024\n"}}, "a.sh"),
        "8 x 1024");
}

TEST(WrittenObjects, AreTheConfigurationOfDeepspeed) {
    const std::string program =
        "def get_config(args):\n    return {\"train_micro_batch_size_per_gpu\": 4,\n"
        "            \"bf16\": {\"enabled\": True}, \"zero_optimization\": {\"stage\": 2}}\n"
        "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16)\n"
        "engine, _, _, _ = deepspeed.initialize(model=model, config=get_config(args))\n"
        "x = torch.randint(0, 9, (1, 512))\nengine.backward(engine(x))\nengine.step()\n";
    EXPECT_EQ(readFrom({{"a.py", program}}, "a.py", "layout.shard"), "\"zero2\"");
    EXPECT_EQ(readFrom({{"a.py", program}}, "a.py", "layout.micro_batch"), "4");
}

// Torchrun's "gpu" is what Slurm gives, or the cluster has.
TEST(WrittenObjects, AreStartedOnEachGpuOfANode) {
    const std::string program = kWrittenModel + "model = DDP(model)\n" + writtenLoop("2", "2048");
    const auto ranks = [&](const std::string& script) {
        return readFrom({{"a.py", program}, {"a.sh", script}}, "a.sh", "layout.dp");
    };
    const std::string starts = "torchrun --nproc-per-node=gpu a.py\n";
    EXPECT_EQ(
        ranks("#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=h100:8\nsrun " + starts),
        "16");
    EXPECT_EQ(ranks("#!/bin/bash\n#SBATCH --gres=gpu:4\n" + starts), "4");
    EXPECT_EQ(ranks(starts), "-");
}

TEST(WrittenObjects, OfAProgramThatPythonRefusesAreRefusedAtItsLine) {
    const std::string loop = writtenLoop("2", "2048");
    const auto refused = [](const std::string& program) {
        return readFrom({{"a.py", program}}, "a.py", "layout.micro_batch");
    };
    EXPECT_EQ(
        refused("<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> main\n" + loop),
        "a.py:1:1: has a mark of a merge that is not resolved (the version of these lines that "
        "the training takes)");
    EXPECT_EQ(
        refused("x = 1\n  y = 2\n" + loop),
        "a.py:2:3: is indented more than the line before it (the indentation that Python takes)");
    EXPECT_EQ(
        refused("if x:\ny = 2\n" + loop),
        "a.py:2:1: is not indented behind the line that ends with a colon (the indentation that "
        "Python takes)");
    EXPECT_EQ(refused("if x:\n    y = 2\n  z = 3\n" + loop),
              "a.py:3:3: is indented as no line around it is (the indentation that Python takes)");
    EXPECT_EQ(
        refused("x = \"\"\"\n<<<<<<< HEAD\n\"\"\"\nif x: y = 2\ny = (1 +\n        2)\n" + loop),
        "2");
}

// 2^20 bytes end in the line behind 174,762 lines of six.
TEST(WrittenObjects, EndWhereALaunchFileDoes) {
    std::string program;
    while (program.size() <= (1U << 20U)) {
        program += "x = 3\n";
    }
    EXPECT_NE(sizesOf(program).find("a.py:174763: is longer than a launch file: 1 MiB"),
              std::string::npos);
}

TEST(WrittenObjects, OfNoSamplesAreRefusedByTheirName) {
    EXPECT_EQ(readFrom({{"a.py", "batch = 0\n" + writtenLoop("batch", "2048")}}, "a.py", "model"),
              "a.py:1:1: batch must be 1 or more (1)");
    EXPECT_EQ(readFrom({{"a.json", "{\"train_micro_batch_size_per_gpu\": -1}"}}, "a.json", "model"),
              "a.json:1:36: train_micro_batch_size_per_gpu must be 1 or more (1)");
}

}  // namespace
}  // namespace fabricast
