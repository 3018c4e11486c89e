#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

std::string tf32Of(const std::string& file, const std::string& text) {
    return readFrom({{file, text}}, file, "settings.precision.tf32");
}

TEST(ImportOfTf32, IsWhatTurnsItOnInFp32) {
    const std::string trainer =
        "torchrun t.py --output_dir o --model_name_or_path a/b --dtype float32 ";
    EXPECT_EQ(tf32Of("a.sh", trainer), "false");
    EXPECT_EQ(tf32Of("a.sh", trainer + "--tf32 True"), "true");
    EXPECT_EQ(tf32Of("a.sh", trainer + "--tf32 False"), "false");
    EXPECT_EQ(tf32Of("a.sh", trainer + "--bf16 --tf32 True"), "-");
    EXPECT_EQ(tf32Of("a.yaml", "base_model: x\nbf16: false\n"), "false");
    EXPECT_EQ(tf32Of("a.yaml", "base_model: x\nbf16: false\ntf32: true\n"), "true");
    EXPECT_EQ(tf32Of("a.yaml", "base_model: x\nbf16: true\ntf32: true\n"), "-");
}

TEST(ImportOfTf32, IsWhatAProgramTurnsOn) {
    const std::string loop =
        "import torch\nfrom torch.distributed.fsdp import fully_shard\nSEQUENCE = 4096\n"
        "MICRO_BATCH = 1\nmodel = AutoModelForCausalLM.from_pretrained(\"a/b\", "
        "dtype=torch.float32)\nfully_shard(model)\n"
        "optimizer = torch.optim.AdamW(model.parameters(), lr=7e-4)\n";
    EXPECT_EQ(tf32Of("a.py", loop), "false");
    EXPECT_EQ(tf32Of("a.py", "torch.backends.cuda.matmul.allow_tf32 = True\n" + loop), "true");
    EXPECT_EQ(tf32Of("a.py", "torch.backends.cuda.matmul.allow_tf32 = False\n" + loop), "false");
    EXPECT_EQ(tf32Of("a.py", "torch.set_float32_matmul_precision(\"high\")\n" + loop), "true");
    EXPECT_EQ(tf32Of("a.py", "torch.set_float32_matmul_precision(\"highest\")\n" + loop), "false");
}

// Whoever answers that the weights are fp32 gets the products of that program.
TEST(ImportOfTf32, IsOfWeightsThatMayBeFp32) {
    const auto loop = [](const std::string& before, const std::string& dtype) {
        return before + "model = AutoModelForCausalLM.from_pretrained(\"a/b\"" + dtype +
               ")\nmodel = DDP(model)\nopt = torch.optim.AdamW(model.parameters())\n"
               "for i in range(9):\n  model(torch.randint(0, 9, (2, 64))).loss.backward()\n";
    };
    EXPECT_EQ(tf32Of("a.py", loop("", "")), "false");
    EXPECT_EQ(tf32Of("a.py", loop("torch.set_float32_matmul_precision(\"high\")\n", "")), "true");
    EXPECT_EQ(tf32Of("a.py", loop("", ", dtype=torch.bfloat16")), "-");
}

TEST(ImportOfTf32, IsAcceleratesWhereItCompiles) {
    const std::string compiled =
        "torchrun t.py --output_dir o --model_name_or_path a/b --torch_compile True";
    EXPECT_EQ(tf32Of("a.sh", compiled), "-");
}

TEST(ImportOfTf32, IsTransformerEnginesAlways) {
    EXPECT_EQ(tf32Of("a.sh",
                     "torchrun pretrain_gpt.py --num-layers 2 --hidden-size 64 "
                     "--num-attention-heads 4 --seq-length 64 --micro-batch-size 1 "
                     "--global-batch-size 1 --vocab-size 1024"),
              "-");
}

}  // namespace
}  // namespace fabricast
