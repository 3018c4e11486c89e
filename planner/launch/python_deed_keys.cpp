#include "planner/launch/python_model_keys.h"
#include "planner/launch/weight_conditions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

using namespace std::string_view_literals;
using DeedKind = ModelDeed::Kind;

/// What changes neither memory nor what is trained, or is read elsewhere.
constexpr std::array kHarmlessDeeds = {"train"sv,
                                       "eval"sv,
                                       "cuda"sv,
                                       "cpu"sv,
                                       "print_trainable_parameters"sv,
                                       "get_nb_trainable_parameters"sv,
                                       "save_pretrained"sv,
                                       "push_to_hub"sv,
                                       "generate"sv,
                                       "num_parameters"sv,
                                       "get_memory_footprint"sv,
                                       "enable_input_require_grads"sv,
                                       "register_forward_hook"sv,
                                       "named_modules"sv,
                                       "named_children"sv,
                                       "tie_weights"sv,
                                       "forward"sv,
                                       "numel"sv,
                                       "size"sv,
                                       "dim"sv,
                                       "item"sv,
                                       "apply"sv,
                                       "post_init"sv,
                                       "set_adapter"sv,
                                       "gradient_checkpointing_enable"sv,
                                       "gradient_checkpointing_disable"sv,
                                       "compile"sv,
                                       "set_requires_gradient_sync"sv,
                                       "set_requires_all_reduce"sv,
                                       "no_sync"sv,
                                       "zero_grad"sv,
                                       "to_empty"sv,
                                       "init_weights"sv,
                                       "clip_grad_norm_"sv,
                                       "set_modules_to_forward_prefetch"sv,
                                       "set_modules_to_backward_prefetch"sv,
                                       "unshard"sv,
                                       "reshard"sv,
                                       "update"sv,
                                       "backward"sv,
                                       "step"sv,
                                       "save_checkpoint"sv,
                                       "load_checkpoint"sv};
constexpr std::array kHarmlessFunctions = {"print"sv,
                                           "__init__"sv,
                                           "len"sv,
                                           "sum"sv,
                                           "isinstance"sv,
                                           "hasattr"sv,
                                           "getattr"sv,
                                           "type"sv,
                                           "id"sv,
                                           "dir"sv,
                                           "next"sv,
                                           "iter"sv,
                                           "for_inference"sv,
                                           "for_training"sv,
                                           "zip"sv,
                                           "unwrap_model"sv,
                                           "watch"sv,
                                           "summary"sv,
                                           "save"sv,
                                           "get_state_dict"sv,
                                           "set_state_dict"sv,
                                           "prepare_data_loader"sv,
                                           "compile"sv,
                                           "deepcopy"sv,
                                           "apply_activation_checkpointing"sv,
                                           "checkpoint_wrapper"sv,
                                           "clip_grad_norm_"sv,
                                           "initialize"sv,
                                           "accumulate"sv};
constexpr std::array kHarmlessSets = {"is_parallelizable"sv,
                                      "model_parallel"sv,
                                      "state_dict"sv,
                                      "use_cache"sv,
                                      "config"sv,
                                      "generation_config"sv,
                                      "hf_device_map"sv,
                                      "require_backward_grad_sync"sv,
                                      "is_quantized"sv};
constexpr std::array kGivesAdapters = {
    "get_peft_model"sv, "inject_adapter_in_model"sv, "add_adapter"sv, "from_pretrained"sv};
constexpr std::array kTakesAdapters = {"merge_and_unload"sv, "unload"sv};

/// Methods and types that cast, and the type.
constexpr std::array kCasts = {std::pair("float"sv, "float32"sv),
                               std::pair("float32"sv, "float32"sv),
                               std::pair("double"sv, "float64"sv),
                               std::pair("half"sv, "float16"sv),
                               std::pair("float16"sv, "float16"sv),
                               std::pair("bfloat16"sv, "bfloat16"sv)};

/// "float32" of "float"; empty: it is no type.
std::string_view castTo(std::string_view name) {
    const auto* const found =
        std::ranges::find(kCasts, name, [](const auto& one) { return one.first; });
    return found == kCasts.end() ? ""sv : found->second;
}

template <class List>
bool isIn(const List& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
}

/// The keys that one model's deeds are.
class DeedKeys {
public:
    DeedKeys(const PythonValues& program, LaunchKeys& keys) : program_(program), keys_(keys) {}

    void add(const ModelDeed& deed) {
        if (deed.name == "requires_grad" || deed.name == "requires_grad_") {
            addTrained(deed);
        } else if (deed.name == "prepare_model_for_kbit_training") {
            addKey(deed, kModelTrains, {"", "if", "true", "is", "false"});
        } else if (takesAdapters(deed)) {
            addKey(deed, kModelTrains, {"", "if", "true", "is", "false"});
            addKey(deed, kModelAdapters, {"false"});
        } else if (givesAdapters(deed)) {
            addKey(deed, kModelAdapters, {"true"});
        } else if (deed.name == "resize_token_embeddings") {
            addRows(deed);
        } else if (!addType(deed) && !addCastOfEach(deed)) {
            addUnknown(deed);
        }
    }

private:
    void addKey(const ModelDeed& deed, std::string path, std::vector<std::string> values) {
        const PythonWord& word = program_.words()[deed.at];
        keys_.add({.path = std::move(path),
                   .values = std::move(values),
                   .line = word.line,
                   .column = word.column,
                   .onlyIf = deed.where.empty() ? "" : program_.textOf(deed.where.back().words)});
    }

    void addTrained(const ModelDeed& deed) {
        std::vector<std::string> values = {deed.part, "if"};
        std::optional<NameCondition> all = NameCondition{"true"};
        for (const PythonCondition& one : deed.where) {
            const auto asked = nameCondition(program_, one.words, deed.named);
            if (!asked) {
                return addKey(deed, kModelTrains, {});
            }
            all->insert(all->end(), asked->begin(), asked->end());
            if (one.isNot) {
                all->emplace_back("not");
            }
            all->emplace_back("and");
        }
        std::optional<NameCondition> trains = NameCondition{"true"};
        if (deed.kind == DeedKind::Sets) {
            trains = nameCondition(program_, deed.said, deed.named);
        } else if (deed.said.begin < deed.said.end) {
            const bool isKeyword = program_.isSign(deed.said.begin + 1, "=");
            trains = nameCondition(
                program_, {deed.said.begin + (isKeyword ? 2U : 0U), deed.said.end}, deed.named);
        }
        if (!trains) {
            return addKey(deed, kModelTrains, {});
        }
        values.insert(values.end(), all->begin(), all->end());
        values.emplace_back("is");
        values.insert(values.end(), trains->begin(), trains->end());
        addKey(deed, kModelTrains, std::move(values));
    }

    void addRows(const ModelDeed& deed) {
        const std::vector<WordSpan> items = program_.itemsIn(deed.said.begin - 1);
        const std::size_t begin = items.empty() ? deed.said.begin : items.front().begin;
        const bool isKeyword = program_.isSign(begin + 1, "=");
        addKey(deed,
               kModelRows,
               items.empty()
                   ? std::vector<std::string>()
                   : program_.valuesOf({begin + (isKeyword ? 2U : 0U), items.front().end}));
    }

    /// ".float()", ".to(torch.bfloat16)", ".to(dtype=…)" of the whole model.
    bool addType(const ModelDeed& deed) {
        if (deed.kind != DeedKind::Calls || !deed.part.empty()) {
            return false;
        }
        if (const std::string_view type = castTo(deed.name); !type.empty()) {
            addKey(deed, kModelDtype, {std::string(type)});
            return true;
        }
        if (deed.name != "to" && deed.name != "type") {
            return false;
        }
        for (const WordSpan& item : program_.itemsIn(deed.said.begin - 1)) {
            const bool isKeyword =
                program_.isName(item.begin) && program_.isSign(item.begin + 1, "=");
            const bool saysType = isKeyword && program_.words()[item.begin].text == "dtype";
            const std::vector<std::string> values =
                program_.valuesOf({item.begin + (isKeyword ? 2U : 0U), item.end});
            const std::string value = values.size() == 1 ? values.front() : "";
            const std::string_view type = castTo(value.substr(value.rfind('.') + 1));
            if (!type.empty() || saysType || value.find("dtype") != std::string::npos) {
                addKey(deed, kModelDtype, {type.empty() ? value : std::string(type)});
            }
        }
        return true;
    }

    /// "for p in model.parameters(): p.data = p.data.float()", as a cast of the whole model. Of
    /// what a condition on the weight leaves out nothing is known: of all that are trained it is
    /// one, too, unless these are adapters.
    bool addCastOfEach(const ModelDeed& deed) {
        std::string_view type;
        for (std::size_t i = deed.said.begin + 1; i < deed.said.end; ++i) {
            const bool isCast = program_.isName(i) && program_.isSign(i - 1, ".");
            const std::string_view found = isCast ? castTo(program_.words()[i].text) : "";
            type = found.empty() ? type : found;
        }
        const bool isEach = deed.kind == DeedKind::Sets && deed.name == "data" && deed.part.empty();
        if (!isEach || type.empty()) {
            return false;
        }
        ModelDeed cast = deed;
        std::erase_if(cast.where,
                      [&](const PythonCondition& one) { return isOnTrainedWeight(deed, one); });
        if (std::ranges::any_of(
                cast.where, [&](const PythonCondition& one) { return isOnWeight(deed, one); })) {
            return false;
        }
        addKey(cast, kModelDtype, {std::string(type)});
        return true;
    }

    /// Whether it asks for the name or the shape of one weight.
    [[nodiscard]] bool isOnWeight(const ModelDeed& deed, const PythonCondition& one) const {
        const std::string& weight = program_.words()[deed.at].text;
        for (std::size_t i = one.words.begin; i < one.words.end; ++i) {
            const std::string& word = program_.words()[i].text;
            if (program_.isName(i) && (word == weight || word == deed.named)) {
                return true;
            }
        }
        return false;
    }

    /// "if p.requires_grad" of a model without adapters, and "if p.dtype == torch.bfloat16".
    [[nodiscard]] bool isOnTrainedWeight(const ModelDeed& deed, const PythonCondition& one) const {
        const LaunchKey* const adapters = keys_.find(kModelAdapters);
        const bool hasAdapters = adapters != nullptr && adapters->values.front() == "true";
        const std::string weight = program_.words()[deed.at].text + ".";
        const std::string asked = program_.textOf(one.words);
        return !one.isNot && ((asked == weight + "requires_grad" && !hasAdapters) ||
                              asked.starts_with(weight + "dtype=="));
    }

    /// "model.layers.foo()", "foo(model)", "model.data = …": nobody reads them.
    void addUnknown(const ModelDeed& deed) {
        const bool isSet = deed.kind == DeedKind::Sets;
        const bool isHarmless = isSet ? isIn(kHarmlessSets, deed.name)
                                : deed.kind == DeedKind::Calls
                                    ? isIn(kHarmlessDeeds, deed.name)
                                    : isIn(kHarmlessFunctions, deed.name);
        const bool isOfTensor = !isSet && (deed.part.find("data") != std::string::npos ||
                                           deed.name.find("state_dict") != std::string::npos ||
                                           deed.name.starts_with("__"));
        if (isHarmless || isOfTensor || deed.part.starts_with("config") ||
            deed.part.starts_with("generation_config")) {
            return;
        }
        if (deed.name.find("freeze") != std::string::npos) {
            return addKey(deed, kModelTrains, {});
        }
        const std::string of = "model." + deed.part + (deed.part.empty() ? "" : ".");
        const std::string path = isSet                            ? of + deed.name + " ="
                                 : deed.kind == DeedKind::IsGiven ? deed.name + "(model)"
                                                                  : of + deed.name + "()";
        if (!keys_.has(path)) {
            addKey(deed,
                   path,
                   isSet ? std::vector<std::string>{program_.textOf(deed.said)}
                         : std::vector<std::string>());
        }
    }

    const PythonValues& program_;
    LaunchKeys& keys_;
};

}  // namespace

bool givesAdapters(const ModelDeed& deed) {
    return deed.part.empty() && deed.kind != DeedKind::Sets && isIn(kGivesAdapters, deed.name);
}

bool takesAdapters(const ModelDeed& deed) {
    return deed.kind == DeedKind::Calls && isIn(kTakesAdapters, deed.name);
}

void addDeedKey(const PythonValues& program, const ModelDeed& deed, LaunchKeys& keys) {
    DeedKeys(program, keys).add(deed);
}

}  // namespace fabricast
