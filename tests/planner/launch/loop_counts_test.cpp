#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace loop_counts_test {

const std::string kBegins =
    "import os\nimport torch.distributed as dist\n"
    "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.float32)\n"
    "for layer in model.model.layers:\n  fully_shard(layer)\nfully_shard(model)\n"
    "opt = torch.optim.AdamW(model.parameters())\n";
const std::string kAccumulates =
    "loader = DataLoader(ds, batch_size=2)\nfor i, b in enumerate(loader):\n"
    "  loss = model(b, labels=b).loss / accum\n  loss.backward()\n"
    "  if (i + 1) % accum == 0:\n    opt.step()\n    opt.zero_grad()\n";

std::string alone(const std::string& program, const char* path) {
    return readFrom({{"a.py", kBegins + program}}, "a.py", path);
}

/// The program as torchrun starts it on 8 ranks.
std::string startedOnEight(const std::string& program, const char* path) {
    return readFrom({{"run.sh", "torchrun --nproc-per-node 8 a.py\n"}, {"a.py", kBegins + program}},
                    "run.sh",
                    path);
}

// However a program asks, the ranks are those that its launcher starts, and no default.
TEST(LoopCounts, KnowTheRanksThatALauncherStarts) {
    for (const char* const asked : {"dist.get_world_size()",
                                    "torch.distributed.get_world_size()",
                                    "int(os.environ[\"WORLD_SIZE\"])",
                                    "int(os.environ.get(\"WORLD_SIZE\", 1))",
                                    "int(os.getenv(\"WORLD_SIZE\", \"1\"))"}) {
        const std::string program =
            "ws = " + std::string(asked) + "\naccum = 64 // (2 * ws)\n" + kAccumulates;
        EXPECT_EQ(startedOnEight(program, "workload.global_batch"), "\"8 per rank\"") << asked;
        EXPECT_NE(alone(program, "imported.open.workload.global_batch.why").find("accumulation"),
                  std::string::npos)
            << asked;
    }
    const std::string accelerated =
        "accelerator = Accelerator(gradient_accumulation_steps=64 // (2 * ws))\n"
        "model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n"
        "loader = DataLoader(ds, batch_size=2)\nfor b in loader:\n"
        "  accelerator.backward(model(b, labels=b).loss)\n  opt.zero_grad()\n";
    EXPECT_NE(readFrom({{"a.py", accelerated}}, "a.py", "imported.open.workload.global_batch.why"),
              "-");
    EXPECT_EQ(alone("accum = 4\n" + kAccumulates, "workload.global_batch"), "\"8 per rank\"");
}

// Copies are as many as the ranks leave, shards as many as the mesh says.
TEST(LoopCounts, ShardOverTheLastSizeOfAMesh) {
    const auto mesh = [](const std::string& sizes) {
        return "mesh = init_device_mesh(\"cuda\", (" + sizes +
               "), mesh_dim_names=(\"dp_replicate\", \"dp_shard\"))\n";
    };
    const std::string worked = mesh("dist.get_world_size() // 8, 8");
    EXPECT_EQ(alone(worked, "layout.shard"), "\"hsdp\"");
    EXPECT_EQ(alone(worked, "layout.shard_size"), "8");
    EXPECT_EQ(alone(worked, "layout.dp"), "-");
    EXPECT_EQ(startedOnEight(mesh("dist.get_world_size() // 4, 4"), "layout.shard_size"), "4");
    EXPECT_EQ(startedOnEight(mesh("dist.get_world_size() // 4, 4"), "layout.dp"), "8");
    EXPECT_EQ(alone(mesh("0, 8"), "layout.dp"), "0");  // refused where the layout is read
    EXPECT_NE(alone(mesh("2, dist.get_world_size() // 2"), "imported.open.layout.shard.why"), "-");
}

// One backward pass behind a loop is one microbatch of all its calls, and no accumulation.
TEST(LoopCounts, CountLossesThatAreSummedOnce) {
    const std::string sums =
        "for s in range(9):\n  total = 0\n  for k in range(4):\n"
        "    x = torch.randint(0, 9, (1, 64))\n"
        "    total = total + model(x, labels=x).loss / 4\n  total.backward()\n"
        "  opt.step()\n  opt.zero_grad()\n";
    EXPECT_EQ(alone(sums, "layout.micro_batch"), "4");
    EXPECT_EQ(alone(sums, "workload.global_batch"), "\"4 per rank\"");
    const std::string each =
        "for s in range(9):\n  for k in range(4):\n    x = torch.randint(0, 9, (1, 64))\n"
        "    loss = model(x, labels=x).loss / 4\n    loss.backward()\n"
        "  opt.step()\n  opt.zero_grad()\n";
    EXPECT_EQ(alone(each, "layout.micro_batch"), "1");
    EXPECT_EQ(alone(each, "workload.global_batch"), "\"4 per rank\"");
}

// A batch that the loop splits is as many microbatches.
TEST(LoopCounts, SplitABatchIntoMicrobatches) {
    const auto loop = [](const std::string& head, const std::string& part) {
        return "MICRO = 2\nloader = DataLoader(ds, batch_size=16)\nfor b in loader:\n"
               "  x = b[\"x\"].cuda()\n  " +
               head + ":\n    mb = " + part +
               "\n    loss = model(mb, labels=mb).loss\n    loss.backward()\n"
               "  opt.step()\n  opt.zero_grad()\n";
    };
    for (const std::string& program : {loop("for p in x.split(MICRO)", "p"),
                                       loop("for p in torch.split(x, 2)", "p"),
                                       loop("for p, q in zip(x.split(2), y.split(2))", "p"),
                                       loop("for j in range(0, 16, MICRO)", "x[j:j + MICRO]"),
                                       loop("for j in range(8)", "x[j * 2:(j + 1) * 2]")}) {
        EXPECT_EQ(alone(program, "layout.micro_batch"), "2") << program;
        EXPECT_EQ(alone(program, "workload.global_batch"), "\"16 per rank\"") << program;
    }
    const std::string unknown = loop("for p in x.split(args.micro)", "p");
    EXPECT_NE(alone(unknown, "imported.open.layout.micro_batch.why"), "-");
    EXPECT_EQ(alone(loop("for w in names.split(\",\")", "x"), "layout.micro_batch"), "16");
}

const std::string kSteps = "for s in range(9):\n  x = torch.randint(0, 9, (1, 64))\n";

// Gradients that are zeroed in place, or freed late or never, are there in the forward pass.
TEST(LoopCounts, KeepGradientsThatNothingFrees) {
    const auto kept = [](const std::string& body) {
        return alone(kSteps + body, "settings.torch.set_to_none");
    };
    const std::string calls = "  loss = model(x, labels=x).loss\n";
    const std::string backs = "  loss.backward()\n  opt.step()\n";
    EXPECT_EQ(kept(calls + backs + "  opt.zero_grad()\n"), "-");
    EXPECT_EQ(kept("  opt.zero_grad()\n" + calls + backs), "-");
    EXPECT_EQ(kept(calls + backs + "  for p in model.parameters():\n    p.grad = None\n"), "-");
    EXPECT_EQ(kept(calls + backs + "  opt.zero_grad(set_to_none=True)\n"), "-");
    EXPECT_EQ(kept(calls + backs + "  opt.zero_grad(set_to_none=False)\n"), "false");
    EXPECT_EQ(kept(calls + backs + "  model.zero_grad(False)\n"), "false");
    EXPECT_EQ(kept(calls + "  opt.zero_grad()\n" + backs), "false");
    EXPECT_EQ(kept(calls + backs), "false");
}

}  // namespace loop_counts_test
}  // namespace fabricast
