#include "study/question.h"

#include "planner/request/layout_json.h"
#include "planner/request/scenario_json.h"
#include "planner/text/json_builder.h"
#include "study/flag_words.h"
#include "study/question_flags.h"
#include "study/replaced_keys.h"
#include "study/saved_questions.h"
#include "study/superseded_keys.h"
#include "study/typed_edits.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace fabricast {
namespace {

/// Keys whose value is a name, whatever it looks like: the GPU 5090 is no number.
constexpr std::array<std::string_view, 5> kNames = {
    "model", "stack", "cluster.name", "cluster.gpu", "cluster.fabric"};

/// A name is never a number, and a search's lists are of words.
Result<JsonValue> editedValue(const Edit& edit) {
    const std::string where = whereOf(edit);
    const bool isName = std::ranges::find(kNames, edit.path) != kNames.end();
    const bool isWord = isName && !edit.value.starts_with('{');
    if (isWord && edit.value != "null") {
        return JsonBuilder(where).string(edit.value);
    }
    return parseJsonArgument(edit.value, where);
}

bool isListOfWords(std::string_view path) {
    const QuestionFlag* flag = flagOf(path);
    return flag != nullptr && flag->isList;
}

/// A word in the place of a part is the key that it is short for: what else is said of the part
/// stays, as it does beside that key.
Edit inFull(const Edit& edit) {
    const std::string_view key = keyOfWord(edit.path);
    if (key.empty()) {
        return edit;
    }
    const Result<JsonValue> value = parseJsonArgument(edit.value, "");
    return value && value->is(JsonValue::Kind::String)
               ? Edit{std::string(key), value->text().value_or(edit.value), edit.origin}
               : edit;
}

/// The edits as a scenario says them.
std::vector<Edit> written(std::span<const Edit> edits) {
    std::vector<Edit> all;
    for (const Edit& typed : edits) {
        const Edit edit = inFull(typed);
        const bool isWord = edit.path == kQlora.path && edit.value == kQlora.word;
        all.push_back(isWord ? Edit{edit.path, std::string(kQlora.value), edit.origin} : edit);
        if (isWord) {
            all.push_back(
                {std::string(kQlora.besidePath), std::string(kQlora.besideValue), edit.origin});
        }
    }
    return all;
}

/// What is left out as a whole goes before what is said of it: "--layout tp=4 --set layout=null".
std::vector<Edit> emptiedFirst(std::vector<Edit> edits) {
    const std::vector<Edit> all = edits;
    std::ranges::stable_partition(edits, [&all](const Edit& edit) {
        return edit.value == "null" && std::ranges::any_of(all, [&edit](const Edit& one) {
                   return one.path.starts_with(edit.path + ".");
               });
    });
    return edits;
}

/// What says of a file's base that it is quantised.
constexpr std::array<std::string_view, 3> kQuantisedBase = {
    "settings.lora.base", "settings.lora.double_quantization", "settings.lora.prepared_for_kbit"};

/// "--tuning lora" is LoRA over 16-bit weights, unless another base is typed beside it, and without
/// adapters there is no base.
bool typesWholeBase(std::span<const Edit> edits) {
    const auto isTyped = [](const Edit& edit) {
        return edit.path == "settings.tuning" && edit.origin == "--tuning";
    };
    return std::ranges::any_of(edits, isTyped) &&
           std::ranges::find(edits, "settings.lora.base", &Edit::path) == edits.end();
}

class Editor {
public:
    explicit Editor(JsonValue root) : root_(std::move(root)) {}

    Result<void> apply(const Edit& edit) {
        FABRICAST_ASSIGN(JsonValue value, editedValue(edit));
        FABRICAST_TRY(checkModelEdit(root_, edit));
        if (value.is(JsonValue::Kind::Null)) {
            root_ = JsonBuilder::without(std::move(root_), edit.path);
            return {};
        }
        const JsonBuilder build(whereOf(edit));
        if (isListOfWords(edit.path) && !value.is(JsonValue::Kind::Array)) {
            value = itemOf(edit, build);
        }
        FABRICAST_ASSIGN(root_, build.with(std::move(root_), edit.path, std::move(value)));
        FABRICAST_TRY(checkTuningWord(root_));
        FABRICAST_ASSIGN(root_, withObjects(std::move(root_)));
        return {};
    }
    JsonValue take() && { return std::move(root_); }

private:
    /// The list with one item more; the first edit of a list starts a new one.
    JsonValue itemOf(const Edit& edit, const JsonBuilder& build) {
        const JsonValue* search = root_.find("search");
        const JsonValue* before =
            search == nullptr ? nullptr : search->find(edit.path.substr(edit.path.find('.') + 1));
        JsonValue list = before != nullptr && lists_.contains(edit.path) ? *before : build.array();
        lists_.insert(edit.path);
        JsonBuilder::appendItem(list, build.string(edit.value));
        return list;
    }

    JsonValue root_;
    std::set<std::string> lists_;
};

/// Forgets the edits of a path and of everything under it.
void forget(std::vector<Edit>& made, std::string_view path) {
    std::erase_if(made, [path](const Edit& edit) {
        return edit.path == path ||
               (edit.path.starts_with(std::string(path) + ".") && edit.path != keptOf(path));
    });
}

/// Of edits of one path the last counts; those of a list belong together.
void record(std::vector<Edit>& made, std::span<const Edit> edits) {
    for (const Edit& edit : edits) {
        forget(made, edit.path);
        for (const std::string_view path : supersededBy(edit)) {
            forget(made, path);
        }
    }
    for (const Edit& edit : edits) {
        if (!isListOfWords(edit.path)) {
            forget(made, edit.path);
        }
        made.push_back(edit);
    }
}

/// The value as --set takes it.
std::string valueText(const JsonValue& value) {
    const Result<std::string> word = value.text();
    return word ? *word : JsonBuilder::written(value);
}

}  // namespace

Result<Question> with(Question question, std::span<const Edit> typedEdits) {
    const std::vector<Edit> edits = emptiedFirst(written(typedEdits));
    JsonValue root = std::move(question.root);
    for (const Edit& edit : edits) {
        FABRICAST_ASSIGN(root, withoutSuperseded(std::move(root), edit, question.isAnswer));
    }
    if (typesWholeBase(edits)) {
        for (const std::string_view path : kQuantisedBase) {
            root = JsonBuilder::without(std::move(root), path);
            forget(question.edits, path);
        }
    }
    Editor editor(std::move(root));
    for (const Edit& edit : edits) {
        FABRICAST_TRY(editor.apply(edit));
    }
    question.root = std::move(editor).take();
    record(question.edits, edits);
    return question;
}

bool isReplaced(std::string_view path, const Edit& by) {
    if (path == by.path) {
        return !isListOfWords(path);
    }
    const auto isOf = [path](std::string_view whole) {
        return path == whole || (path.starts_with(whole) && path.substr(whole.size())[0] == '.');
    };
    const bool isTakenAway = by.value == "null" && isOf(by.path);
    const std::vector<std::string_view> superseded = supersededBy(by);
    const bool isPrecision =
        by.path == "workload.precision" && isOf("settings.precision") &&
        std::ranges::find(superseded, "settings.precision") != superseded.end();
    return isTakenAway || isPrecision ||
           std::ranges::any_of(supersededKeys(), [&](const SupersededKey& one) {
               return one.saysTheSame && isOf(one.path) && one.by == by.path;
           });
}

Result<Edit> assignment(const std::string& typed, const std::string& origin) {
    const std::size_t equals = typed.find('=');
    if (equals == std::string::npos || equals == 0) {
        return fail(Error::Code::BadInput,
                    origin,
                    "\"" + typed + "\" is not PATH=VALUE",
                    origin + " workload.sequence=8192");
    }
    return inFull({typed.substr(0, equals), typed.substr(equals + 1), origin});
}

Result<std::vector<Edit>> layoutEdits(const std::string& typed, const std::string& origin) {
    FABRICAST_ASSIGN(const JsonValue keys, layoutObject(typed, origin));
    std::vector<Edit> edits;
    for (const JsonValue& key : keys.members()) {
        edits.push_back({"layout." + key.name(), valueText(key), origin});
    }
    return edits;
}

bool says(const Question& question, std::string_view path) {
    return valueAt(question.root, path) != nullptr;
}

namespace {

/// A number of a model, and how a config.json may call it.
struct ConfigKey {
    std::string_view path;
    std::string_view config;
};
constexpr std::array kConfigKeys = {
    ConfigKey{"model.layers", "model.num_hidden_layers"},
    ConfigKey{"model.layers", "model.n_layer"},
    ConfigKey{"model.layers", "model.n_layers"},
    ConfigKey{"model.hidden", "model.hidden_size"},
    ConfigKey{"model.hidden", "model.n_embd"},
    ConfigKey{"model.hidden", "model.n_embed"},
    ConfigKey{"model.hidden", "model.d_model"},
    ConfigKey{"model.vocab", "model.vocab_size"},
    ConfigKey{"model.heads", "model.num_attention_heads"},
    ConfigKey{"model.heads", "model.n_head"},
    ConfigKey{"model.heads", "model.n_heads"},
    ConfigKey{"model.kv_heads", "model.num_key_value_heads"},
    ConfigKey{"model.mlp_width", "model.intermediate_size"},
    ConfigKey{"model.mlp_width", "model.n_inner"},
    ConfigKey{"model.experts", "model.num_experts"},
    ConfigKey{"model.experts", "model.num_local_experts"},
    ConfigKey{"model.experts", "model.n_routed_experts"},
    ConfigKey{"model.experts_per_token", "model.num_experts_per_tok"},
    ConfigKey{"model.expert_width", "model.moe_intermediate_size"}};

}  // namespace

std::string whereSaid(const Question& question, std::string_view path) {
    if (const JsonValue* value = valueAt(question.root, path)) {
        return value->where();
    }
    for (const ConfigKey& key : kConfigKeys) {
        const JsonValue* value = key.path == path ? valueAt(question.root, key.config) : nullptr;
        if (value != nullptr) {
            return value->where();
        }
    }
    // A group of settings may be written as one word, and some settings in another part.
    const std::string_view group = path.substr(0, path.rfind('.'));
    const JsonValue* word = valueAt(question.root, group);
    if (group != path && word != nullptr && !word->is(JsonValue::Kind::Object)) {
        return word->where();
    }
    for (const SupersededKey& one : supersededKeys()) {
        const bool isSaid =
            path.starts_with("settings.") && (path == one.path || group == one.path);
        if (const JsonValue* value = isSaid ? valueAt(question.root, one.by) : nullptr) {
            return value->where();
        }
    }
    return {};
}

std::vector<Edit> heldBatch(const Question& question, std::int64_t samples) {
    const JsonValue* stated = valueAt(question.root, "workload.global_batch");
    const bool isOfRanks =
        stated != nullptr && stated->text().value_or("").ends_with(kSamplesPerRank);
    return stated == nullptr || isOfRanks ? heldSamples(question, samples) : std::vector<Edit>();
}

std::vector<Edit> heldSamples(const Question& question, std::int64_t samples) {
    const JsonValue* stated = valueAt(question.root, "workload.global_batch");
    if (stated != nullptr && stated->isNumber()) {
        return {};
    }
    return {{"workload.global_batch", std::to_string(samples), ""}};
}

}  // namespace fabricast
