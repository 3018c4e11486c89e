#include "planner/text/json_strings.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace fabricast {
namespace started_program_test {

const std::string kImports =
    "from transformers import HfArgumentParser, TrainingArguments, Trainer\n";
const std::string kTrains = "Trainer(model=model, args=targs).train()\n";

std::string started(const std::string& typed) {
    return "torchrun --nproc_per_node 8 train.py --output_dir o " + typed + "\n";
}

/// What a script with a program beside it says.
std::string readBoth(const std::string& typed,
                     const std::string& program,
                     const std::string& path) {
    return readFrom({{"run.sh", started(typed)}, {"train.py", program}}, "run.sh", path);
}

std::string notesOf(const std::map<std::string, std::string>& files, const std::string& first) {
    const auto run = importedFrom(files, first);
    std::string all = run ? "" : run.error().text();
    for (const std::string& one :
         run ? stringsIn(run->find("imported")->find("notes")) : std::vector<std::string>()) {
        all += one + "\n";
    }
    return all;
}

/// With dataclasses of its own, as Stanford Alpaca's train.py.
const std::string kLoads =
    kImports +
    "@dataclass\n"
    "class ModelArguments:\n"
    "    model_name_or_path: Optional[str] = field(default=\"a/b\")\n"
    "    use_lora: bool = field(default=False, metadata={\"help\": \"x\"})\n"
    "    lora_r: int = 8\n"
    "    targets: List[str] = field(default_factory=lambda: [\"q_proj\", \"v_proj\"])\n"
    "@dataclass\n"
    "class OwnArguments(transformers.TrainingArguments):\n"
    "    optim: str = field(default=\"adafactor\")\n"
    "    model_max_length: int = field(default=2048)\n"
    "    bf16: bool = field(default=True)\n"
    "def load(margs):\n"
    "    model = AutoModelForCausalLM.from_pretrained(margs.model_name_or_path, "
    "torch_dtype=torch.float32)\n"
    "    if margs.use_lora:\n"
    "        model = get_peft_model(model, LoraConfig(r=margs.lora_r, "
    "target_modules=margs.targets))\n"
    "    return model\n"
    "parser = transformers.HfArgumentParser((ModelArguments, OwnArguments))\n"
    "model_args, targs = parser.parse_args_into_dataclasses()\n"
    "model = load(model_args)\n";
const std::string kProgram = kLoads + kTrains;

TEST(StartedProgram, IsReadWithWhatIsTypedForIt) {
    EXPECT_EQ(readBoth("", kProgram, "model"), "\"a/b\"");
    EXPECT_EQ(readBoth("--model_name_or_path c/d", kProgram, "model"), "\"c/d\"");
    EXPECT_EQ(readBoth("", kProgram, "workload.sequence"), "2048");
    EXPECT_EQ(readBoth("--model_max_length 512", kProgram, "workload.sequence"), "512");
    EXPECT_EQ(readBoth("", kProgram, "workload.optimizer"), "\"adafactor\"");
    EXPECT_EQ(readBoth("--optim sgd", kProgram, "workload.optimizer"), "\"sgd\"");
    EXPECT_EQ(readBoth("", kProgram, "workload.precision"), "\"bf16\"");
    EXPECT_EQ(readBoth("--bf16 False", kProgram, "workload.precision"), "\"fp32\"");
    EXPECT_EQ(readBoth("--per_device_train_batch_size 3", kProgram, "layout.micro_batch"), "3");
    EXPECT_EQ(readBoth("", kProgram, "layout.dp"), "8");
    EXPECT_EQ(readBoth("", kProgram, "settings.precision.parameters"), "-") << "fp32 masters";
}

// As FastChat's and Qwen's train.py, whose class has the name of the one that it extends.
TEST(StartedProgram, HasAClassOfTheNameThatItExtends) {
    std::string program = kProgram;
    for (std::size_t at = 0; (at = program.find("OwnArguments", at)) != std::string::npos;) {
        program.replace(at, 12, "TrainingArguments");
    }
    EXPECT_EQ(readBoth("", program, "workload.sequence"), "2048");
    EXPECT_EQ(readBoth("--model_max_length 512", program, "workload.sequence"), "512");
    EXPECT_EQ(readBoth("", program, "workload.optimizer"), "\"adafactor\"");
    EXPECT_EQ(readBoth("--bf16 False", program, "workload.precision"), "\"fp32\"");
}

TEST(StartedProgram, DecidesByWhatIsTyped) {
    EXPECT_EQ(readBoth("", kProgram, "settings.tuning"), "-");
    for (const char* const typed : {"--use_lora True --lora_r 32", "--lora_r 32 --use_lora"}) {
        EXPECT_EQ(readBoth(typed, kProgram, "settings.tuning"), "\"lora\"");
        EXPECT_EQ(readBoth(typed, kProgram, "settings.lora.rank"), "32");
        EXPECT_EQ(readBoth(typed, kProgram, "settings.lora.targets"), "\"q+v\"");
        EXPECT_EQ(readBoth(typed, kProgram, "settings.lora.base"), "\"fp32\"");
    }
    EXPECT_EQ(readBoth("--use_lora False", kProgram, "settings.tuning"), "-");
}

// Without a script its own defaults hold, and are said to.
TEST(StartedProgram, HasItsDefaultsAlone) {
    EXPECT_EQ(readFrom({{"train.py", kProgram}}, "train.py", "workload.optimizer"),
              "\"adafactor\"");
    EXPECT_NE(notesOf({{"train.py", kProgram}}, "train.py").find("where none is typed"),
              std::string::npos);
    EXPECT_EQ(notesOf({{"run.sh", started("")}, {"train.py", kProgram}}, "run.sh")
                  .find("where none is typed"),
              std::string::npos);
}

// TrainingArguments alone, under another name in the function that trains.
TEST(StartedProgram, HandsItsArgumentsToFunctions) {
    const std::string program =
        kImports +
        "def main(m, t):\n"
        "    model = AutoModelForCausalLM.from_pretrained(m.name, dtype=torch.bfloat16)\n"
        "    if t.gradient_checkpointing:\n"
        "        model.gradient_checkpointing_enable()\n"
        "    Trainer(model=model, args=t).train()\n"
        "class M:\n    name: str = \"a/b\"\n"
        "a, b = HfArgumentParser([M, TrainingArguments]).parse_args_into_dataclasses()\n"
        "main(a, b)\n";
    EXPECT_EQ(readBoth("--name c/d", program, "model"), "\"c/d\"");
    EXPECT_EQ(readBoth("--gradient_checkpointing", program, "layout.recompute"), "\"full\"");
    EXPECT_EQ(readBoth("", program, "layout.recompute"), "-");
}

// A program that parses nothing here has somebody else do it; argparse gives it what it names.
TEST(StartedProgram, TakesArgumentsThatItDoesNotParse) {
    const std::string model = "model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n";
    const std::string typed = "--per_device_train_batch_size 4 --bs 2";
    EXPECT_EQ(readBoth(typed,
                       model + "targs = TrainingArguments(\"o\", bf16=True)\n" + kTrains,
                       "layout.micro_batch"),
              "4");
    EXPECT_EQ(readBoth(typed,
                       "p = argparse.ArgumentParser()\np.add_argument(\"--bs\", default=1)\n"
                       "args = p.parse_args()\n" +
                           model +
                           "targs = TrainingArguments(\"o\", "
                           "per_device_train_batch_size=args.bs)\n" +
                           kTrains,
                       "layout.micro_batch"),
              "2");
}

TEST(StartedProgram, IsRefusedAtItsOwnLine) {
    const std::string second =
        kImports +
        "teacher = AutoModelForCausalLM.from_pretrained(\"c/d\").to(\"cuda\")\n"
        "model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n"
        "targs, = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\n" +
        kTrains;
    const auto run = importedFrom({{"run.sh", started("--bf16")}, {"train.py", second}}, "run.sh");
    ASSERT_TRUE(run.has_value());
    const JsonValue* const open = run->find("imported")->find("open");
    ASSERT_NE(open, nullptr);
    EXPECT_NE(open->find("settings")
                  ->find("reference")
                  ->find("why")
                  ->text()
                  .value_or("")
                  .find("a second model is loaded, c/d"),
              std::string::npos);
    const std::string casts = kLoads + "if other():\n    model = model.float()\n" + kTrains;
    EXPECT_NE(
        notesOf({{"run.sh", started("")}, {"train.py", casts}}, "run.sh").find("train.py:22:"),
        std::string::npos);
}

TEST(StartedProgram, IsSaidNotToBeRead) {
    const std::string said = "train.py was not read: what it does with the model is not known";
    const std::string typed = "--model_name_or_path a/b --bf16";
    EXPECT_NE(notesOf({{"run.sh", started(typed)}}, "run.sh").find(said), std::string::npos);
    EXPECT_NE(
        notesOf({{"run.sh", started(typed)}, {"train.py", "import mine\nmine.main()\n"}}, "run.sh")
            .find(said),
        std::string::npos);
    EXPECT_EQ(readFrom({{"run.sh", started(typed)}}, "run.sh", "model"), "\"a/b\"");
    const std::string example = "torchrun run_clm.py --output_dir o " + typed + "\n";
    EXPECT_EQ(notesOf({{"run.sh", example}}, "run.sh").find("was not read"), std::string::npos);
}

// deepspeed train.py --deepspeed z.json, which may start anything.
TEST(StartedProgram, IsReadBesideDeepspeedsFile) {
    const std::string zero =
        "{\"zero_optimization\": {\"stage\": 3}, \"bf16\": {\"enabled\": "
        "\"auto\"}}";
    const std::string starts = "deepspeed --num_gpus 4 train.py --deepspeed z.json\n";
    const LaunchFolder both = {{"run.sh", starts}, {"train.py", kProgram}, {"z.json", zero}};
    EXPECT_EQ(readFrom(both, "run.sh", "model"), "\"a/b\"");
    EXPECT_EQ(readFrom(both, "run.sh", "workload.sequence"), "2048");
    EXPECT_EQ(readFrom(both, "run.sh", "layout.shard"), "\"zero3\"");
    EXPECT_EQ(readFrom(both, "run.sh", "layout.dp"), "4");
    const LaunchFolder own = {{"run.sh", starts}, {"train.py", "x = 1\n"}, {"z.json", zero}};
    EXPECT_EQ(readFrom(own, "run.sh", "stack"), "\"deepspeed\"");
}

// A copy of TRL's sft.py.
TEST(StartedProgram, TakesTrlsArguments) {
    const std::string program =
        "def main(a, b, c):\n"
        "    model = AutoModelForCausalLM.from_pretrained(c.model_name_or_path, "
        "attn_implementation=c.attn_implementation, torch_dtype=c.torch_dtype)\n"
        "    SFTTrainer(model=model, args=b, peft_config=get_peft_config(c)).train()\n"
        "a, b, c = TrlParser((ScriptArguments, SFTConfig, ModelConfig)).parse_args_and_config()\n"
        "main(a, b, c)\n";
    const std::string typed = "--model_name_or_path c/d --use_peft --lora_r 4";
    EXPECT_EQ(readBoth(typed, program, "model"), "\"c/d\"");
    EXPECT_EQ(readBoth(typed, program, "settings.lora.rank"), "4");
    EXPECT_EQ(readBoth(typed, program, "settings.lora.base"), "\"fp32\"");
    EXPECT_EQ(readBoth(typed, program, "workload.sequence"), "1024");
}

// What a script types for a program that parses it itself, and that changes nothing.
TEST(StartedProgram, NamesTypedArgumentsWhoseUseIsNotRead) {
    const std::string program =
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument(\"--batch\", type=int, default=1)\n"
        "parser.add_argument(\"--fancy-attention\", type=int, default=1)\n"
        "parser.add_argument(\"--lr\", type=float)\nargs = parser.parse_args()\n"
        "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16).cuda()\n"
        "patch(args.fancy_attention)\nopt = torch.optim.AdamW(model.parameters(), lr=args.lr)\n"
        "x = torch.randint(0, 9, (args.batch, 2048))\nmodel(x, labels=x).loss.backward()\n";
    const auto run = importedFrom(
        {{"a.py", program}, {"a.sh", "python a.py --batch 2 --fancy-attention 3 --lr 1e-4\n"}},
        "a.sh");
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ(run->find("layout")->find("micro_batch")->shown(), "2");
    const std::vector<std::string> notes = stringsIn(run->find("imported")->find("notes"));
    EXPECT_EQ(notes.back(), "not looked at: --fancy-attention (line 1)");
    const auto usual =
        importedFrom({{"a.py", program}, {"a.sh", "python a.py --batch 1\n"}}, "a.sh");
    ASSERT_TRUE(usual);  // what it has without, too
    for (const std::string& note : stringsIn(usual->find("imported")->find("notes"))) {
        EXPECT_EQ(note.find("not looked at"), std::string::npos) << note;
    }
}

}  // namespace started_program_test
}  // namespace fabricast
