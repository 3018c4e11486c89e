#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

const std::string kFsdpBegins =
    "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.float32)\n";
const std::string kFsdpShards =
    "for layer in model.model.layers:\n  fully_shard(layer)\nfully_shard(model)\n";
const std::string kFsdpEnds =
    "opt = torch.optim.AdamW(model.parameters())\nfor step in range(9):\n"
    "  x = torch.randint(0, 9, (2, 64))\n  model(x, labels=x).loss.backward()\n  opt.step()\n";

std::string ofFsdpLoop(const std::string& between, const char* path) {
    return readFrom({{"a.py", kFsdpBegins + between + kFsdpEnds}}, "a.py", path);
}

// Every fourth layer that is recomputed is no recomputation of all.
TEST(FsdpLoops, AskWhereSomeLayersAreRecomputed) {
    const auto why = [](const std::string& checkpoints) {
        return ofFsdpLoop(checkpoints + kFsdpShards, "imported.open.layout.recompute.why");
    };
    for (const char* const some :
         {"for i, l in enumerate(model.model.layers):\n  if i % 4 == 0:\n"
          "    model.model.layers[i] = checkpoint_wrapper(l)\n",
          "for i in range(0, 8, 2):\n"
          "  model.model.layers[i] = checkpoint_wrapper(model.model.layers[i])\n",
          "for l in model.model.layers[:16]:\n  checkpoint_wrapper(l)\n",
          "apply_activation_checkpointing(model, check_fn=lambda m: m.layer_idx % 2 == 0)\n",
          "def pick(m):\n  return m.layer_idx < 8\n"
          "apply_activation_checkpointing(model, check_fn=pick)\n",
          "if settings.checkpoints:\n  model.gradient_checkpointing_enable()\n",
          "for l in model.model.layers:\n  checkpoint_wrapper(l, context_fn=policy)\n"}) {
        EXPECT_NE(why(some), "-") << some;
    }
    for (const char* const all :
         {"for i, l in enumerate(model.model.layers):\n"
          "  model.model.layers[i] = checkpoint_wrapper(l)\n",
          "for n, m in model.named_children():\n  if isinstance(m, LlamaDecoderLayer):\n"
          "    setattr(model, n, checkpoint_wrapper(m))\n",
          "apply_activation_checkpointing(model, check_fn=lambda m: isinstance(m, Block))\n",
          "for i in range(8):\n"
          "  model.model.layers[i] = checkpoint_wrapper(model.model.layers[i])\n",
          "model.gradient_checkpointing_enable()\n"}) {
        EXPECT_EQ(why(all), "-") << all;
        EXPECT_EQ(ofFsdpLoop(all + kFsdpShards, "layout.recompute"), "\"full\"") << all;
    }
}

// A reference may be sharded before the model whose weights the optimizer is given.
TEST(FsdpLoops, TrainWhatTheOptimizerIsGiven) {
    const auto read = [](const char* path) {
        return readFrom(
            {{"a.py",
              "ref = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16)\n"
              "ref.requires_grad_(False)\nref = shard(ref)\n"
              "def shard(m):\n  for layer in m.model.layers:\n    fully_shard(layer)\n"
              "  fully_shard(m)\n  return m\n" +
                  kFsdpBegins + "model = shard(model)\n" + kFsdpEnds}},
            "a.py",
            path);
    };
    EXPECT_EQ(read("settings.train"), "-");
    EXPECT_EQ(read("imported.open"), "-");
    EXPECT_EQ(read("settings.precision.parameters"), "-");  // fp32, with bf16 products or without
    EXPECT_EQ(read("settings.reference"), "\"whole\"");
}

}  // namespace
}  // namespace fabricast
