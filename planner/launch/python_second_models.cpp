#include "planner/launch/python_model_keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

/// The first argument of a call that loads a model.
std::string nameOfModel(const PythonValues& program, const PythonModel& model) {
    if (!model.name.empty()) {
        return model.name;
    }
    std::size_t bracket = model.call.begin;
    while (!program.isSign(bracket, "(")) {
        ++bracket;
    }
    for (const WordSpan& item : program.itemsIn(bracket)) {
        const bool isKeyword = program.isName(item.begin) && program.isSign(item.begin + 1, "=");
        const std::string name = isKeyword ? program.words()[item.begin].text : "0";
        if (name == "0" || name == "pretrained_model_name_or_path" || name == "model_name") {
            const std::vector<std::string> values =
                program.valuesOf({item.begin + (isKeyword ? 2U : 0U), item.end});
            return values.size() == 1 ? values.front() : "";
        }
    }
    return "";
}

/// All of it: textOf is cut.
std::string textIn(const PythonValues& program, const WordSpan& span) {
    std::string text;
    for (std::size_t i = span.begin; i < span.end; ++i) {
        text += program.words()[i].text;
    }
    return text;
}

/// The class or method that loads a model is told its type; empty: that of the checkpoint.
std::string typeLoaded(const PythonValues& program, const PythonModel& model) {
    std::size_t bracket = model.call.begin;
    while (!program.isSign(bracket, "(")) {
        ++bracket;
    }
    for (const WordSpan& item : program.itemsIn(bracket)) {
        const bool isType =
            program.isName(item.begin, "dtype") || program.isName(item.begin, "torch_dtype");
        if (!isType || !program.isSign(item.begin + 1, "=")) {
            continue;
        }
        const std::vector<std::string> values = program.valuesOf({item.begin + 2, item.end});
        const std::string type = values.size() == 1 ? values.front() : "$";
        return type == "auto" || type == "null" ? "" : type.substr(type.rfind('.') + 1);
    }
    return program.isName(bracket - 1, "from_pretrained") || !model.name.empty() ? "" : "float32";
}

/// The type of its weights where the training starts, or when it is copied at that word.
std::string typeOfModel(const PythonValues& program,
                        const PythonModels& models,
                        const PythonModel& model,
                        std::size_t until) {
    std::string type =
        model.copyOf ? typeOfModel(program, models, models.all[*model.copyOf], model.call.begin)
                     : typeLoaded(program, model);
    LaunchKeys casts("");
    for (const ModelDeed& deed : model.deeds) {
        if (deed.at < until) {
            addDeedKey(program, deed, casts);
        }
    }
    const LaunchKey* const cast = casts.find(kModelDtype);
    return cast == nullptr ? type : cast->values.front();
}

/// "ema = copy.deepcopy(model)": what it is called says what it is for.
bool isNamedAverage(const PythonValues& program, const PythonModel& copy) {
    using namespace std::string_view_literals;
    constexpr std::array kNames = {"ema"sv, "avg"sv, "averag"sv, "shadow"sv, "swa"sv};
    std::size_t at = copy.call.begin;
    while (at > 0 && program.words()[at - 1].kind != PythonWord::Kind::End) {
        --at;
    }
    std::string name;
    for (; at < copy.call.begin && !program.isSign(at, "="); ++at) {
        for (const char letter : program.words()[at].text) {
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        }
    }
    return std::ranges::any_of(
        kNames, [&name](std::string_view one) { return name.find(one) != std::string::npos; });
}

/// The model whose copy it is, by itself or by a copy of it.
std::size_t loadedAs(const PythonModels& models, std::size_t model) {
    while (models.all[model].copyOf) {
        model = *models.all[model].copyOf;
    }
    return model;
}

/// "same" where it has as many weights as the one that is trained.
std::string kindOfSecond(const PythonValues& program,
                         const PythonModels& models,
                         std::size_t second) {
    const std::size_t loaded = loadedAs(models, second);
    const PythonModel& trained = models.all[*models.trained];
    const std::string call = textIn(program, models.all[loaded].call);
    if (call.find("quantization_config") != std::string::npos ||
        call.find("load_in_") != std::string::npos) {
        return kQuantisedModel;
    }
    const std::string name = nameOfModel(program, models.all[loaded]);
    const bool isCopy = loaded == loadedAs(models, *models.trained);
    return isCopy || (!name.empty() && name == nameOfModel(program, trained)) ? kSameModel : "";
}

}  // namespace

void addSecondModels(const PythonValues& program, const PythonModels& models, LaunchKeys& keys) {
    std::set<std::size_t> said;
    for (std::size_t i = 0; i < models.all.size(); ++i) {
        const PythonModel& one = models.all[i];
        const bool isOther = i != *models.trained && !one.isAfterwards && one.isKept;
        if (!isOther || !said.insert(one.call.begin).second) {
            continue;
        }
        const bool isAverage = one.isAverage || (one.copyOf && isNamedAverage(program, one));
        const PythonWord& word = program.words()[one.call.begin];
        keys.add({.path = one.isOnGpu ? kSecondModel : kHostModel,
                  .values = {nameOfModel(program, models.all[loadedAs(models, i)]),
                             kindOfSecond(program, models, i),
                             typeOfModel(program, models, one, program.words().size()),
                             isAverage ? kAverageModel : "",
                             one.isSharded ? kShardedModel : ""},
                  .line = word.line,
                  .column = word.column});
    }
}

}  // namespace fabricast
