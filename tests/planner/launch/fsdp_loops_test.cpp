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

/// As the body of a function.
std::string indented(const std::string& lines) {
    std::string text;
    for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
        text += "  " + lines.substr(at, lines.find('\n', at) + 1 - at);
    }
    return text;
}

TEST(FsdpLoops, ShardTheWholeModelAsOneUnitWhereNoLayerIsOne) {
    for (const char* const whole : {"fully_shard(model)\n",
                                    "fully_shard(model, reshard_after_forward=True)\n",
                                    "def shard(m):\n  fully_shard(m)\nshard(model)\n",
                                    "class T:\n  def run(self):\n    fully_shard(self.model)\n",
                                    "fully_shard(model.model)\nfully_shard(model)\n"}) {
        EXPECT_EQ(ofFsdpLoop(whole, "settings.torch.one_unit"), "true") << whole;
    }
    for (const char* const layers :
         {"for layer in model.model.layers:\n  fully_shard(layer)\nfully_shard(model)\n",
          "for i in range(8):\n  fully_shard(model.model.layers[i])\nfully_shard(model)\n",
          "for m in model.modules():\n  if isinstance(m, LlamaDecoderLayer):\n"
          "    fully_shard(m)\nfully_shard(model)\n",
          "for model_part in [*model.model.layers, model]:\n  fully_shard(model_part)\n",
          "[fully_shard(block) for block in model.model.layers]\nfully_shard(model)\n",
          "def shard(m):\n  fully_shard(m)\nfor layer in model.model.layers:\n  shard(layer)\n"
          "shard(model)\n"}) {
        EXPECT_EQ(ofFsdpLoop(layers, "settings.torch.one_unit"), "-") << layers;
    }
}

// A teacher that is loaded behind fully_shard is no model that is trained.
TEST(FsdpLoops, TrainWhatIsShardedBesideATeacherThatIsLoadedLater) {
    const std::string student =
        "config = AutoConfig.from_pretrained(\"a/b\").get_text_config()\n"
        "model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)\n" +
        kFsdpShards;
    const std::string teacher =
        "teacher = AutoModelForCausalLM.from_pretrained(\"known/70b\", dtype=torch.bfloat16)\n";
    const std::string optimizer = kFsdpEnds.substr(0, kFsdpEnds.find('\n') + 1);
    const std::string steps = kFsdpEnds.substr(optimizer.size());
    for (const std::string& program : {student + teacher + "teacher.cuda()\n" + optimizer + steps,
                                       student + optimizer + teacher + "teacher.cuda()\n" + steps,
                                       "def main():\n" + indented(student + teacher + optimizer) +
                                           indented("teacher.cuda()\n" + steps) + "main()\n"}) {
        const auto read = [&program](const char* path) {
            return readFrom({{"a.py", program}}, "a.py", path);
        };
        EXPECT_EQ(read("model"), "\"a/b\"") << program;
        EXPECT_EQ(read("settings.reference_model.parameters"), "70000000000") << program;
    }
}

TEST(FsdpLoops, AskWhichLayersAreUnitsAndStayGathered) {
    const std::string one = "for layer in model.model.layers:\n  fully_shard(layer)\n  break\n";
    EXPECT_NE(ofFsdpLoop(one + "fully_shard(model)\n", "imported.open.settings.torch.one_unit.why"),
              "-");
    const std::string none = "def layers(m):\n  return []\nfor layer in layers(model):\n";
    EXPECT_EQ(
        ofFsdpLoop(none + "  fully_shard(layer)\nfully_shard(model)\n", "settings.torch.one_unit"),
        "true");
    EXPECT_NE(
        ofFsdpLoop("for i, layer in enumerate(model.model.layers):\n"
                   "  fully_shard(layer, reshard_after_forward=i < len(model.model.layers) - 1)\n"
                   "fully_shard(model)\n",
                   "imported.open.settings.torch.reshard.why"),
        "-");
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

TEST(FsdpLoops, RecomputeNothingWhereThatIsTurnedOffAgain) {
    const std::string on = "model.gradient_checkpointing_enable()\n";
    const std::string off = "model.gradient_checkpointing_disable()\n";
    EXPECT_EQ(ofFsdpLoop(on + off + kFsdpShards, "layout.recompute"), "-");
    EXPECT_EQ(ofFsdpLoop(off + on + kFsdpShards, "layout.recompute"), "\"full\"");
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
    EXPECT_EQ(read("settings.reference"), "\"sharded\"");
}

// A second model that the loop calls is no model on the host, whoever puts it there.
TEST(FsdpLoops, CountTheModelsThatTheyCall) {
    EXPECT_EQ(ofFsdpLoop("ref = AutoModelForCausalLM.from_pretrained(\"a/b\", "
                         "dtype=torch.bfloat16)\n" +
                             kFsdpShards +
                             "x = torch.randint(0, 9, (2, 64))\n"
                             "with torch.no_grad():\n  old = ref(x).logits\n",
                         "settings.reference"),
              "\"whole\"");
}

// What stands in a loop over models that are written out is done to each of them.
TEST(FsdpLoops, GoThroughTheModelsOfAList) {
    const auto reference = [](const std::string& loop) {
        return ofFsdpLoop(
            "ref = AutoModelForCausalLM.from_pretrained(\"a/b\", "
            "dtype=torch.bfloat16)\n" +
                loop +
                "x = torch.randint(0, 9, (2, 64))\n"
                "with torch.no_grad():\n  old = ref(x).logits\n",
            "settings.reference");
    };
    const std::string shards =
        "  for layer in m.model.layers: fully_shard(layer)\n  fully_shard(m)\n";
    for (const std::string head : {"for m in (model, ref):\n",
                                   "for m in [ref, model]:\n",
                                   "for m in model, ref:\n",
                                   "for i, m in enumerate((model, ref)):\n",
                                   "for m, name in ((model, \"a\"), (ref, \"b\")):\n",
                                   "both = [model, ref]\nfor m in both:\n"}) {
        EXPECT_EQ(reference(head + shards), "\"sharded\"") << head;
    }
    for (const std::string head : {"for m in (model,):\n", "for m in [model]:\n"}) {
        EXPECT_EQ(reference(head + shards), "\"whole\"") << head;
    }
    EXPECT_EQ(ofFsdpLoop("ema = copy.deepcopy(model)\nfor m in (model, ema):\n" + shards,
                         "settings.reference"),
              "\"sharded\"");
    EXPECT_EQ(ofFsdpLoop("for m in (model,):\n  fully_shard(m)\n", "settings.torch.one_unit"),
              "true");
    EXPECT_EQ(ofFsdpLoop("for m in (model,):\n" + shards, "settings.torch.one_unit"), "-");
}

// fp32 weights beside 16 bits are the precision of what multiplies.
TEST(FsdpLoops, SayWhatToTypeWhereTheWeightsAreFp32) {
    const auto assumed = [](const std::string& shards, const std::string& step) {
        const auto run =
            importedFrom({{"a.py",
                           "model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n" + shards +
                               "opt = torch.optim.AdamW(model.parameters())\n"
                               "for step in range(9):\n  x = torch.randint(0, 9, (2, 64))\n  " +
                               step + "model(x, labels=x).loss.backward()\n"}},
                         "a.py");
        return run->find("imported")
            ->find("assumed")
            ->find("workload")
            ->find("precision")
            ->text()
            .value();
    };
    const std::string ddp = "model = DDP(model)\n";
    EXPECT_NE(assumed(ddp, "").find("(--precision fp32)"), std::string::npos);
    EXPECT_NE(assumed(ddp, "with torch.autocast(\"cuda\", dtype=torch.bfloat16): ")
                  .find("(--precision bf16)"),
              std::string::npos);
    EXPECT_NE(assumed(ddp, "with torch.autocast(\"cuda\"): ").find("(--precision fp16)"),
              std::string::npos);
    EXPECT_NE(assumed("mp = MixedPrecisionPolicy(param_dtype=torch.bfloat16)\n"
                      "fully_shard(model, mp_policy=mp)\n",
                      "")
                  .find("(--precision bf16)"),
              std::string::npos);
}

// What is said of the head alone says nothing of the layers.
TEST(FsdpLoops, ReshardAsTheirLayersAndTheirRootSay) {
    const auto reshards = [](const std::string& layers, const std::string& root) {
        return ofFsdpLoop("for layer in model.model.layers:\n  fully_shard(layer" + layers +
                              ")\nfully_shard([model.model.norm, model.lm_head], "
                              "reshard_after_forward=False)\nfully_shard(model" +
                              root + ")\n",
                          "settings.torch.reshard");
    };
    const std::string on = ", reshard_after_forward=True";
    const std::string off = ", reshard_after_forward=False";
    EXPECT_EQ(reshards("", ""), "-");
    EXPECT_EQ(reshards("", off), "-");
    EXPECT_EQ(reshards(on, ""), "-");
    EXPECT_EQ(reshards(on, on), "\"always\"");
    EXPECT_EQ(reshards(off, off), "\"never\"");
    EXPECT_EQ(reshards(off, ""), "\"never\"");
    EXPECT_EQ(ofFsdpLoop("def shard(m):\n  fully_shard(m" + off +
                             ")\nfor layer in model.model.layers:\n  shard(layer)\n"
                             "shard(model)\n",
                         "settings.torch.reshard"),
              "\"never\"");
}

// Accelerate wraps no layers unless it is told which (FSDP_AUTO_WRAP_POLICY is NO_WRAP).
TEST(FsdpOfAccelerate, IsOneUnitWithoutAWrapPolicy) {
    const auto read = [](const std::string& more, const char* path) {
        return readFrom({{"a.yaml",
                          "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n"
                          "  fsdp_version: 2\n" +
                              more}},
                        "a.yaml",
                        path);
    };
    const std::string policy = "  fsdp_auto_wrap_policy: ";
    EXPECT_EQ(read(policy + "NO_WRAP\n", "settings.torch.one_unit"), "true");
    EXPECT_EQ(read(policy + "NO_WRAP\n", "settings.torch.reshard"), "-");
    EXPECT_EQ(read(policy + "TRANSFORMER_BASED_WRAP\n", "settings.torch.one_unit"), "-");
    EXPECT_EQ(read(policy + "TRANSFORMER_BASED_WRAP\n", "imported.open"), "-");
    EXPECT_NE(read("", "imported.open.settings.torch.one_unit.why"), "-");
}

// From 1.14 on Accelerate has units for the ends beside the one of the layers.
TEST(FsdpOfAccelerate, NotesThatEndsAreApart) {
    const auto notes = [](const std::string& policy) {
        const auto run = importedFrom({{"a.yaml",
                                        "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n"
                                        "  fsdp_version: 2\n  fsdp_auto_wrap_policy: " +
                                            policy + "\n"}},
                                      "a.yaml");
        int found = 0;
        for (const JsonValue& note : run->find("imported")->find("notes")->items()) {
            found += note.text().value().starts_with("NO_WRAP: ") ? 1 : 0;
        }
        return found;
    };
    EXPECT_EQ(notes("NO_WRAP"), 1);
    EXPECT_EQ(notes("TRANSFORMER_BASED_WRAP"), 0);
}

// Axolotl has a wrapping of its own, which names reshard_after_forward for the root too.
TEST(FsdpOfAxolotl, IsOneUnitThatIsFreedAfterForward) {
    const auto read = [](const char* path) {
        return readFrom({{"a.yaml",
                          "base_model: a/b\nmicro_batch_size: 1\nfsdp_version: 2\nfsdp_config:\n"
                          "  auto_wrap_policy: NO_WRAP\n"}},
                        "a.yaml",
                        path);
    };
    EXPECT_EQ(read("settings.torch.one_unit"), "true");
    EXPECT_EQ(read("settings.torch.reshard"), "\"always\"");
}

// From 5.10 on transformers wraps layers where nothing is said.
TEST(FsdpOfAccelerate, IsByLayersUnderATrainer) {
    const auto assumed = [](const std::string& fsdp) {
        return readFrom({{"run.sh",
                          "torchrun --nproc_per_node 8 t.py --output_dir o --bf16 "
                          "--max_length 64 " +
                              fsdp + "\n"}},
                        "run.sh",
                        "imported.assumed.settings.torch.one_unit");
    };
    EXPECT_NE(assumed("--fsdp full_shard"), "-");
    EXPECT_EQ(assumed("--fsdp 'full_shard auto_wrap'"), "-");
    EXPECT_EQ(assumed("--fsdp True"), "-");
}

}  // namespace
}  // namespace fabricast
