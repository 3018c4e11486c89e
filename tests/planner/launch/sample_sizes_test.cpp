#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

const std::string kLoopModel =
    "p = argparse.ArgumentParser()\n"
    "p.add_argument(\"--batch-size\", type=int, default=8)\n"
    "p.add_argument(\"--seq-len\", type=int, default=2048)\n"
    "a = p.parse_args()\n"
    "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16)\n"
    "model = DDP(model)\n"
    "optimizer = torch.optim.AdamW(model.parameters())\n";

struct Sized {
    const char* program;  ///< what stands behind the model
    const char* batch;    ///< "-" where it is not known
    const char* sequence;
};

// What makes the tokens says how many there are, whatever names there are beside it.
TEST(SampleSizes, AreThoseOfWhatMakesTheTokens) {
    const std::vector<Sized> all = {
        {"x = torch.randint(0, 128, (a.batch_size, a.seq_len))\n", "8", "2048"},
        {"x = torch.randint(128, (2, 512), device=\"cuda\")\n", "2", "512"},
        {"x = torch.randint(0, 128, size=(3, 4096))\n", "3", "4096"},
        {"data = [(torch.zeros(2, 1024, dtype=torch.long),) * 2]\n", "2", "1024"},
        {"mask = torch.zeros(5, 7)\n", "8", "2048"},
        {"dl = DataLoader(ds, batch_size=4)\n", "4", "2048"},
        {"dl = DataLoader(ds, 6)\neval_dl = DataLoader(ds, batch_size=32)\n", "6", "2048"},
        {"dl = DataLoader(ds)\n", "1", "2048"},
        {"tok(x, truncation=True, max_length=256)\n", "8", "256"},
        {"ctx = 32768\nx = b[\"input_ids\"][:, :ctx].cuda()\n", "8", "32768"},
        {"x = b.input_ids[:, :512]\ny = v.input_ids[:, :512]\n", "8", "512"},
        {"x = b.input_ids[:, :512]\ny = v.input_ids[:, :64]\n", "8", "2048"},
        {"x = b.input_ids[:, :-1]\n", "8", "2048"},
        {"BLOCK = 4096\ndef group(e):\n  return [e[i : i + BLOCK] for i in range(0, 9, BLOCK)]\n"
         "ds = ds.map(group, batched=True)\n",
         "8",
         "4096"},
        {"def batch():\n  ix = torch.randint(len(d) - 64, (12,))\n"
         "  return torch.stack([d[i:i+64] for i in ix])\nbatch()\n",
         "12",
         "64"},
        {"texts = [t[i : i + 4] for i in range(0, 9, 4)]\n", "8", "2048"}};
    for (const Sized& one : all) {
        const LaunchFolder folder = {{"a.py", kLoopModel + one.program}};
        EXPECT_EQ(readFrom(folder, "a.py", "layout.micro_batch"), one.batch) << one.program;
        EXPECT_EQ(readFrom(folder, "a.py", "workload.sequence"), one.sequence) << one.program;
        EXPECT_EQ(readFrom(folder, "a.py", "workload.global_batch"),
                  "\"" + std::string(one.batch) + " per rank\"");
    }
}

// What a program works out is asked for, and what is typed for it holds.
TEST(SampleSizes, AreAskedForWhereTheProgramWorksThemOut) {
    struct Asked {
        const char* program;
        const char* key;
        const char* place;
    };
    const std::vector<Asked> all = {
        {"x = torch.randint(0, 128, (n(), 512))\n", "layout.micro_batch", "a.py:8:27"},
        {"x = torch.randint(0, 128, (2, longest()))\n", "workload.sequence", "a.py:8:27"},
        {"dl = DataLoader(ds, batch_size=total // world)\n", "layout.micro_batch", "a.py:8:21"},
        {"dl = DataLoader(ds, batch_sampler=s)\n", "layout.micro_batch", "a.py:8:6"},
        {"dl = DataLoader(ds, batch_size=2)\nd2 = DataLoader(ds, batch_size=4)\n",
         "layout.micro_batch",
         "a.py:8:21"},
        {"def group(e):\n  return [e[i : i + n] for i in range(0, 9, n)]\nds.map(group)\n",
         "workload.sequence",
         "a.py:9:21"}};
    for (const Asked& one : all) {
        const auto run = importedFrom({{"a.py", kLoopModel + one.program}}, "a.py");
        ASSERT_TRUE(run) << run.error().text();
        const JsonValue* open = run->find("imported")->find("open");
        ASSERT_NE(open, nullptr) << one.program;
        const std::string key = one.key;
        open = open->find(key.substr(0, key.find('.')));
        ASSERT_NE(open, nullptr) << one.program;
        open = open->find(key.substr(key.find('.') + 1));
        ASSERT_NE(open, nullptr) << one.program;
        EXPECT_EQ(open->find("why")->where(), one.place) << one.program;
    }
}

// Prompts and answers that are cut apart: which length a sample has is not read.
TEST(SampleSizes, AreAskedForWhereTwoLengthsAreCut) {
    const std::string cuts =
        "def enc(b):\n  a = tok(b[\"q\"], truncation=True, max_length=8192)\n"
        "  c = tok(b[\"a\"], truncation=True, max_length=128)\nds = ds.map(enc)\n";
    const std::string same = "tok(x, truncation=True, max_length=8192)\n";
    const std::string trainer =
        "model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n"
        "Trainer(model=model, args=TrainingArguments(\"o\")).train()\n";
    const auto why = [](const std::string& program) {
        return readFrom({{"a.py", program}}, "a.py", "imported.open.workload.sequence.why")
            .substr(0, 12);
    };
    EXPECT_EQ(why(cuts + trainer), "\"max_length:");
    EXPECT_EQ(why(same + same + trainer), "-");
    EXPECT_EQ(why(kLoopModel + cuts + "loss.backward()\n"), "\"max_length:");
    EXPECT_EQ(why(kLoopModel + same + same + "loss.backward()\n"), "-");
}

TEST(SampleSizes, OfTrainersPieces) {
    const std::string program =
        "def group(e):\n  return {k: [t[i:i+B] for i in range(0, n, B)] for k, t in e.items()}\n"
        "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16)\n"
        "ds = ds.map(lambda x: tok(x[\"text\"]), batched=True).map(group, batched=True)\n"
        "Trainer(model=model, args=TrainingArguments(\"o\", bf16=True)).train()\n";
    EXPECT_EQ(readFrom({{"a.py", "B = 16384\n" + program}}, "a.py", "workload.sequence"), "16384");
    EXPECT_NE(
        readFrom({{"a.py", "B = f()\n" + program}}, "a.py", "imported.open.workload.sequence.why")
            .find("texts are cut in pieces"),
        std::string::npos);
}

}  // namespace
}  // namespace fabricast
