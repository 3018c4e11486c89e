#include "planner/launch/torchtitan_adapters.h"

#include "planner/stack/titan.h"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kConverter = "LoRAConverter";

/// A linear layer by its last name in torchtitan 0.3.0, and the targets that it is made of. Its
/// configs have one matrix of q, k and v; a config without it builds wk and wv of one wkv.
struct TitanLinear {
    std::string_view name;
    std::string_view targets;
    bool isPackaged = true;
};
constexpr std::array kTitanLinears = {TitanLinear{"wqkv", "q+k+v"},
                                      TitanLinear{"wq", "q", false},
                                      TitanLinear{"wkv", "k+v", false},
                                      TitanLinear{"wo", "o"},
                                      TitanLinear{"w1", "gate"},
                                      TitanLinear{"w3", "up"},
                                      TitanLinear{"w2", "down"}};

std::string titanLinearNames() {
    std::string names;
    for (const TitanLinear& one : kTitanLinears) {
        names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    return names;
}

/// The list that LoRAConverter takes: ["wqkv", "wo"].
Result<std::string> titanTargets(const NameSet& targets) {
    std::string list;
    std::string told;  // +q+k+v++o+
    for (const TitanLinear& one : kTitanLinears) {
        bool isAdapted = one.isPackaged;
        std::istringstream names{std::string(one.targets)};
        for (std::string name; std::getline(names, name, '+');) {
            isAdapted = isAdapted && targets.contains(name);
        }
        if (isAdapted) {
            list += (list.empty() ? "" : ", ") + quotedText(one.name);
            told += "+" + std::string(one.targets) + "+";
        }
    }
    for (const std::string& target : targets) {
        if (told.find("+" + target + "+") == std::string::npos) {
            return fail(
                Error::Code::Unsupported,
                "settings.lora.targets",
                "the configs of torchtitan 0.3.0 have no linear layer of " + target + " alone",
                "settings.lora.targets=q+k+v+o");
        }
    }
    return "[" + list + "]";
}

bool isConverter(const LaunchKey& key) {
    return key.path == "Config" && key.values.size() == 1 &&
           key.values.front().ends_with(std::string(kConverter) + ".Config");
}

/// What the function of that name says, in the order of the file.
std::vector<LaunchKey> saidInFunction(const LaunchKeys& program, const std::string& function) {
    std::vector<LaunchKey> said;
    bool isInside = false;
    for (const LaunchKey& key : program.all()) {
        if (key.path == "def") {
            isInside = key.values.front() == function;
        } else if (isInside) {
            said.push_back(key);
        }
    }
    return said;
}

/// The user's module, where it is there: one of torchtitan's own is not looked for.
std::optional<NamedText> titanModule(const LaunchKeys& keys, const ReadNamed& read) {
    const LaunchKey* const module = keys.find("--module");
    const bool isSaid = module != nullptr && module->values.size() == 1;
    if (!isSaid || titanNames(module->values.front(), true) || !keys.has("--config")) {
        return std::nullopt;
    }
    std::string path = module->values.front();
    std::ranges::replace(path, '.', '/');
    for (const char* const end : {"/config_registry.py", ".py"}) {
        if (Result<NamedText> text = read(path + end)) {
            text->name = text->name.empty() ? path + end : text->name;
            return *std::move(text);
        }
    }
    return std::nullopt;
}

/// The arguments of LoRAConverter.Config in these keys, as "LoRAConverter.rank".
LaunchKeys converterIn(const std::vector<LaunchKey>& said, const std::string& source) {
    LaunchKeys found(source);
    bool isInside = false;
    for (LaunchKey key : said) {
        const bool isArgument = key.path.starts_with("Config.");
        if (key.path == "Config") {
            isInside = isConverter(key);
        }
        if (isInside && (isArgument || key.path == "Config")) {
            key.path = kConverter + key.path.substr(std::string_view("Config").size());
            found.add(std::move(key));
        }
    }
    return found;
}

/// The one config of torchtitan's that is called; nothing where none is, or several are.
std::optional<LaunchKey> packagedConfigIn(const std::vector<LaunchKey>& said) {
    std::optional<LaunchKey> found;
    for (const LaunchKey& key : said) {
        const bool isKnown = std::ranges::any_of(titanFolders(), [&key](const TitanFolder& one) {
            return std::ranges::find(one.configs, key.path) != one.configs.end();
        });
        if (isKnown && found && found->path != key.path) {
            return std::nullopt;
        }
        found = isKnown ? key : found;
    }
    return found;
}

}  // namespace

std::string titanAdaptersConfig(const TitanModel& model) {
    return model.config + "_lora";
}

Result<std::string> titanAdaptersModule(const LaunchFacts& facts, const TitanModel& model) {
    const LoraSettings& lora = facts.scenario.settings.lora;
    FABRICAST_ASSIGN(const std::string targets, titanTargets(lora.targets));
    return commentOf(facts.about) +
           "from torchtitan.components.lora import LoRAConverter\nfrom torchtitan.models." +
           model.folder + ".config_registry import " + model.config + "\n\n\ndef " +
           titanAdaptersConfig(model) + "():\n    config = " + model.config +
           "()\n    adapters = LoRAConverter.Config(rank=" + std::to_string(lora.rank) +
           ", alpha=" + std::to_string(loraAlpha(facts)) + ", target_modules=" + targets +
           ")\n    config.model_spec.model = adapters.build().convert(config.model_spec.model)\n"
           "    return config\n";
}

Result<void> addTitanModule(LaunchKeys& keys, const ReadNamed& read) {
    const std::optional<NamedText> module = titanModule(keys, read);
    if (!module) {
        return {};
    }
    FABRICAST_ASSIGN(const LaunchKeys program, readPythonKeys(module->text, module->name));
    const std::string function = keys.text("--config").value_or("");
    const std::vector<LaunchKey> said = saidInFunction(program, function);
    const auto all = std::ranges::count_if(program.all(), isConverter);
    if (all > 1 || std::ranges::count_if(said, isConverter) != all) {
        LaunchKey call = *std::ranges::find_if(program.all(), isConverter);
        call.path = kConverter;
        return program.refuse(call,
                              "is called outside of def " + function + ", or more than once",
                              "one call, in def " + function);
    }
    LaunchKeys found = converterIn(said, module->name);
    if (std::optional<LaunchKey> config = packagedConfigIn(said)) {
        config->values = {std::exchange(config->path, "--config")};
        found.add(*std::move(config));
    }
    keys.append(found, {""});
    return {};
}

Result<void> importTitanAdapters(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string at = kConverter;
    const LaunchKey* const converter = keys.use(at);
    if (converter == nullptr) {
        return {};
    }
    constexpr std::int64_t kUsualRank = 8;  // of LoRAConverter.Config
    FABRICAST_ASSIGN(const auto rank, keys.whole(at + ".rank"));
    FABRICAST_TRY(keys.number(at + ".alpha"));
    const LaunchKey* const modules = keys.use(at + ".target_modules");
    const std::vector<std::string> everything = {"null"};
    if (modules == nullptr || modules->values.empty() || modules->values == everything) {
        return keys.refuse(modules == nullptr ? *converter : *modules,
                           modules != nullptr && modules->values.empty()
                               ? "adapts no layer"
                               : "adapters of every linear layer, the head among them, are not "
                                 "modelled",
                           "target_modules=[\"wqkv\", \"wo\", \"w1\", \"w2\", \"w3\"]");
    }
    std::string targets;
    for (const std::string& one : modules->values) {
        const auto linear = std::ranges::find(kTitanLinears, one, &TitanLinear::name);
        if (linear == kTitanLinears.end()) {
            return keys.refuse(*modules, "\"" + one + "\" is not modelled", titanLinearNames());
        }
        targets += (targets.empty() ? "" : "+") + std::string(linear->targets);
    }
    draft.set("settings.tuning", "lora", at);
    draft.set("settings.lora.rank", rank.value_or(kUsualRank), rank ? at + ".rank" : at);
    draft.set("settings.lora.targets", targets, at + ".target_modules");
    if (!keys.has("parallelism.spmd_backend")) {  // what 0.3.0 takes where nobody says
        draft.set("settings.torch.backend", "spmd_types", at);
    }
    if (const auto type = draft.word("settings.precision.parameters"); !type.empty()) {
        draft.set("settings.lora.base", type, "training.dtype");
        draft.set("settings.lora.dtype", type, "training.dtype");
    }
    return {};
}

}  // namespace fabricast
