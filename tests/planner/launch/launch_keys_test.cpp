#include "planner/launch/launch_keys.h"

#include "planner/launch/hugging_face.h"
#include "planner/launch/megatron_arguments.h"
#include "planner/text/json_document.h"
#include "tests/planner/launch/launch_example.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>
#include <sstream>

namespace fabricast {
namespace {

struct RecordedArgument {
    int first = 0;
    int last = 0;
    std::string values;
    std::string takes;
};

std::multimap<std::string, RecordedArgument> recordedArguments() {
    std::multimap<std::string, RecordedArgument> recorded;
    for (const CaseRow& row : readCases("../../hardware_profiles/launch/megatron_arguments.csv")) {
        recorded.insert({row.at("argument"),
                         {std::stoi(row.at("first")),
                          std::stoi(row.at("last")),
                          row.at("values"),
                          row.at("takes")}});
    }
    return recorded;
}

bool isOneOf(const std::string& value, const std::string& takes) {
    if (takes == "whole" || takes == "number") {
        std::size_t end = 0;
        return (takes == "whole" ? static_cast<double>(std::stoll(value, &end))
                                 : std::stod(value, &end)) >= 0 &&
               end == value.size();
    }
    return takes.empty() || ("|" + takes + "|").find("|" + value + "|") != std::string::npos;
}

/// Whether the parser of a release takes the argument with these values.
bool isTaken(const MegatronArgument& argument,
             int release,
             const std::multimap<std::string, RecordedArgument>& recorded) {
    const auto [begin, end] = recorded.equal_range(argument.flag);
    return std::any_of(begin, end, [&](const auto& one) {
        const RecordedArgument& row = one.second;
        const std::size_t values = argument.values.size();
        const bool count = row.values == "0"   ? values == 0
                           : row.values == "1" ? values == 1
                                               : values > 0;
        return row.first <= release && release <= row.last && count &&
               std::ranges::all_of(argument.values, [&](const std::string& value) {
                   return isOneOf(value, row.takes);
               });
    });
}

/// With all that is written where a plan says how it is saved.
LaunchFacts savingFacts(const Scenario& scenario, const std::string& version) {
    LaunchFacts facts = factsOf(scenario, version);
    facts.saved = SavedStates{.steps = 500, .heldSteps = 50};
    return facts;
}

class MegatronModels : public testing::TestWithParam<const char*> {};

TEST_P(MegatronModels, HaveArgumentsThatEveryReleaseTakes) {
    const auto recorded = recordedArguments();
    std::size_t written = 0;
    for (const Scenario& scenario : layoutsOf("megatron", GetParam())) {
        for (int release = 14; release <= 19; ++release) {
            const auto arguments = megatronArguments(
                savingFacts(scenario, "0." + std::to_string(release)), ToldAs::Arguments);
            if (!arguments) {
                EXPECT_EQ(arguments.error().where, "--framework-version")
                    << arguments.error().text();
                continue;
            }
            ++written;
            for (const auto& group : arguments->groups) {
                for (const MegatronArgument& argument : group.arguments) {
                    EXPECT_TRUE(isTaken(argument, release, recorded))
                        << argument.flag << " of 0." << release;
                }
            }
        }
    }
    EXPECT_GT(written, 300U);
}

INSTANTIATE_TEST_SUITE_P(
    Models,
    MegatronModels,
    testing::Values("llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "gpt3-13b"));

/// Releases of the keys that are recorded.
using Keys = std::set<std::string>;
Keys keysOf(const std::string& framework, const std::string& version) {
    Keys keys;
    for (const CaseRow& row : readCases("../../hardware_profiles/launch/framework_keys.csv")) {
        if (row.at("framework") == framework && row.at("version") == version) {
            keys.insert(row.at("section").empty() ? row.at("key")
                                                  : row.at("section") + "." + row.at("key"));
        }
    }
    return keys;
}

/// "section.key" of TOML's sections, and of YAML of two levels.
Keys writtenKeys(const std::string& text) {
    Keys keys;
    std::string section;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const bool inner = line.starts_with("  ");
        const std::size_t end = line.find_first_of(":=");
        if (line.empty() || line.starts_with("#")) {
            continue;
        }
        if (line.starts_with("[")) {
            section = line.substr(1, line.find(']') - 1) + ".";
            continue;
        }
        std::string key = line.substr(inner ? 2 : 0, end - (inner ? 2 : 0));
        key.erase(key.find_last_not_of(' ') + 1);
        const bool isYaml = line[end] == ':';
        keys.insert((isYaml && !inner ? "" : section) + key);
        section = isYaml && !inner ? key + "." : section;
    }
    return keys;
}

void addJsonKeys(const JsonValue& value, const std::string& section, Keys& keys) {
    for (const JsonValue& member : value.members()) {
        keys.insert(section + member.name());
        addJsonKeys(member, section + member.name() + ".", keys);
    }
}

/// "section.key" of the calls in a script's ConfigContainer.
Keys keysOfContainer(const std::string& text) {
    const std::string outer(8, ' ');
    const std::string inner(12, ' ');
    Keys keys;
    std::string section;
    std::istringstream lines(text.substr(text.find("ConfigContainer(\n")));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t end = line.find('=');
        if (end == std::string::npos || !line.starts_with(outer)) {
            continue;
        }
        if (line.starts_with(inner)) {
            const std::string key = section + "." + line.substr(inner.size(), end - inner.size());
            EXPECT_TRUE(keys.insert(key).second) << key << " is there twice";
        } else {
            section = line.substr(outer.size(), end - outer.size());
            keys.insert(section);
        }
    }
    return keys;
}

/// "Class.key" of the calls of a program that NeMo has.
Keys keysOfCalls(const std::string& text, const Keys& known) {
    Keys keys;
    const fabricast::LaunchKeys program = readPythonKeys(text, "train.py").value();
    for (const LaunchKey& one : program.all()) {
        const std::size_t dot = one.path.find('.');
        const bool isNamed = dot != std::string::npos && std::isdigit(one.path[dot + 1]) == 0;
        if (isNamed && known.contains(one.path.substr(0, dot))) {
            keys.insert(one.path);
        }
    }
    return keys;
}

TEST(NemoPrograms, HaveKeysOfNemo) {
    const Keys known = keysOf("nemo", "2.7.3");
    const LaunchTarget& target = **findLaunchTarget("nemo");
    std::size_t written = 0;
    for (const char* const model : {"llama-3.1-8b", "mixtral-8x7b", "gpt3-13b"}) {
        for (Scenario scenario : layoutsOf("nemo", model)) {
            scenario.settings.tuning = written % 2 == 0 ? Tuning::Full : Tuning::Lora;
            const auto launch = launchFiles(target, savingFacts(scenario, "2.7.3"));
            if (!launch) {
                EXPECT_EQ(launch.error().code, Error::Code::Unsupported) << launch.error().text();
                continue;
            }
            ++written;
            const Keys keys = keysOfCalls(launch->files.front().text, known);
            EXPECT_GT(keys.size(), 40U);
            for (const std::string& key : keys) {
                EXPECT_TRUE(known.contains(key)) << key;
            }
        }
    }
    EXPECT_GT(written, 50U);
}

class BridgeModels : public testing::TestWithParam<const char*> {};

TEST_P(BridgeModels, HaveKeysOfMegatronBridge) {
    const Keys known = keysOf("megatron-bridge", "0.3.1");
    const LaunchTarget& target = **findLaunchTarget("megatron", "megatron-bridge");
    std::size_t written = 0;
    for (const Scenario& scenario : layoutsOf("megatron", GetParam())) {
        const auto launch = launchFiles(target, savingFacts(scenario, "0.3.1"));
        if (!launch) {
            EXPECT_EQ(launch.error().code, Error::Code::Unsupported) << launch.error().text();
            continue;
        }
        ++written;
        const Keys keys = keysOfContainer(launch->files.front().text);
        EXPECT_GT(keys.size(), 50U);
        for (const std::string& key : keys) {
            EXPECT_TRUE(known.contains(key)) << key;
        }
    }
    EXPECT_GT(written, 50U);
}

INSTANTIATE_TEST_SUITE_P(Models,
                         BridgeModels,
                         testing::Values("llama-3.1-8b", "mixtral-8x7b", "gpt3-13b"));

TEST(AdapterArguments, AreThoseOfTrlsModelConfig) {
    const Keys known = keysOf("trl", "1.16.0");
    Scenario scenario;
    scenario.model.family = "gpt_oss";
    scenario.model.moe = MoeSpec{.experts = 8};
    Settings& settings = scenario.settings;
    settings.tuning = Tuning::Lora;
    settings.lora = {.targets = {"q", "experts"}, .dora = true, .doubleQuantization = true};
    std::size_t flags = 0;
    for (const Dtype base : {Dtype::Bf16, Dtype::Nf4, Dtype::Int8}) {
        settings.lora.base = base;
        for (const std::string& word :
             adapterArguments({.scenario = scenario, .version = "", .loadFrom = "", .about = {}})) {
            if (word.starts_with("--")) {
                EXPECT_TRUE(known.contains(word.substr(2))) << word;
                ++flags;
            }
        }
    }
    EXPECT_GT(flags, 18U);
}

TEST(SavingArguments, AreThoseOfTrainingArguments) {
    const Keys known = keysOf("transformers", "5.23.0");
    LaunchFiles files;
    const Scenario scenario;
    addSavingArguments(savingFacts(scenario, ""), files);
    EXPECT_EQ(files.command.size(), 4U);
    for (const std::string& word : files.command) {
        EXPECT_TRUE(!word.starts_with("--") || known.contains(word.substr(2))) << word;
    }
}

struct KeyedFile {
    const char* stack;
    const char* model;
    const char* version;
    const char* file;
    const char* framework;
};

class FrameworkKeys : public testing::TestWithParam<KeyedFile> {};

TEST_P(FrameworkKeys, AreThoseOfTheFramework) {
    const KeyedFile& keyed = GetParam();
    const Keys known = keysOf(keyed.framework, keyed.version);
    const LaunchTarget& target = **findLaunchTarget(keyed.stack);
    const bool json = std::string(keyed.file).ends_with(".json");
    std::size_t written = 0;
    for (const Scenario& scenario : layoutsOf(keyed.stack, keyed.model)) {
        const std::string version = json ? std::string(target.newest) : keyed.version;
        const auto launch = launchFiles(target, savingFacts(scenario, version));
        ASSERT_TRUE(launch || launch.error().code == Error::Code::Unsupported)
            << launch.error().text();
        const auto file = launch ? std::ranges::find(launch->files, keyed.file, &LaunchFile::name)
                                 : std::vector<LaunchFile>::const_iterator();
        if (!launch || file == launch->files.end()) {
            continue;
        }
        ++written;
        Keys keys;
        if (json) {
            addJsonKeys(parseJson(file->text, keyed.file).value(), "", keys);
        } else {
            keys = writtenKeys(file->text);
        }
        for (const std::string& key : keys) {
            EXPECT_TRUE(known.contains(key)) << key;
        }
    }
    EXPECT_GT(written, 10U);
}

INSTANTIATE_TEST_SUITE_P(
    Frameworks,
    FrameworkKeys,
    testing::Values(
        KeyedFile{"torchtitan", "llama-3.1-8b", "0.2.2", "train.toml", "torchtitan"},
        KeyedFile{"torchtitan", "qwen3-30b-a3b", "0.2.2", "train.toml", "torchtitan"},
        KeyedFile{"deepspeed", "llama-3.1-8b", "0.19.8", "deepspeed.json", "deepspeed"},
        KeyedFile{"accelerate", "llama-3.1-8b", "1.15.0", "accelerate.yaml", "accelerate"},
        KeyedFile{"accelerate", "llama-3.1-8b", "0.19.8", "deepspeed.json", "deepspeed"},
        KeyedFile{"axolotl", "llama-3.1-8b", "0.19.0", "axolotl.yaml", "axolotl"}),
    [](const auto& one) {
        std::string name =
            one.param.stack + std::string("_") + one.param.file + "_" + one.param.model;
        std::ranges::replace_if(
            name, [](char letter) { return std::isalnum(letter) == 0; }, '_');
        return name;
    });

// PyYAML and OmegaConf: yaml.safe_load keeps the last value of a key, and nothing of earlier maps.
TEST(LaunchKeys, TakesTheLastOfAYamlKeyThatStandsTwice) {
    const auto keys = readYamlKeys(
        "a: 1\nm: {x: 1, y: 2}\nb: &t {z: 1}\na: 2\nm: {x: 3}\nc: {<<: *t, z: 2}\n", "a.yaml");
    ASSERT_TRUE(keys) << keys.error().text();
    EXPECT_EQ(keys->find("a")->values.front(), "2");
    EXPECT_EQ(keys->find("m.x")->values.front(), "3");
    EXPECT_EQ(keys->find("m.y"), nullptr);
    EXPECT_EQ(keys->find("c.z")->values.front(), "2");
    ASSERT_EQ(keys->repeated().size(), 2U);
    EXPECT_EQ(keys->repeated()[0].first.path, "a");
    EXPECT_EQ(keys->repeated()[0].first.line, 1);
    EXPECT_EQ(keys->repeated()[0].holds, 4);
    EXPECT_TRUE(keys->repeated()[1].isSection);
}

}  // namespace
}  // namespace fabricast
