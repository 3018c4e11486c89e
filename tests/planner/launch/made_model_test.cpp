#include "planner/text/json_strings.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

std::string programRead(const std::string& program, const std::string& path) {
    return readFrom({{"a.py", program}}, "a.py", path);
}

/// What is assumed of the model, whatever key it is about.
std::string saidOfModel(const std::string& program) {
    const auto run = importedFrom({{"a.py", program}}, "a.py");
    const JsonValue* const imported = run ? run->find("imported") : nullptr;
    std::string said = run ? "" : run.error().text();
    if (imported != nullptr) {
        for (const JsonValue& note : imported->find("notes")->items()) {
            said += note.text().value_or("");
        }
        const JsonValue* const assumed = imported->find("assumed");
        const JsonValue* const settings = assumed == nullptr ? nullptr : assumed->find("settings");
        const JsonValue* const tuning = settings == nullptr ? nullptr : settings->find("tuning");
        said += tuning == nullptr ? "" : tuning->text().value_or("");
    }
    return said;
}

const std::string kSft = "t = SFTTrainer(model=model, args=SFTConfig(\"o\"))\n";
const std::string kLoaded = "model, tok = FastLanguageModel.from_pretrained(model_name=\"a/b\"";

TEST(MadeModel, IsReadOfUnsloth) {
    const std::string program = kLoaded +
                                ", max_seq_length=4096, load_in_4bit=True)\n"
                                "tok = AutoTokenizer.from_pretrained(\"c/d\", dtype=\"x\")\n"
                                "model = FastLanguageModel.get_peft_model(model, r=8, "
                                "target_modules=[\"q_proj\", \"v_proj\"], lora_dropout=0.1)\n" +
                                kSft;
    EXPECT_EQ(programRead(program, "model"), "\"a/b\"");
    EXPECT_EQ(programRead(program, "workload.sequence"), "4096");
    EXPECT_EQ(programRead(program, "workload.precision"), "\"auto\"") << "what the GPU has";
    EXPECT_EQ(programRead(program, "layout.recompute"), "\"full\"");
    EXPECT_EQ(programRead(program, "settings.tuning"), "\"lora\"");
    EXPECT_EQ(programRead(program, "settings.lora.base"), "\"nf4\"");
    EXPECT_EQ(programRead(program, "settings.lora.double_quantization"), "true");
    EXPECT_EQ(programRead(program, "settings.lora.rank"), "8");
    EXPECT_EQ(programRead(program, "settings.lora.targets"), "\"q+v\"");
    EXPECT_EQ(programRead(program, "settings.lora.dropout"), "0.1");
    EXPECT_NE(saidOfModel(program).find("Unsloth"), std::string::npos);
}

// From no checkpoint: its weights are in float32 unless a type is said.
TEST(MadeModel, IsReadOfItsConfiguration) {
    const auto program = [](const std::string& makes, const std::string& sizes = "hidden_size=64") {
        return "config = LlamaConfig(" + sizes +
               ", rms_norm_eps=1e-6, tie_word_embeddings=True)\nmodel = " + makes +
               "\nargs = TrainingArguments(\"o\", bf16=True)\n"
               "Trainer(model=model, args=args).train()\n";
    };
    const std::string made = program("LlamaForCausalLM(config)");
    EXPECT_EQ(programRead(made, "model.model_type"), "\"llama\"");
    EXPECT_EQ(programRead(made, "model.hidden_size"), "64");
    EXPECT_EQ(programRead(made, "model.tie_word_embeddings"), "true");
    EXPECT_EQ(programRead(made, "settings.precision.parameters"), "-");
    EXPECT_EQ(saidOfModel(made), "");
    const std::string half =
        program("AutoModelForCausalLM.from_config(config, torch_dtype=torch.bfloat16)");
    EXPECT_EQ(programRead(half, "model.hidden_size"), "64");
    EXPECT_EQ(programRead(half, "settings.precision.parameters"), "\"bf16\"");
    EXPECT_EQ(programRead("c = Qwen2MoeConfig(n=2)\nmodel = Qwen2MoeForCausalLM(c)\n"
                          "Trainer(model=model, args=TrainingArguments(\"o\")).train()\n",
                          "model.model_type"),
              "\"qwen2_moe\"");
    EXPECT_NE(programRead(program("LlamaForCausalLM(config)", "vocab_size=len(tok)"), "model")
                  .find("vocab_size is worked out when the program runs"),
              std::string::npos);
    EXPECT_EQ(programRead("config = LlamaConfig(hidden_size=64)\n"
                          "model = LlamaForCausalLM.from_pretrained(\"a/b\", config=config)\n"
                          "Trainer(model=model, args=TrainingArguments(\"o\")).train()\n",
                          "model"),
              "\"a/b\"");
}

// So is that of a loop of its own, whose weights are in float32.
TEST(MadeModel, IsReadOfItsConfigurationInALoop) {
    const std::string begins = "cfg = LlamaConfig(hidden_size=64, num_hidden_layers=3)\n";
    const std::string ends =
        "opt = torch.optim.AdamW(model.parameters())\nfor step in range(9):\n"
        "  x = torch.randint(0, 9, (2, 64))\n  model(x, labels=x).loss.backward()\n"
        "  opt.step()\n  opt.zero_grad()\n";
    for (const char* const makes :
         {"model = LlamaForCausalLM(cfg)\nfor l in model.model.layers:\n  fully_shard(l)\n"
          "fully_shard(model)\n",
          "model = DDP(LlamaForCausalLM(cfg))\n",
          "model = DDP(AutoModelForCausalLM.from_config(cfg))\n"}) {
        const LaunchFolder folder = {{"a.py", begins + makes + ends}};
        EXPECT_EQ(readFrom(folder, "a.py", "model.model_type"), "\"llama\"") << makes;
        EXPECT_EQ(readFrom(folder, "a.py", "model.num_hidden_layers"), "3") << makes;
        EXPECT_EQ(readFrom(folder, "a.py", "workload.precision"), "\"fp32\"") << makes;
    }
}

// What is loaded is named, where no language model is.
TEST(MadeModel, IsNamedWhereItIsOfAnotherKind) {
    const std::string loads =
        "model = Qwen2_5_VLForConditionalGeneration.from_pretrained(\"a/b\")\n" + kSft;
    EXPECT_EQ(programRead(loads, "model"), "-");
    const std::string why = programRead(loads, "imported.open.model.why");
    EXPECT_NE(why.find("Qwen2_5_VLForConditionalGeneration of a"), std::string::npos) << why;
}

// QLoRA's helper, which many programs have copied.
TEST(MadeModel, HasAdaptersOnTheLinearLayersThatAFunctionFinds) {
    const auto program = [](const std::string& body) {
        return "def names_of(model):\n" + body +
               "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16)\n"
               "modules = names_of(model)\n"
               "model = get_peft_model(model, LoraConfig(r=8, target_modules=modules))\n"
               "t = Trainer(model=model, args=TrainingArguments(\"o\", bf16=True))\n";
    };
    const std::string walk = "  for name, one in model.named_modules():\n";
    EXPECT_EQ(programRead(program("  cls = bnb.nn.Linear4bit\n  names = set()\n" + walk +
                                  "    if isinstance(one, cls):\n      names.add(name)\n"
                                  "  return list(names)\n"),
                          "settings.lora.targets"),
              "\"all-linear\"");
    const std::string other = program("  return choose(model)\n");
    EXPECT_EQ(programRead(other, "settings.lora.targets"), "-");
    EXPECT_NE(programRead(other, "imported.open.settings.lora.targets.hint"), "-");
}

// peft/utils/other.py: norms and what else is not quantised in fp32, and checkpoints.
TEST(MadeModel, IsPreparedForFewBits) {
    const auto program = [](const std::string& loading, const std::string& preparation) {
        return "model = AutoModelForCausalLM.from_pretrained(\"a/b\"" + loading + ")\n" +
               preparation +
               "model = get_peft_model(model, LoraConfig(r=8))\n"
               "args = TrainingArguments(\"o\", bf16=True)\n"
               "t = Trainer(model=model, args=args)\n";
    };
    const std::string bits = ", quantization_config=BitsAndBytesConfig(load_in_4bit=True)";
    const auto says = [&](const std::string& preparation, const std::string& path) {
        return programRead(program(bits, preparation), path);
    };
    const std::string prepared = "settings.lora.prepared_for_kbit";
    const std::string call = "model = prepare_model_for_kbit_training(model";
    EXPECT_EQ(says("", prepared), "-");
    EXPECT_EQ(says(call + ")\n", prepared), "true");
    EXPECT_EQ(says(call + ")\n", "layout.recompute"), "\"full\"");
    for (const char* const off : {", use_gradient_checkpointing=False)\n", ", False)\n"}) {
        EXPECT_EQ(says(call + off, prepared), "true") << off;
        EXPECT_NE(says(call + off, "layout.recompute"), "\"full\"") << off;
    }
    EXPECT_EQ(programRead(program(", dtype=torch.bfloat16", call + ")\n"), "settings.lora.base"),
              "\"fp32\"");
}

// unsloth/models/llama.py: four bits, rank 16, all linear layers, a length of 2048.
TEST(MadeModel, HasUnslothsOwnDefaults) {
    const std::string adapters = "model = FastLanguageModel.get_peft_model(model)\n" + kSft;
    const std::string program = kLoaded + ", dtype=None)\n" + adapters;
    EXPECT_EQ(programRead(program, "settings.lora.base"), "\"nf4\"");
    EXPECT_EQ(programRead(program, "settings.lora.prepared_for_kbit"), "-");
    EXPECT_EQ(programRead(program, "settings.lora.rank"), "16");
    EXPECT_EQ(programRead(program, "settings.lora.targets"), "\"q+k+v+o+gate+up+down\"");
    EXPECT_EQ(programRead(program, "workload.sequence"), "2048");
    EXPECT_EQ(programRead(kLoaded + ", load_in_4bit=False)\n" + adapters, "settings.lora.base"),
              "-");
    for (const auto& [typed, precision] : {std::pair("None", "\"auto\""),
                                           std::pair("torch.float16", "\"fp16\""),
                                           std::pair("torch.bfloat16", "\"bf16\"")}) {
        EXPECT_EQ(
            programRead(kLoaded + ", dtype=" + typed + ")\n" + adapters, "workload.precision"),
            precision);
    }
    EXPECT_EQ(programRead(kLoaded + ", full_finetuning=True)\n" + kSft, "settings.tuning"), "-");
    EXPECT_NE(programRead(kLoaded + ")\n" + kSft, "settings").find("no adapters are read"),
              std::string::npos);
    EXPECT_NE(programRead("model, p = FastVisionModel.from_pretrained(\"a/b\")\n" + kSft, "model")
                  .find("FastVisionModel.from_pretrained of Unsloth is not modelled"),
              std::string::npos);
}

TEST(MadeModel, KeepsTheBitsThatAreGivenWhereItIsLoaded) {
    const std::string program =
        "model = AutoModelForCausalLM.from_pretrained(\"a/b\", load_in_4bit=True)\n"
        "t = SFTTrainer(model=model, args=SFTConfig(\"o\", bf16=is_bf16_supported()), "
        "peft_config=LoraConfig(r=64, use_dora=True))\n"
        "PeftModel.from_pretrained(model, \"o\").merge_and_unload()\n";
    EXPECT_EQ(programRead(program, "settings.lora.base"), "\"nf4\"");
    EXPECT_EQ(programRead(program, "settings.lora.dora"), "true");
    EXPECT_EQ(programRead(program, "workload.precision"), "\"auto\"") << "what the GPU has";
    EXPECT_EQ(programRead(program, "model"), "\"a/b\"");
    EXPECT_EQ(saidOfModel(program).find("not read"), std::string::npos);
}

TEST(MadeModel, SaysWhichFunctionsAreNotRead) {
    EXPECT_NE(saidOfModel("model = lib.load(\"a/b\", bits=4)\nmodel = adapt(model)\n" + kSft)
                  .find("(load, adapt): all weights are taken to be trained"),
              std::string::npos);
    const std::string loads = "model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n";
    EXPECT_NE(saidOfModel(loads + "model = adapt(model)\n" + kSft).find("(adapt)"),
              std::string::npos);
    EXPECT_EQ(saidOfModel(loads + "model = torch.compile(model)\n" + kSft).find("not read"),
              std::string::npos);
    EXPECT_EQ(saidOfModel("def load():\n  return AutoModel.from_pretrained(\"a/b\")\n"
                          "model = load()\n" +
                          kSft)
                  .find("not read"),
              std::string::npos);
    EXPECT_EQ(saidOfModel("class Args:\n  model: str = field(default=\"a/b\")\n" + loads + kSft)
                  .find("not read"),
              std::string::npos);
    EXPECT_NE(saidOfModel("model, tok = load()\n" + kSft).find("how the program makes its model"),
              std::string::npos);
}

TEST(MadeModel, SaysWhichReleaseLoadsTheTypeOfTheCheckpoint) {
    const auto assumed = [](const std::string& loaded, const std::string& arguments) {
        const auto run =
            importedFrom({{"a.py",
                           "model = AutoModelForCausalLM.from_pretrained(\"a/b\"" + loaded +
                               ")\nt = SFTTrainer(model=model, args=SFTConfig(\"o\"" + arguments}},
                         "a.py");
        std::string all;
        for (const std::string& one : stringsIn(run->find("imported")->find("assumed"))) {
            all += one + "\n";
        }
        return all;
    };
    const std::string release = "as transformers 5 does; 4.x loads fp32: ";
    EXPECT_NE(assumed("", ", bf16=True))\n").find(release + "--precision bf16"), std::string::npos);
    EXPECT_NE(assumed("", ", bf16=False))\n").find(release + "--precision fp32"),
              std::string::npos);
    EXPECT_NE(assumed("", "), peft_config=LoraConfig(r=8))\n")
                  .find(release + "--set settings.lora.base=fp32"),
              std::string::npos);
    EXPECT_EQ(assumed(", quantization_config=BitsAndBytesConfig(load_in_4bit=True)",
                      "), peft_config=LoraConfig(r=8))\n")
                  .find("settings.lora.base=fp32"),
              std::string::npos)
        << "a base of four bits is so whatever is loaded";
    const std::string both = assumed("", "))\n");
    EXPECT_NE(both.find("what TRL has"), std::string::npos) << both;
    EXPECT_NE(both.find(release), std::string::npos) << both;
    EXPECT_EQ(assumed(", dtype=\"auto\"", "))\n").find("transformers 5"), std::string::npos);
    EXPECT_EQ(assumed(", dtype=torch.bfloat16", "))\n").find("as the checkpoint has"),
              std::string::npos);
}

// Made and handed to nothing: all weights are trained, and in their own type.
TEST(MadeModel, RefusesAConfigurationThatIsGivenToNothing) {
    const std::string loads = "model = AutoModelForCausalLM.from_pretrained(\"a/b\"";
    const std::string lora = "peft_config = LoraConfig(r=64)\n";
    const std::string bits = "quantization_config = BitsAndBytesConfig(load_in_4bit=True)\n";
    const std::string given = "is given to nothing that is read";
    EXPECT_NE(programRead(loads + ")\n" + lora + kSft, "model").find(given), std::string::npos);
    EXPECT_NE(programRead(bits + loads + ")\n" + lora +
                              "model = get_peft_model(model, peft_config)\n" + kSft,
                          "model")
                  .find("BitsAndBytesConfig " + given),
              std::string::npos);
    const std::string read = "\"a/b\"";
    EXPECT_EQ(programRead(loads + ")\n" + lora +
                              "t = SFTTrainer(model=model, args=SFTConfig(\"o\"), "
                              "peft_config=peft_config)\n",
                          "model"),
              read);
    EXPECT_EQ(
        programRead(bits + lora + "kw = {\"quantization_config\": quantization_config}\n" + loads +
                        ", **kw)\nmodel = get_peft_model(model, peft_config)\n" + kSft,
                    "model"),
        read);
}

const std::string kChecks = "model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n";
const std::string kTold =
    "t = SFTTrainer(model=model, args=SFTConfig(\"o\"), peft_config=peft_config)\n";

// A flag that the program itself sets decides whether there are adapters.
TEST(MadeModel, HasTheAdaptersThatAFlagOfTheProgramDecides) {
    const std::string chosen = "peft_config = LoraConfig(r=64) if USE_LORA else None\n";
    const std::string stated =
        "peft_config = None\nif USE_LORA:\n    peft_config = LoraConfig(r=64)\n";
    const std::string made =
        "if not USE_LORA:\n  pass\nelse:\n  model = get_peft_model(model, "
        "LoraConfig(r=64))\n";
    for (const std::string& one : {chosen, stated, made}) {
        for (const auto& [flag, tuning] :
             {std::pair("USE_LORA = False\n", "-"),
              std::pair("USE_LORA = True\n", "\"lora\""),
              std::pair("RANK = 0\nUSE_LORA = RANK != 0 and not False\n", "-"),
              std::pair("USE_LORA = int(os.environ.get(\"LORA\", \"0\"))\n", "-"),
              std::pair("MODE = \"lora\"\nUSE_LORA = MODE == \"lora\"\n", "\"lora\"")}) {
            const std::string program = flag + kChecks + one + (one == made ? kSft : kTold);
            EXPECT_EQ(programRead(program, "settings.tuning"), tuning) << program;
        }
    }
    EXPECT_EQ(programRead(kChecks + "def main():\n  t = SFTTrainer(model=model, "
                                    "args=SFTConfig(\"o\", gradient_checkpointing=not True))\n"
                                    "if __name__ == \"__main__\":\n  main()\n",
                          "layout.recompute"),
              "\"none\"");
}

// What a program defines and does not call is no part of the run.
TEST(MadeModel, LeavesOutFunctionsThatNothingCalls) {
    const std::string adds =
        "def add_lora(model):\n  return get_peft_model(model, LoraConfig(r=8))\n";
    const std::string trains =
        "args = TrainingArguments(\"o\")\nTrainer(model=model, args=args).train()\n";
    EXPECT_EQ(programRead(adds + kChecks + trains, "settings.tuning"), "-");
    EXPECT_EQ(programRead(adds + kChecks + "model = add_lora(model)\n" + trains, "settings.tuning"),
              "\"lora\"");
    EXPECT_EQ(programRead("def more(model):\n  return add_lora(model)\n" + adds + kChecks + trains,
                          "settings.tuning"),
              "-")
        << "what only calls it is not called either";
    EXPECT_EQ(
        programRead(
            adds + "def train():\n  model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n"
                   "  args = TrainingArguments(\"o\")\n  Trainer(model=model, args=args).train()\n",
            "model"),
        "\"a/b\"")
        << "a program that others import";
}

TEST(MadeModel, RefusesAdaptersOfAFlagThatIsNotKnown) {
    const auto refused = [](const std::string& program) {
        return programRead(kChecks + program, "model");
    };
    EXPECT_NE(refused("peft_config = LoraConfig(r=64) if args.lora else None\n" + kTold)
                  .find("a.py:2:15: LoraConfig depends on \"args.lora\""),
              std::string::npos);
    EXPECT_NE(refused("if args.lora and rank == 0:\n  model = get_peft_model(model, "
                      "LoraConfig(r=64))\n" +
                      kSft)
                  .find("depends on \"args.lora and rank==0\""),
              std::string::npos);
    EXPECT_NE(refused("peft_config = LoraConfig(r=64)\nt = SFTTrainer(model=model, "
                      "args=SFTConfig(\"o\"), peft_config=peft_config if args.lora else None)\n")
                  .find("depends on \"args.lora\""),
              std::string::npos);
    EXPECT_NE(refused("LORA = False\ndef train(LORA):\n  peft_config = LoraConfig(r=8) if LORA "
                      "else None\n  " +
                      kTold)
                  .find("depends on \"LORA\""),
              std::string::npos)
        << "what a function is called with is another";
    EXPECT_NE(refused(kSft + "t = SFTConfig(gradient_checkpointing=not args.fast)\n")
                  .find("not \"not args.fast\""),
              std::string::npos);
}

TEST(MadeModel, TrainsWholeTablesBesideAdapters) {
    const auto saved = [](const std::string& modules) {
        return programRead(
            "model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n"
            "config = LoraConfig(r=8, modules_to_save=" +
                modules +
                ")\n"
                "t = SFTTrainer(model=model, args=SFTConfig(\"o\"), "
                "peft_config=config)\n",
            "settings.lora.modules_to_save");
    };
    EXPECT_EQ(saved("[\"embed_tokens\", \"lm_head\"]"), "\"embed_tokens+lm_head\"");
    EXPECT_EQ(saved("[\"model.embed_tokens\"]"), "\"embed_tokens\"");
    EXPECT_EQ(saved("[\"wte\"]"), "\"embed_tokens\"") << "as GPT-2 calls it";
    EXPECT_NE(saved("[\"lm_head\"], ensure_weight_tying=True")
                  .find("--ensure_weight_tying is not modelled"),
              std::string::npos);
}

TEST(MadeModel, RefusesAdaptersThatAreNotRead) {
    const std::string loads = "model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n";
    EXPECT_NE(programRead(loads + "model = get_peft_model(model, IA3Config())\n" + kSft, "model")
                  .find("in no LoraConfig"),
              std::string::npos);
    EXPECT_NE(
        programRead("model = AutoPeftModelForCausalLM.from_pretrained(\"a/b\")\n" + kSft, "model")
            .find("loads adapters, whose rank and layers are not read"),
        std::string::npos);
    EXPECT_NE(programRead(loads + "t = SFTTrainer(model=model, args=SFTConfig(\"o\"), peft_config="
                                  "LoraConfig(modules_to_save=[\"score\"]))\n",
                          "model")
                  .find("\"score\" trained whole beside adapters is not modelled"),
              std::string::npos);
    EXPECT_NE(programRead("fully_shard(m)\nm = AutoModel.from_pretrained(\"a/b\", "
                          "load_in_4bit=True)\n",
                          "model")
                  .find("is not modelled"),
              std::string::npos);
}

}  // namespace
}  // namespace fabricast
