#include "planner/launch/python_start.h"
#include "planner/text/json_strings.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

/// What "f(…)" of a program is given: "4", or "a+b" of a list.
std::string givenToCall(const std::string& program, PythonStart start = {}) {
    const auto keys = readPythonKeys(program, "a.py", std::move(start));
    const LaunchKey* const key = keys ? keys->find("f.0") : nullptr;
    std::string text = key == nullptr ? "nothing" : "";
    for (const std::string& one : key == nullptr ? std::vector<std::string>() : key->values) {
        text += (text.empty() ? "" : "+") + one;
    }
    return text;
}

struct Given {
    const char* program;
    const char* values;
};

TEST(PythonNames, StandForWhatTheProgramGivesThem) {
    const std::vector<Given> all = {
        // arithmetic of whole numbers
        {"A = 128\nB = 4\nf(A // B)\n", "32"},
        {"f(2 * (3 + 4) - 1)\n", "13"},
        {"f(int(64 / 4))\n", "16"},
        {"f(2 ** 10)\n", "1024"},
        {"f(-2 + 5)\n", "3"},
        {"f(17 % 5)\n", "2"},
        {"f(max(2, 8) * min(3, 4))\n", "24"},
        {"f(10 / 4)\n", "$(10/4)"},
        {"f(8 // 0)\n", "$(8//0)"},
        {"f(8 // world())\n", "$(8//world())"},
        {"f(2 ** 2 ** 2 ** 99)\n", "$(2**2**2**99)"},
        {"f(99999999999 * 99999999999)\n", "$(99999999999*99999999999)"},
        {"f(\"1\" + \"2\")\n", "$(1+2)"},
        // functions of the program
        {"def g(n):\n  f(n)\ng(4)\n", "4"},
        {"def g(n, m=\"x\"):\n  f(m)\ng(4)\n", "x"},
        {"def g(n, *, m=1):\n  f(m)\ng(4, m=2)\n", "2"},
        {"def h(k):\n  g(k)\ndef g(n):\n  f(n)\nSIZE = 7\nh(SIZE)\n", "7"},
        {"n = 1\ndef g(n):\n  f(n)\ng(4)\n", "4"},
        {"def g(n):\n  f(n)\ng(4)\ng(4)\n", "4"},
        {"def g(n):\n  f(n)\ng(4)\ng(5)\n", "$n"},
        {"def g(n):\n  f(n)\ng(4)\nspawn(g)\n", "n"},
        {"def g(n):\n  f(n)\ng(*a)\n", "n"},
        {"@click.command()\ndef g(n=2):\n  f(n)\ng()\n", "n"},
        {"def g(n):\n  n = n or 3\n  f(n)\ng(4)\n", "$(n or 3)"},
        {"def g(n):\n  f(n)\nif False:\n  g(5)\ng(4)\n", "4"},
        {"def g(a):\n  h(a)\ndef h(b):\n  g(b)\n  f(b)\ng(1)\n", "$a"},
        // objects
        {"class C:\n  def __init__(self, n=\"x\"):\n    self.n = n\n  def go(self):\n    "
         "f(self.n)\n"
         "C().go()\n",
         "x"},
        {"class C:\n  def __init__(self, n):\n    self.n = n\n  def go(self):\n    f(self.n)\n"
         "C(n=3).go()\n",
         "3"},
        {"class C:\n  def a(self):\n    self.n = 1\n  def b(self):\n    self.n = 2\n    "
         "f(self.n)\n",
         "$self.n"},
        {"class C:\n  def a(self):\n    self.n = 1\n  def b(self):\n    self.n += 2\n    "
         "f(self.n)\n",
         "$self.n"},
        {"class C:\n  def a(self):\n    self.b(6)\n  def b(self, n):\n    f(n)\n", "6"},
        // names in a circle
        {"a = b\nb = a\nf(a)\n", "b"}};
    for (const Given& one : all) {
        EXPECT_EQ(givenToCall(one.program), one.values) << one.program;
    }
}

const std::string kParser =
    "def parse():\n  p = argparse.ArgumentParser()\n"
    "  p.add_argument(\"--n\", type=int, default=SIZE)\n"
    "  p.add_argument(\"--lora\", action=\"store_true\")\n"
    "  p.add_argument(\"--bf16\", action=\"store_true\", default=True)\n"
    "  p.add_argument(\"--no-pack\", action=\"store_false\", dest=\"pack\")\n"
    "  p.add_argument(\"--eight\", action=argparse.BooleanOptionalAction, default=True)\n"
    "  p.add_argument(\"--dora\", action=argparse.BooleanOptionalAction)\n"
    "  return p.parse_args()\nSIZE = 5\n";

TEST(PythonNames, AreArgumentsOfArgparse) {
    const std::vector<Given> all = {
        {"args = parse()\nf(args.n)\n", "5"},
        {"args = parse()\nf(args.n * 2)\n", "10"},
        {"def main(a):\n  f(a.n)\nmain(parse())\n", "5"},
        {"class C:\n  def __init__(self, args):\n    self.args = args\n  def go(self):\n"
         "    f(self.args.n)\nC(parse()).go()\n",
         "5"},
        {"args = parse()\nf(args.lora)\n", "False"},
        {"args = parse()\nf(args.bf16)\n", "True"},
        {"args = parse()\nf(args.pack)\n", "True"},
        {"args = parse()\nf(1 if args.lora else 2)\n", "2"},
        {"args = parse()\nf(1 if args.eight else 2)\n", "1"},
        {"args = parse()\nf(args.dora)\n", "None"},
        {"p = argparse.ArgumentParser()\np.add_argument(\"--n\", default=3)\n"
         "args, rest = p.parse_known_args()\nf(args.n)\n",
         "3"}};
    for (const Given& one : all) {
        EXPECT_EQ(givenToCall(kParser + one.program), one.values) << one.program;
    }
    const PythonStart typed{.environment = {},
                            .arguments = {{"--lora", "$(--lora)"},
                                          {"--no-pack", "x"},
                                          {"--dora", "$(--dora)"},
                                          {"--no-eight", "$(--no-eight)"}}};
    EXPECT_EQ(givenToCall(kParser + "args = parse()\nf(args.lora)\n", typed), "True");
    EXPECT_EQ(givenToCall(kParser + "args = parse()\nf(args.pack)\n", typed), "False");
    EXPECT_EQ(givenToCall(kParser + "args = parse()\nf(args.dora)\n", typed), "True");
    EXPECT_EQ(givenToCall(kParser + "args = parse()\nf(args.eight)\n", typed), "False");
}

TEST(PythonNames, SaysWhichSwitchesNothingTypes) {
    const std::string program = kParser +
                                "args = parse()\n"
                                "model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n"
                                "if args.lora:\n"
                                "  model = get_peft_model(model, LoraConfig(r=8))\n"
                                "Trainer(model, TrainingArguments(\"o\", bf16=True)).train()\n";
    const LaunchFolder folder = {{"a.py", program},
                                 {"a.sh", "torchrun --nproc_per_node 8 a.py --lora\n"}};
    EXPECT_EQ(readFrom(folder, "a.py", "settings.tuning"), "-");
    const auto notes = [&folder](const std::string& first) {
        const auto run = importedFrom(folder, first);
        std::string all = run ? "" : run.error().text();
        for (const std::string& one :
             run ? stringsIn(run->find("imported")->find("notes")) : std::vector<std::string>()) {
            all += one;
        }
        return all;
    };
    EXPECT_NE(notes("a.py").find("--lora of the program is off"), std::string::npos);
    EXPECT_EQ(readFrom(folder, "a.sh", "settings.tuning"), "\"lora\"");
    EXPECT_EQ(notes("a.sh").find("is off"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
