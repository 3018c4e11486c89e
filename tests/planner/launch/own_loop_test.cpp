#include "planner/text/json_strings.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

const std::string kOwnModel =
    "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16).cuda()\n";
const std::string kOwnOptimizer = "opt = torch.optim.AdamW(model.parameters(), lr=1e-5)\n";
const std::string kOwnSteps =
    "for step in range(9):\n  x = torch.randint(0, 9, (2, 2048))\n"
    "  loss = model(input_ids=x, labels=x).loss\n  loss.backward()\n  opt.step()\n";

struct LoopValue {
    std::string program;
    const char* path;
    const char* value;
};

TEST(OwnLoops, AreReadAsWhatTheyDo) {
    const std::string plain = kOwnModel + kOwnOptimizer + kOwnSteps;
    const std::string accelerated =
        "accelerator = Accelerator(mixed_precision=\"bf16\", gradient_accumulation_steps=4)\n"
        "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.float32)\n" +
        kOwnOptimizer +
        "dl = DataLoader(ds, batch_size=3)\nmodel, opt, dl = accelerator.prepare(model, opt, dl)\n"
        "for b in dl:\n  with accelerator.accumulate(model):\n    "
        "accelerator.backward(model(**b))\n";
    const std::string adapted =
        kOwnModel + "model = get_peft_model(model, LoraConfig(r=4, target_modules=[\"q_proj\"]))\n";
    const std::string engine =
        "cfg = {\"train_micro_batch_size_per_gpu\": 4, \"bf16\": {\"enabled\": True},\n"
        "  \"zero_optimization\": {\"stage\": 2}}\n" +
        kOwnModel +
        "engine, _, _, _ = deepspeed.initialize(model=model, config=cfg)\n"
        "x = torch.randint(0, 9, (1, 512))\nengine.backward(engine(x))\nengine.step()\n";
    const std::vector<LoopValue> all = {
        {plain, "model", "\"a/b\""},
        {plain, "stack", "\"accelerate\""},
        {plain, "layout.dp", "1"},
        {plain, "layout.micro_batch", "2"},
        {plain, "workload.sequence", "2048"},
        {plain, "workload.precision", "\"pure_bf16\""},
        {plain, "workload.optimizer", "\"adamw\""},
        {plain, "settings.optimizer.kernel", "\"foreach\""},
        {"model.gradient_checkpointing_enable()\n" + plain, "layout.recompute", "\"full\""},
        {kOwnModel + "opt = bnb.optim.AdamW8bit(model.parameters())\n" + kOwnSteps,
         "workload.optimizer",
         "\"adamw_8bit\""},
        {plain + "with torch.autocast(\"cuda\", dtype=torch.bfloat16):\n  pass\n",
         "workload.precision",
         "\"bf16\""},
        {plain + "with torch.autocast(\"cuda\", torch.bfloat16):\n  pass\n",
         "workload.precision",
         "\"bf16\""},
        {accelerated, "layout.dp", "-"},
        {accelerated, "layout.micro_batch", "3"},
        {accelerated, "workload.global_batch", "\"12 per rank\""},
        {accelerated, "workload.precision", "\"bf16\""},
        {accelerated, "settings.precision.parameters", "-"},
        {adapted + kOwnOptimizer + kOwnSteps, "settings.tuning", "\"lora\""},
        {adapted + kOwnOptimizer + kOwnSteps, "settings.lora.targets", "\"q\""},
        // Nothing casts: the base multiplies in its own type, beside adapters of fp32.
        {adapted + kOwnOptimizer + kOwnSteps, "workload.precision", "\"pure_bf16\""},
        {adapted + kOwnOptimizer + kOwnSteps, "settings.lora.dtype", "\"fp32\""},
        {kOwnModel +
             "model = get_peft_model(model, LoraConfig(r=4), autocast_adapter_dtype=False)\n" +
             kOwnOptimizer + kOwnSteps,
         "settings.lora.dtype",
         "\"bf16\""},
        {adapted + kOwnOptimizer + kOwnSteps + "model = model.merge_and_unload()\n",
         "settings.tuning",
         "\"lora\""},
        {adapted + "model = DDP(model)\n" + kOwnOptimizer + kOwnSteps, "layout.dp", "-"},
        {engine, "stack", "\"deepspeed\""},
        {engine, "layout.shard", "\"zero2\""},
        {engine, "layout.micro_batch", "4"},
        {engine, "workload.sequence", "512"},
        {"teacher = AutoModelForCausalLM.from_pretrained(\"c/d\", dtype=torch.bfloat16)\n" + plain,
         "model",
         "\"a/b\""},
        {"model = Net()\n" + kOwnOptimizer + kOwnSteps, "workload.precision", "\"fp32\""}};
    for (const LoopValue& one : all) {
        EXPECT_EQ(readFrom({{"a.py", one.program}}, "a.py", one.path), one.value)
            << one.path << " of\n"
            << one.program;
    }
}

TEST(LoopsUnderDdp, HaveTheTypeThatAutocastIsGivenSecond) {
    const std::string program =
        "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.float32)\n"
        "model = DDP(model)\nopt = torch.optim.AdamW(model.parameters())\n"
        "x = torch.randint(0, 9, (4, 64))\n";
    const auto precisionOf = [&program](const std::string& context) {
        return readFrom({{"a.py", program + "with " + context + ":\n  model(x).loss.backward()\n"}},
                        "a.py",
                        "workload.precision");
    };
    EXPECT_EQ(precisionOf("torch.autocast(\"cuda\", torch.float16)"), "\"fp16\"");
    EXPECT_EQ(precisionOf("torch.autocast(\"cuda\", torch.bfloat16)"),
              precisionOf("torch.autocast(\"cuda\", dtype=torch.bfloat16)"));
    EXPECT_EQ(precisionOf("torch.autocast(\"cuda\")"), "\"fp16\"");
}

TEST(OwnLoops, AreStartedWithTheirFiles) {
    const std::string program = "accelerator = Accelerator()\n" + kOwnModel + kOwnOptimizer +
                                "model, opt = accelerator.prepare(model, opt)\n" + kOwnSteps;
    const LaunchFolder folder = {
        {"a.py", program},
        {"b.py", kOwnModel + kOwnOptimizer + kOwnSteps},
        {"e.py",
         kOwnModel + "e = deepspeed.initialize(model=model, config=\"ds.json\")\n"
                     "e.backward(e(torch.randint(0, 9, (1, 64))))\n"},
        {"ds.json", R"({"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true},
                        "zero_optimization": {"stage": 3}})"},
        {"torchrun.sh", "torchrun --nproc_per_node 4 a.py\n"},
        {"python.sh", "python a.py\n"},
        {"plain.sh", "python b.py\n"},
        {"deepspeed.sh", "deepspeed --num_gpus 8 e.py\n"}};
    EXPECT_EQ(readFrom(folder, "torchrun.sh", "layout.dp"), "4");
    EXPECT_EQ(readFrom(folder, "python.sh", "layout.dp"), "1");
    EXPECT_EQ(readFrom(folder, "plain.sh", "layout.dp"), "1");
    EXPECT_EQ(readFrom(folder, "e.py", "layout.shard"), "\"zero3\"");
    EXPECT_EQ(readFrom(folder, "e.py", "layout.micro_batch"), "2");
    EXPECT_EQ(readFrom(folder, "deepspeed.sh", "layout.dp"), "8");
}

TEST(OwnLoops, SayWhatIsNotModelled) {
    const auto run = importedFrom({{"a.py",
                                    kOwnModel + kOwnOptimizer + kOwnSteps +
                                        "loss = F.cross_entropy(a, b)\ny = model.generate(x)\n"}},
                                  "a.py");
    ASSERT_TRUE(run) << run.error().text();
    std::string notes;
    for (const std::string& one : stringsIn(run->find("imported")->find("notes"))) {
        notes += one;
    }
    EXPECT_NE(notes.find("cross_entropy()"), std::string::npos) << notes;
    EXPECT_NE(notes.find("generate()"), std::string::npos) << notes;
    const auto why = [](const std::string& before, const std::string& model) {
        return readFrom({{"a.py", before + model + kOwnOptimizer + kOwnSteps}}, "a.py", "model");
    };
    EXPECT_EQ(why("a = Accelerator(fsdp_plugin=plugin)\n", kOwnModel).substr(0, 52),
              "a.py:1:17: Accelerator.fsdp_plugin is not modelled f");
    EXPECT_EQ(why("", kOwnModel + "model = FSDP(model)\n").substr(0, 28),
              "a.py:2:9: FSDP is not modell");
    EXPECT_EQ(why("", kOwnModel + "model = nn.DataParallel(model)\n").substr(0, 34),
              "a.py:2:12: DataParallel is not mod");
    EXPECT_EQ(why("", kOwnModel + "if rich():\n  model = get_peft_model(model, LoraConfig(r=8))\n")
                  .substr(0, 46),
              "a.py:3:33: LoraConfig depends on \"rich()\", whi");
}

// What is typed behind a program, and nobody reads, is named.
TEST(OwnLoops, NameWhatIsTypedAndNotRead) {
    const auto run = importedFrom({{"a.py", kOwnModel + kOwnOptimizer + kOwnSteps},
                                   {"a.sh", "python a.py --packing_factor 3\n"}},
                                  "a.sh");
    ASSERT_TRUE(run) << run.error().text();
    std::string notes;
    for (const std::string& one : stringsIn(run->find("imported")->find("notes"))) {
        notes += one + "\n";
    }
    EXPECT_NE(notes.find("not looked at: --packing_factor (a.sh:1)"), std::string::npos) << notes;
}

// Accelerate gives every model back in its place.
TEST(OwnLoops, KeepTheModelsThatArePreparedTogether) {
    EXPECT_EQ(readFrom({{"a.py",
                         "acc = Accelerator()\n"
                         "teacher = AutoModelForCausalLM.from_pretrained(\"c/d\")\n"
                         "student = AutoModelForCausalLM.from_pretrained(\"a/b\")\n"
                         "opt = torch.optim.AdamW(student.parameters())\n"
                         "student, teacher, opt = acc.prepare(student, teacher, opt)\n"
                         "for step in range(9):\n  x = torch.randint(0, 9, (2, 64))\n"
                         "  with torch.no_grad():\n    old = teacher(x).logits\n"
                         "  acc.backward(student(x).loss)\n  opt.step()\n"}},
                       "a.py",
                       "imported.open.settings.reference.why"),
              "\"a second model is loaded, c/d, whose siz…\"");
}

// What a name was given first trains nothing, nor does what nothing steps.
TEST(OwnLoops, HaveTheOptimizerThatIsStepped) {
    const auto optimizer = [](const std::string& made, const char* path) {
        const std::string steps =
            "for step in range(9):\n  x = torch.randint(0, 9, (2, 64))\n"
            "  model(x, labels=x).loss.backward()\n  opt.step()\n";
        return readFrom({{"a.py", kOwnModel + made + steps}}, "a.py", path);
    };
    const std::string adam = "torch.optim.AdamW(model.parameters())\n";
    const std::string sgd = "torch.optim.SGD(model.parameters())\n";
    for (const std::string& made : {"opt = " + adam + "opt = " + sgd,
                                    "old = " + adam + "opt = " + sgd,
                                    "old = " + adam + "old.zero_grad()\nopt = " + sgd}) {
        EXPECT_EQ(optimizer(made, "workload.optimizer"), "\"sgd\"") << made;
    }
    const std::string either = "if settings.sgd:\n  opt = " + sgd + "else:\n  opt = " + adam;
    for (const std::string& made : {either, "opt = " + adam + "opt.step()\nopt = " + sgd}) {
        EXPECT_NE(optimizer(made, "imported.open.workload.optimizer.why"), "-") << made;
    }
    const std::string muon = "opts = [Muon(matrices), torch.optim.AdamW(rest)]\n";
    EXPECT_EQ(optimizer(muon + "opt = opts[0]\n", "workload.optimizer"), "\"muon\"");
    EXPECT_EQ(optimizer("opt = bnb.optim.Lion8bit(model.parameters())\n", "workload.optimizer"),
              "\"lion_8bit\"");
}

// Weights that no optimizer is given have gradients all the same.
TEST(OwnLoops, AskWhereTheOptimizerIsGivenSomeWeights) {
    const auto why = [](const std::string& freezes, const std::string& weights) {
        return readFrom(
            {{"a.py",
              kOwnModel + freezes + "opt = torch.optim.AdamW(" + weights + ")\n" + kOwnSteps}},
            "a.py",
            "imported.open.workload.optimizer.why");
    };
    for (const char* const some : {"model.lm_head.parameters()", "list(model.parameters())[:4]"}) {
        EXPECT_NE(why("", some), "-") << some;
        EXPECT_EQ(why("model.requires_grad_(False)\nmodel.lm_head.requires_grad_(True)\n", some),
                  "-");
    }
    for (const char* const all : {"model.parameters()",
                                  "model.model.parameters()",
                                  "filter(lambda p: p.requires_grad, model.parameters())",
                                  "[p for p in model.parameters() if p.requires_grad]"}) {
        EXPECT_EQ(why("", all), "-") << all;
    }
}

// What never runs says nothing of the run.
TEST(OwnLoops, LeaveOutWhatNeverRuns) {
    const std::string on = "model.gradient_checkpointing_enable()\n";
    const auto recompute = [](const std::string& before) {
        return readFrom(
            {{"a.py", kOwnModel + before + kOwnOptimizer + kOwnSteps}}, "a.py", "layout.recompute");
    };
    const std::string usual = recompute("");
    for (const std::string& never :
         {"False and " + on,
          "x = (True or " + on.substr(0, on.size() - 1) + ")\n",
          "def f():\n  return 1\n  " + on + "f()\n",
          "def f():\n  " + on + "def f():\n  pass\nf()\n",
          "class M:\n  def gradient_checkpointing_enable(self):\n    pass\nm = M()\nm" +
              on.substr(5)}) {
        EXPECT_EQ(recompute(never), usual) << never;
    }
    for (const std::string& runs : {"True and " + on,
                                    "False or " + on,
                                    "settings.x and " + on,
                                    "def f():\n  " + on + "f()\ndef f():\n  pass\n",
                                    "def f():\n  if x():\n    return 1\n  " + on + "f()\n"}) {
        EXPECT_EQ(recompute(runs), "\"full\"") << runs;
    }
    const std::string made = "def make():\n  return torch.optim.AdamW(model.parameters())\n";
    const std::string again = "def make():\n  return torch.optim.SGD(model.parameters())\n";
    EXPECT_EQ(readFrom({{"a.py", kOwnModel + made + again + "opt = make()\n" + kOwnSteps}},
                       "a.py",
                       "workload.optimizer"),
              "\"sgd\"");
}

// A program that ends before its loop trains nothing.
TEST(OwnLoops, RefuseAProgramThatEndsBeforeIt) {
    for (const char* const ends :
         {"sys.exit(0)\n", "raise SystemExit\n", "import sys; sys.exit(0)\n"}) {
        EXPECT_NE(
            readFrom({{"a.py", kOwnModel + kOwnOptimizer + ends + kOwnSteps}}, "a.py", "model")
                .find("calls nothing that is known to train"),
            std::string::npos)
            << ends;
    }
}

// An optimizer that steps once in so many passes, and parts of a batch.
TEST(OwnLoops, CountThePassesOfAStep) {
    const auto read = [](const std::string& passes, const char* path) {
        return readFrom({{"a.py",
                          kOwnModel + kOwnOptimizer +
                              "loader = DataLoader(data, batch_size=4)\n"
                              "for i, b in enumerate(loader):\n" +
                              passes}},
                        "a.py",
                        path);
    };
    const std::string pass = "  model(**b).loss.backward()\n";
    EXPECT_EQ(read(pass + "  opt.step()\n", "workload.global_batch"), "\"4 per rank\"");
    EXPECT_EQ(read(pass + "  if (i + 1) % 8 == 0:\n    opt.step()\n", "workload.global_batch"),
              "\"32 per rank\"");
    EXPECT_EQ(
        read(pass + "  N = 8\n  if i % N == N - 1:\n    opt.step()\n", "workload.global_batch"),
        "\"32 per rank\"");
    EXPECT_EQ(
        read(pass + "  opt.step()\n  if i % 8 == 0:\n    save(model)\n", "workload.global_batch"),
        "\"4 per rank\"");
    const std::string parts =
        "  for part in b[\"ids\"].chunk(4):\n    model(part, labels=part).loss.backward()\n"
        "  opt.step()\n";
    EXPECT_NE(read(parts, "imported.open.layout.micro_batch.why"), "-");
}

// FSDP2 by another name is no loop on one GPU.
TEST(OwnLoops, RefuseFullyShardThatIsGivenToPartial) {
    EXPECT_EQ(readFrom({{"a.py",
                         kOwnModel + "shard = functools.partial(fully_shard, mesh=mesh)\n" +
                             "shard(model)\n" + kOwnOptimizer + kOwnSteps}},
                       "a.py",
                       "layout.dp")
                  .substr(0, 12),
              "a.py:2:27: p");
}

// A backward pass finds the activations of every call of the model since the last one.
TEST(OwnLoops, KeepTheGraphsOfAllCallsBeforeABackwardPass) {
    const std::string begins =
        kOwnModel + kOwnOptimizer + "for step in range(9):\n  x = torch.randint(0, 9, (2, 64))\n";
    const std::string ends = "  opt.step()\n";
    const auto read = [&](const std::string& body, const std::string& path) {
        return readFrom({{"a.py", begins + body + ends}}, "a.py", path);
    };
    const std::string often = "imported.open.layout.micro_batch.why";
    for (const char* const twice :
         {"  a = model(x).loss\n  b = model(x).loss\n  (a + b).backward()\n",
          "  if c(x):\n    a = model(x)\n  else:\n    a = model(y)\n  b = model(x)\n"
          "  (a + b).backward()\n",
          "  total = 0\n  for k in range(2):\n    total += model(x).loss\n  total.backward()\n",
          "  def f(y):\n    return model(y).loss\n  loss = f(x) - f(x)\n  loss.backward()\n"}) {
        EXPECT_EQ(read(twice, "layout.micro_batch"), "4") << twice;
        EXPECT_EQ(read(twice, "workload.global_batch"), "\"4 per rank\"") << twice;
    }
    for (const char* const unknown :
         {"  losses = []\n  for y in x:\n    losses.append(model(y).loss)\n"
          "  torch.stack(losses).mean().backward()\n",
          "  loss = sum(model(y).loss for y in x)\n  loss.backward()\n",
          "  total += model(x).loss\n  if (step + 1) % 4 == 0:\n    total.backward()\n"}) {
        EXPECT_NE(read(unknown, often), "-") << unknown;
    }
    for (const char* const once :
         {"  for k in range(4):\n    loss = model(x).loss / 4\n    loss.backward()\n",
          "  with torch.no_grad():\n    old = model(x).logits\n  model(x).loss.backward()\n",
          "  old = model(x).logits.detach()\n  model(x).loss.backward()\n",
          "  loss = model(x).loss\n  if step % 4 != 0:\n    with model.no_sync():\n"
          "      loss.backward()\n  else:\n    loss.backward()\n",
          "  if c(x):\n    a = model(x)\n  else:\n    a = model(y)\n  a.loss.backward()\n",
          "  model(x).loss.backward()\n  model(y).loss.backward()\n"}) {
        EXPECT_EQ(read(once, "layout.micro_batch"), "2") << once;
        EXPECT_EQ(read(once, often), "-") << once;
    }
}

// Adapters of a loop under fully_shard: what is gathered has the policy's type.
TEST(OwnLoops, ShardAdaptersWithTheirBase) {
    const auto sharded = [](const std::string& policy, const char* path) {
        return readFrom(
            {{"a.py",
              kOwnModel +
                  "model = get_peft_model(model, LoraConfig(r=4, "
                  "target_modules=[\"q_proj\"]))\n"
                  "for layer in model.layers:\n  fully_shard(layer)\nfully_shard(model" +
                  policy + ")\n" + kOwnOptimizer + kOwnSteps}},
            "a.py",
            path);
    };
    const std::string policy = ", mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16)";
    EXPECT_EQ(sharded(policy, "stack"), "\"fsdp2\"");
    EXPECT_EQ(sharded(policy, "settings.tuning"), "\"lora\"");
    EXPECT_EQ(sharded(policy, "settings.lora.rank"), "4");
    EXPECT_EQ(sharded(policy, "settings.lora.base"), "\"bf16\"");
    EXPECT_EQ(sharded(policy, "settings.lora.dtype"), "\"fp32\"");
    EXPECT_EQ(sharded(policy, "workload.precision"), "\"pure_bf16\"");
    EXPECT_NE(
        sharded("", "stack").find("a.py:2:9: get_peft_model adapters in fp32 that are gathered"),
        std::string::npos)
        << sharded("", "stack");
}

TEST(OwnLoops, HaveNoCopyThatIsMadeOfTheWrappedModel) {
    const std::string program = kOwnModel + "model = DDP(model)\n" +
                                "ema = copy.deepcopy(model.module)\n" + kOwnOptimizer + kOwnSteps;
    EXPECT_EQ(readFrom({{"a.py", program}}, "a.py", "settings.reference"), "\"whole\"");
    EXPECT_EQ(readFrom({{"a.py",
                         kOwnModel + "model = DDP(model)\n" + kOwnOptimizer + kOwnSteps +
                             "best = copy.deepcopy(model.module)\n"}},
                       "a.py",
                       "settings.reference"),
              "-");
}

TEST(OwnLoops, AskForWhatIsKeptBesideTheActivations) {
    const auto read = [](const std::string& before, const std::string& call, const char* path) {
        return readFrom({{"a.py",
                          kOwnModel + before + kOwnOptimizer +
                              "for step in range(9):\n  x = torch.randint(0, 9, (2, 64))\n" + call +
                              "  opt.step()\n"}},
                        "a.py",
                        path);
    };
    const std::string plain = "  model(x).loss.backward()\n";
    const std::string loss = "imported.open.settings.kernels.loss.why";
    const std::string copies = "imported.open.settings.reference.why";
    EXPECT_EQ(read("", plain, loss.c_str()), "-");
    EXPECT_EQ(read("", plain, copies.c_str()), "-");
    EXPECT_EQ(read("",
                   "  model(x, output_attentions=True).loss.backward()\n",
                   "settings.kernels.attention"),
              "\"unfused\"");
    EXPECT_EQ(read("", "  model(x, output_hidden_states=True).loss.backward()\n", loss.c_str())
                  .substr(0, 21),
              "\"output_hidden_states");
    EXPECT_EQ(read("",
                   "  with torch.no_grad():\n    model(x, output_hidden_states=True)\n" + plain,
                   loss.c_str()),
              "-");
    EXPECT_NE(read("", "  model(x).loss.backward(create_graph=True)\n", loss.c_str()), "-");
    for (const char* const made :
         {"master = [p.detach().clone().float() for p in model.parameters()]\n",
          "for n, p in model.named_parameters():\n  shadow[n] = p.data.clone()\n",
          "shadow = {n: p.clone() for n, p in model.named_parameters() if p.requires_grad}\n",
          "best = copy.deepcopy(model.state_dict())\n"}) {
        EXPECT_NE(read(made, plain, copies.c_str()), "-") << made;
    }
    for (const char* const none :
         {"start = {n: p.detach().cpu().clone() for n, p in model.named_parameters()}\n",
          "states = copy.deepcopy(optimizer.state_dict())\n",
          "norms = [p.grad.detach().clone().norm() for p in model.parameters()]\n",
          "count = sum(p.numel() for p in model.parameters())\n"}) {
        EXPECT_EQ(read(none, plain, copies.c_str()), "-") << none;
    }
}

TEST(OwnLoops, AskForAnOptimizerThatIsNotModelled) {
    const auto why = [](const std::string& optimizer) {
        return readFrom({{"a.py", kOwnModel + "opt = " + optimizer + "\n" + kOwnSteps}},
                        "a.py",
                        "imported.open.workload.optimizer.why");
    };
    EXPECT_EQ(why("SOAP(model.parameters(), lr=1e-5)"),
              "\"SOAP is not an optimizer that is modelle…\"");
    EXPECT_EQ(why("torch.optim.LBFGS(weights, history_size=20)"),
              "\"LBFGS is not an optimizer that is modell…\"");
    EXPECT_EQ(why("torch.optim.AdamW(model.parameters(), amsgrad=True)"),
              "\"amsgrad keeps a third state of each weig…\"");
    EXPECT_EQ(why("torch.optim.AdamW(model.parameters(), amsgrad=False)"), "-");
    EXPECT_EQ(why("zoo.build_optimizer(model, lr=1e-4)"),
              "\"which optimizer zoo.build_optimizer make…\"");
    EXPECT_EQ(why("DeepSpeedCPUAdam(model.parameters())"), "-");
    EXPECT_EQ(why("torch.optim.lr_scheduler.LinearLR(make(model))"), "-");
}

// Gradients are accumulated by what divides the loss, whatever it is called.
TEST(OwnLoops, AccumulateByWhatDividesTheLoss) {
    const auto batch = [](const std::string& body) {
        return readFrom(
            {{"a.py",
              kOwnModel + kOwnOptimizer + "parts = 8\nx = torch.randint(0, 9, (2, 64))\n" + body}},
            "a.py",
            "workload.global_batch");
    };
    EXPECT_EQ(batch("for step in range(9):\n  for k in range(parts):\n"
                    "    loss = model(x).loss / parts\n    loss.backward()\n  opt.step()\n"),
              "\"16 per rank\"");
    EXPECT_EQ(batch("for i, b in enumerate(dl):\n  loss = model(x).loss\n  loss /= parts\n"
                    "  loss.backward()\n  if (i + 1) % parts == 0:\n    opt.step()\n"),
              "\"16 per rank\"");
    EXPECT_EQ(batch("for step in range(parts):\n  model(x).loss.backward()\n  opt.step()\n"),
              "\"2 per rank\"");
    EXPECT_EQ(batch("for step in range(9):\n  (model(x).loss / parts).backward()\n  opt.step()\n"),
              "\"2 per rank\"");
}

TEST(OwnLoops, KeepTheGraphsOfTheCallsOfTheirMethods) {
    const auto batch = [](const std::string& step) {
        return readFrom({{"a.py",
                          "class Runner:\n  def __init__(self, model):\n    self.model = model\n"
                          "  def loss(self, x):\n    return self.model(x).loss\n"
                          "  def step(self, x):\n" +
                              step + kOwnModel + kOwnOptimizer +
                              "run = Runner(model)\nfor i in range(9):\n"
                              "  run.step(torch.randint(0, 9, (2, 64)))\n  opt.step()\n"}},
                        "a.py",
                        "layout.micro_batch");
    };
    EXPECT_EQ(batch("    self.loss(x).backward()\n"), "2");
    EXPECT_EQ(batch("    (self.loss(x) - self.loss(x)).backward()\n"), "4");
    EXPECT_EQ(batch("    a = self.model(x)\n    b = self.model(x)\n    (a + b).backward()\n"), "4");
}

}  // namespace
}  // namespace fabricast
