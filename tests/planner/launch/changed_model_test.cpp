#include "planner/text/json_strings.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace changed_model_test {

const std::string kLoads =
    "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16)\n";
const std::string kTrains =
    "args = TrainingArguments(\"o\", bf16=True)\ntrainer = Trainer(model=model, args=args)\n"
    "trainer.train()\n";

std::string read(const std::string& program, const std::string& path) {
    return readFrom({{"a.py", program}}, "a.py", path);
}

/// What a program says between loading its model and training it.
std::string readBetween(const std::string& deeds, const std::string& path) {
    return read(kLoads + deeds + kTrains, path);
}

std::string noted(const std::string& program) {
    const auto run = importedFrom({{"a.py", program}}, "a.py");
    std::string all = run ? "" : run.error().text();
    if (run) {
        for (const JsonValue& note : run->find("imported")->find("notes")->items()) {
            all += note.text().value_or("") + "\n";
        }
        for (const std::string& one : stringsIn(run->find("imported")->find("assumed"))) {
            all += one + "\n";
        }
    }
    return all;
}

/// Why the user has to say this key; empty where nothing is open.
std::string openOf(const std::string& program, const std::string& key) {
    const auto run = importedFrom({{"a.py", program}}, "a.py");
    const JsonValue* value = run ? run->find("imported")->find("open") : nullptr;
    for (std::size_t begin = 0; value != nullptr && begin < key.size();) {
        const std::size_t dot = std::min(key.find('.', begin), key.size());
        value = value->find(key.substr(begin, dot - begin));
        begin = dot + 1;
    }
    return value == nullptr ? "" : value->find("why")->text().value_or("");
}

std::string openBetween(const std::string& deeds, const std::string& key) {
    return openOf(kLoads + deeds + kTrains, key);
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(ChangedModel, IsTheOneThatTheTrainerIsGiven) {
    const std::string second =
        "draft = AutoModelForCausalLM.from_pretrained(\"c/d\", dtype=torch.float32)\n";
    EXPECT_EQ(readBetween(second, "model"), "\"a/b\"");
    EXPECT_EQ(readBetween(second, "settings.precision.parameters"), "\"bf16\"");
    EXPECT_TRUE(has(noted(kLoads + second + kTrains),
                    "a second model, c/d (line 2), is loaded to host memory"));
    EXPECT_EQ(read(second + kLoads + kTrains, "model"), "\"a/b\"");
    EXPECT_EQ(readBetween(second + "model = prepare_model_for_kbit_training(model)\n"
                                   "model = get_peft_model(model, LoraConfig(r=8)).to(\"cuda\")\n",
                          "model"),
              "\"a/b\"");
    EXPECT_EQ(read("def load(name):\n  model = AutoModelForCausalLM.from_pretrained(name)\n"
                   "  tok = AutoTokenizer.from_pretrained(\"e/f\")\n  return tok, model\n"
                   "def main():\n  tok, model = load(\"x\")\n" +
                       std::string("  judge = AutoModelForCausalLM.from_pretrained(\"c/d\")\n"
                                   "  args = TrainingArguments(\"o\")\n  Trainer(model=model, "
                                   "args=args).train()\nmain()\n"),
                   "model"),
              "\"x\"")
        << "not the judge";
    const std::string later =
        "base = AutoModelForCausalLM.from_pretrained(\"c/d\", dtype=torch.float32)\n"
        "PeftModel.from_pretrained(base, \"o\").merge_and_unload()\n";
    EXPECT_EQ(read(kLoads + "model = get_peft_model(model, LoraConfig(r=8))\n" + kTrains + later,
                   "settings.lora.base"),
              "\"bf16\"");
}

// A frozen judge of four bits makes no run of four bits.
TEST(ChangedModel, HasNoBitsOfAnother) {
    const std::string judge =
        "bits = BitsAndBytesConfig(load_in_4bit=True)\njudge = AutoModelForCausalLM."
        "from_pretrained(\"a/b\", quantization_config=bits)\n";
    const std::string lora = "model = get_peft_model(model, LoraConfig(r=8))\n";
    EXPECT_EQ(readBetween(lora, "settings.lora.base"), "\"bf16\"");
    EXPECT_EQ(readBetween(judge + lora, "settings.lora.base"), "\"bf16\"");
    EXPECT_TRUE(
        has(openBetween(judge + lora, "settings.reference"), "a second model is loaded, a/b"));
    EXPECT_EQ(readBetween("reference = AutoModelForCausalLM.from_pretrained(\"a/b\", "
                          "dtype=torch.bfloat16).to(\"cuda\")\n",
                          "settings.reference"),
              "\"whole\"");
    EXPECT_EQ(readBetween("reference = copy.deepcopy(model).eval().cuda()\n", "settings.reference"),
              "\"whole\"");
    EXPECT_TRUE(has(openBetween("teacher = AutoModelForCausalLM.from_pretrained(\"c/d\", "
                                "device_map=\"auto\")\n",
                                "settings.reference"),
                    "c/d"));
}

// An average of the weights is as large as they are.
TEST(ChangedModel, HasNoAverageBesideIt) {
    const std::string before =
        "class Average:\n    def __init__(self, model):\n        self.shadow = "
        "copy.deepcopy(model)\n" +
        kLoads + "model = model.cuda()\n";
    for (const char* const made : {"ema = Average(model)\n",
                                   "ema = torch.optim.swa_utils.AveragedModel(model)\n",
                                   "model = DDP(model)\nema = copy.deepcopy(model.module)\n",
                                   "ema = copy.deepcopy(accelerator.unwrap_model(model)).eval()\n",
                                   "ema = ExponentialMovingAverage(model.parameters(), 0.9)\n"}) {
        EXPECT_EQ(read(before + made + kTrains, "settings.reference"), "\"whole\"") << made;
    }
    EXPECT_EQ(
        read(before + "ema = ModelEmaV2(model, device=\"cpu\")\n" + kTrains, "settings.reference"),
        "-");
}

// The type of what is beside it, its size, and whether it has a forward.
TEST(ChangedModel, HasASecondModelOfAnotherKind) {
    const auto second = [](const std::string& made, const std::string& key) {
        return readBetween(
            "model = model.cuda()\n" + made,
            key == "reference" ? "settings.reference" : "settings.reference_model." + key);
    };
    const std::string teacher =
        "teacher = AutoModelForCausalLM.from_pretrained(\"known/70b\", "
        "torch_dtype=\"auto\").cuda()\n";
    EXPECT_EQ(second(teacher, "reference"), "\"whole\"");
    EXPECT_EQ(second(teacher, "parameters"), "70000000000");
    EXPECT_EQ(second(teacher, "dtype"), "-");
    EXPECT_TRUE(has(noted(kLoads + teacher + kTrains), "where it has fp32: --set"));
    EXPECT_EQ(second(teacher + "teacher.float()\n", "dtype"), "\"fp32\"");
    EXPECT_EQ(second("ema = copy.deepcopy(model).float()\n", "dtype"), "\"fp32\"");
    EXPECT_EQ(second("ema = copy.deepcopy(model).float()\n", "forward"), "false");
    EXPECT_EQ(second("ema = AveragedModel(model)\n", "forward"), "false");
    EXPECT_EQ(second("ema = AveragedModel(model)\nmodel.float()\n", "dtype"), "-");
    EXPECT_EQ(second("reference = copy.deepcopy(model)\n", "forward"), "-");
    const std::string reference =
        "reference = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.float32)\n"
        "reference = reference.to(\"cuda\")\n";
    EXPECT_EQ(second(reference, "dtype"), "\"fp32\"");
    EXPECT_EQ(second(reference, "parameters"), "-");
    EXPECT_EQ(second("model = get_peft_model(model, LoraConfig(r=8))\n" + teacher, "parameters"),
              "70000000000");
    EXPECT_EQ(second(teacher + "fully_shard(model)\nfully_shard(teacher)\n", "reference"),
              "\"sharded\"");
}

// What a Trainer of the program's own loads when it is made.
TEST(ChangedModel, HasNoOtherBesideItInItsTrainer) {
    const auto program = [](const std::string& loads, const std::string& given) {
        return "class Own(Trainer):\n    def __init__(self, *a, ref_name=None, **k):\n"
               "        super().__init__(*a, **k)\n        " +
               loads + "\n" + kLoads + "args = TrainingArguments(\"o\", bf16=True)\n" +
               "Own(model=model, args=args" + given + ").train()\n";
    };
    const std::string here = "self.ref = AutoModelForCausalLM.from_pretrained(ref_name)";
    EXPECT_TRUE(has(
        openOf(program(here + ".to(self.args.device)", ", ref_name=\"c/d\""), "settings.reference"),
        "a second model is loaded, c/d"));
    EXPECT_TRUE(has(openOf(program(here + "\n        "
                                          "self.ref = self.accelerator.prepare_model(self.ref)",
                                   ", ref_name=\"c/d\""),
                           "settings.reference"),
                    "a second model is loaded, c/d"));
    EXPECT_TRUE(has(noted(program(here, ", ref_name=\"c/d\"")), "a second model, c/d (line 4)"));
    EXPECT_EQ(openOf(program("self.weight = 2", ""), "settings.reference"), "");
}

// Whose code stands in another file.
TEST(ChangedModel, HasNoOtherThatIsLoadedElsewhere) {
    const std::string imports = "from mine import load_teacher, load_tokenizer, load\n";
    for (const char* const loads :
         {"judge = load_teacher(\"c/d\")\n", "reward_model = load(\"c/d\", bits=4)\n"}) {
        EXPECT_TRUE(has(openOf(imports + kLoads + loads + kTrains, "settings.reference"),
                        "was not read: the model c/d that it loads"))
            << loads;
    }
    for (const char* const other : {"tok = load_tokenizer(\"c/d\")\n",
                                    "data = load(\"c/d\")\n",
                                    "model_tokenizer = load(\"c/d\")\n",
                                    "teacher = load_teacher()\n"}) {
        EXPECT_EQ(openOf(imports + kLoads + other + kTrains, "settings.reference"), "") << other;
    }
    EXPECT_EQ(openOf("from mine import load_model\nmodel = load_model(\"c/d\")\n" + kTrains,
                     "settings.reference"),
              "")
        << "the one that is trained";
}

TEST(ChangedModel, HasTheTypeThatItIsCastTo) {
    for (const char* const cast : {"model = model.float()\n",
                                   "model.to(torch.float32)\n",
                                   "model = model.to(\"cuda\", dtype=torch.float32)\n",
                                   "t = torch.float\nmodel.to(t)\n"}) {
        EXPECT_EQ(readBetween(cast, "settings.precision.parameters"), "-") << cast;
    }
    EXPECT_EQ(read("model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16)"
                   ".float()\n" +
                       kTrains,
                   "settings.precision.parameters"),
              "-");
    for (const char* const kept :
         {"",
          "model.to(\"cuda\")\n",
          "model.to(device)\n",
          "head = model.lm_head.float()\n",
          "draft = AutoModelForCausalLM.from_pretrained(\"c/d\").float()\n"}) {
        EXPECT_EQ(readBetween(kept, "settings.precision.parameters"), "\"bf16\"") << kept;
    }
    const std::string each = "for n, p in model.named_parameters():\n    ";
    for (const char* const cast :
         {"p.data = p.data.to(torch.float32)\n",
          "p.data = p.float()\n",
          "if p.requires_grad: p.data = p.data.float()\n",
          "if p.dtype == torch.bfloat16:\n        p.data = p.data.float()\n"}) {
        EXPECT_EQ(readBetween(each + cast, "settings.precision.parameters"), "-") << cast;
    }
    const std::string norms = each + "if \"norm\" in n: p.data = p.data.float()\n";
    EXPECT_EQ(readBetween(norms, "settings.precision.parameters"), "\"bf16\"");
    EXPECT_TRUE(has(readBetween("if other():\n  for p in model.parameters():\n    p.data = "
                                "p.data.float()\n",
                                "model"),
                    "depends on"));
    EXPECT_TRUE(has(readBetween("model.half()\n", "model"), "unscale FP16"));
    EXPECT_TRUE(has(readBetween("if args.full:\n  model.float()\n", "model"), "depends on"));
}

// Its models have eight layers.
TEST(ChangedModel, TrainsTheWeightsThatAreNotFrozen) {
    const std::string freezes = "for p in model.parameters():\n    p.requires_grad = False\n";
    const std::string layers =
        "for p in model.model.layers[-4:].parameters():\n    p.requires_grad = True\n";
    const std::string rest =
        "model.lm_head.requires_grad_(True)\n"
        "model.model.norm.weight.requires_grad = True\n";
    const std::string train = "settings.train";
    EXPECT_EQ(readBetween(freezes + layers + rest, train), "\"last:4\"");
    EXPECT_FALSE(has(noted(kLoads + freezes + layers + rest + kTrains), "upper bound"));
    EXPECT_EQ(readBetween(freezes + layers, train), "\"last:4\"");
    EXPECT_TRUE(has(noted(kLoads + freezes + layers + kTrains), "upper bound"));
    EXPECT_EQ(readBetween("model.requires_grad_(False)\nfor layer in model.model.layers[6:]:\n"
                          "  for p in layer.parameters(): p.requires_grad = True\n" +
                              rest,
                          train),
              "\"last:2\"");
    EXPECT_EQ(readBetween("model.get_input_embeddings().requires_grad_(False)\n", train),
              "\"no_embedding\"");
    EXPECT_EQ(readBetween("for n, p in model.named_parameters():\n  if \"norm\" not in n:\n"
                          "    p.requires_grad = False\n",
                          train),
              "\"norms\"");
    EXPECT_EQ(readBetween("for n, p in model.named_parameters():\n"
                          "  p.requires_grad = any(k in n for k in [\"norm\"])\n",
                          train),
              "\"norms\"");
    EXPECT_EQ(readBetween("for n, p in model.named_parameters():\n  if \"embed_tokens\" in n:\n"
                          "    p.requires_grad = False\n  else:\n    p.requires_grad = True\n",
                          train),
              "\"no_embedding\"");
    EXPECT_EQ(readBetween("for n, p in model.named_parameters():\n"
                          "  if not n.startswith(\"model.embed_tokens\"):\n    continue\n"
                          "  p.requires_grad = False\n",
                          train),
              "\"no_embedding\"");
    EXPECT_EQ(readBetween("def freeze(m):\n  m.model.embed_tokens.requires_grad_(False)\n"
                          "freeze(model)\n",
                          train),
              "\"no_embedding\"");
    EXPECT_EQ(readBetween("def last(m, n=1):\n  m.requires_grad_(False)\n"
                          "  for p in m.model.layers[-n:].parameters(): p.requires_grad = True\n"
                          "last(model, 3)\n",
                          train),
              "\"last:3\"");
    EXPECT_EQ(readBetween(freezes + "model.requires_grad_(True)\n", train), "-");
}

TEST(ChangedModel, LeavesWhatIsTrainedOpenWhereItIsNotRead) {
    const std::string open = "settings.train";
    for (const char* const deeds : {"for p in model.parameters(): p.requires_grad = p.ndim > 1\n",
                                    "model.requires_grad_(False)\n",
                                    "freeze_layers(model)\n",
                                    "model.freeze()\n",
                                    "for i, (n, p) in enumerate(model.named_parameters()):\n"
                                    "  p.requires_grad = False\n",
                                    "for n, p in model.named_parameters():\n  if args.few:\n"
                                    "    p.requires_grad = False\n",
                                    "model.transformer.h.requires_grad_(False)\n"}) {
        EXPECT_TRUE(has(openBetween(deeds, open), "requires_grad: ")) << deeds;
    }
    for (const char* const deeds :
         {"def hook(module, input, output):\n  output.requires_grad_(True)\n"
          "model.get_input_embeddings().register_forward_hook(hook)\n",
          "model.enable_input_require_grads()\n"}) {
        EXPECT_EQ(readBetween(deeds, "imported.open"), "-") << deeds;
    }
}

TEST(ChangedModel, TrainsNoWeightsOfTheBaseBesideAdapters) {
    const std::string lora = "model = get_peft_model(model, LoraConfig(r=8))\n";
    const std::string open = "settings.tuning";
    const std::string freezes = "for p in model.parameters(): p.requires_grad = False\n";
    const auto unfreezes = [](const std::string& what) {
        return "for n, p in model.named_parameters():\n  if \"" + what +
               "\" in n:\n    p.requires_grad = True\n";
    };
    EXPECT_EQ(openBetween(freezes + lora, open), "");
    EXPECT_EQ(readBetween(freezes + lora, "settings.train"), "-");
    EXPECT_EQ(openBetween(lora + unfreezes("lora_"), open), "");
    EXPECT_TRUE(has(openBetween(lora + unfreezes("lm_head"), open), "beside adapters"));
    EXPECT_EQ(read(kLoads + freezes +
                       "args = SFTConfig(\"o\")\nSFTTrainer(model=model, args=args, "
                       "peft_config=LoraConfig(r=8)).train()\n",
                   "imported.open"),
              "-");
}

TEST(ChangedModel, HasNoAdaptersThatAreMerged) {
    const std::string lora = "model = get_peft_model(model, LoraConfig(r=8))\n";
    const std::string merges = "model = model.merge_and_unload()\n";
    const std::string all = "for p in model.parameters(): p.requires_grad = True\n";
    EXPECT_EQ(readBetween(lora + merges + all, "settings.tuning"), "-");
    EXPECT_EQ(readBetween(lora + merges + all, "imported.open"), "-");
    EXPECT_TRUE(has(openBetween(lora + merges, "settings.train"), "freezes all weights"));
    EXPECT_EQ(readBetween(lora + merges + "model = get_peft_model(model, LoraConfig(r=32))\n",
                          "settings.lora.rank"),
              "32");
    EXPECT_EQ(read(kLoads + lora + kTrains + merges, "settings.tuning"), "\"lora\"");
}

TEST(ChangedModel, IsReadOrNamedWhateverIsCalled) {
    EXPECT_EQ(readBetween("model.gradient_checkpointing_enable()\n", "layout.recompute"),
              "\"full\"");
    EXPECT_EQ(readBetween("model.gradient_checkpointing_enable()\n"
                          "model.gradient_checkpointing_disable()\n",
                          "layout.recompute"),
              "\"none\"");
    EXPECT_EQ(readBetween("model = torch.compile(model)\n", "settings.kernels.compile"), "true");
    EXPECT_TRUE(
        has(openBetween("model.resize_token_embeddings(200000)\n", "model"), "200000 rows"));
    EXPECT_TRUE(has(noted(kLoads + "model.resize_token_embeddings(len(tok))\n" + kTrains),
                    "how many rows"));
    const std::string said =
        noted(kLoads +
              "model.foo(3)\nbar(model)\nmodel.model.layers[0].baz()\nprint(model)\n"
              "model.print_trainable_parameters()\nmodel.config.use_cache = False\n" +
              kTrains);
    EXPECT_TRUE(has(said,
                    "not looked at: model.foo() (line 2), bar(model) (line 3), "
                    "model.model.layers[0].baz() (line 4)\n"))
        << said;
    EXPECT_TRUE(
        has(openOf("model = AutoModelForTokenClassification.from_pretrained(\"a/b\")\n" + kTrains,
                   "settings.kernels.loss"),
            "AutoModelForTokenClassification has a head of its own"));
}

// Noise on the embeddings of a batch.
TEST(ChangedModel, MayBeTrainedWithNoise) {
    EXPECT_EQ(noted(kLoads + "args = TrainingArguments(\"o\", neftune_noise_alpha=5)\n"
                             "Trainer(model=model, args=args).train()\n")
                  .find("neftune"),
              std::string::npos);
}

TEST(ChangedModel, HasTheOptimizerThatTheTrainerIsGiven) {
    const auto with = [](const std::string& before, const std::string& given) {
        return kLoads + before +
               "args = TrainingArguments(\"o\", optim=\"adafactor\")\n"
               "Trainer(model=model, args=args, optimizers=" +
               given + ").train()\n";
    };
    const std::string kind = "workload.optimizer";
    EXPECT_EQ(read(with("", "(None, None)"), kind), "\"adafactor\"");
    EXPECT_EQ(read(with("", "(torch.optim.SGD(model.parameters(), lr=1), None)"), kind), "\"sgd\"");
    EXPECT_EQ(read(with("o = bnb.optim.AdamW8bit(model.parameters())\n", "(o, s)"), kind),
              "\"adamw_8bit\"");
    EXPECT_TRUE(has(openOf(with("o = make()\n", "(o, None)"), kind), "was not read"));
    EXPECT_EQ(
        read(kLoads + "class Mine(Trainer):\n  def create_optimizer(self):\n    self.optimizer = "
                      "AdamW(self.model.parameters())\nargs = TrainingArguments(\"o\", "
                      "optim=\"adafactor\")\nMine(model=model, args=args).train()\n",
             kind),
        "\"adamw\"");
    for (const auto& [made, isSaid] :
         {std::pair("self.optimizer = AdamW(self.model.parameters())", false),
          {"c, k = Trainer.get_optimizer_cls_and_kwargs(a)", false},
          {"return super().create_optimizer()", false},
          {"self.optimizer = make(self.model)", true}}) {
        const std::string said =
            noted(kLoads + "class Mine(Trainer):\n  def create_optimizer(self):\n    " + made +
                  "\nargs = TrainingArguments(\"o\")\nMine(model=model, args=args).train()\n");
        EXPECT_EQ(has(said, "create_optimizer()"), isSaid) << made << said;
    }
}

// A model of other sizes than those of the name is another one.
TEST(ChangedModel, AsksForAModelWhoseConfigurationIsChanged) {
    const auto open = [](const std::string& makes) {
        return read(makes +
                        "for layer in model.model.layers:\n  fully_shard(layer)\n"
                        "fully_shard(model)\nmodel(x).loss.backward()\n",
                    "imported.open.model.why");
    };
    const std::string config = "config = AutoConfig.from_pretrained(\"a/b\"";
    const std::string made = "model = AutoModelForCausalLM.from_config(config)\n";
    EXPECT_EQ(open(config + ")\nconfig.use_cache = False\n" + made), "-");
    for (const std::string& makes :
         {config + ")\nconfig.num_hidden_layers = 8\n" + made,
          config + ")\nconfig.update({\"num_hidden_layers\": 8})\n" + made,
          config + ", num_hidden_layers=8)\n" + made,
          kLoads + "model.model.layers = model.model.layers[:8]\n"}) {
        EXPECT_NE(open(makes).find("num_hidden_layers"), std::string::npos) << makes;
    }
    const std::string loads = "model = AutoModelForCausalLM.from_pretrained(\"a/b\", ";
    EXPECT_NE(read(loads + "num_hidden_layers=8)\n" + kTrains, "imported.open.model.why"), "-");
    EXPECT_EQ(read(loads + "dtype=torch.bfloat16)\n" + kTrains, "imported.open"), "-");
    EXPECT_NE(read(config + ")\nconfig.hidden_size = 64\n" + loads + "config=config)\n" + kTrains,
                   "imported.open.model.why"),
              "-");
}

}  // namespace changed_model_test
}  // namespace fabricast
