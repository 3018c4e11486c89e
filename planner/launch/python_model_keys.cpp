#include "planner/launch/python_model_keys.h"

#include "planner/launch/python_functions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

/// A configuration that a call is given by a name: the words of what the name stands for.
std::vector<WordSpan> namedConfigs(const PythonValues& program, std::size_t bracket) {
    std::vector<WordSpan> configs;
    for (const WordSpan& item : program.itemsIn(bracket)) {
        const bool isKeyword = program.isName(item.begin) && program.isSign(item.begin + 1, "=");
        const std::size_t begin = item.begin + (isKeyword ? 2U : 0U);
        const auto given = program.givenTo({begin, item.end});
        if (given && program.textOf(*given).find("Config(") != std::string::npos) {
            configs.push_back(*given);
        }
    }
    return configs;
}

/// Every word of this, with the configurations that it is given by name.
void takeCall(const PythonValues& program, const WordSpan& call, std::set<std::size_t>& words) {
    std::vector<WordSpan> spans = {call};
    for (std::size_t i = call.begin; i < call.end; ++i) {
        if (program.isSign(i, "(")) {
            const std::vector<WordSpan> named = namedConfigs(program, i);
            spans.insert(spans.end(), named.begin(), named.end());
        }
    }
    for (const WordSpan& span : spans) {
        for (std::size_t i = span.begin; i < span.end; ++i) {
            words.insert(i);
        }
    }
}

WordSpan wordsOfDeed(const ModelDeed& deed) {
    return {deed.at, deed.kind == ModelDeed::Kind::Sets ? deed.at + 1 : deed.said.end + 1};
}

/// Where adapters are merged for the last time; 0: nowhere.
std::size_t afterMerge(const PythonModel& model) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < model.deeds.size(); ++i) {
        count = takesAdapters(model.deeds[i]) ? i + 1 : count;
    }
    return count;
}

/// What is made trained where none of the models that are followed is met: "freeze" in a method.
void addUnmetSwitches(const PythonValues& program,
                      const PythonCourse& course,
                      const PythonModels& models,
                      LaunchKeys& keys) {
    std::set<std::int64_t> met;
    for (const PythonModel& one : models.all) {
        for (const ModelDeed& deed : one.deeds) {
            met.insert(program.words()[deed.at].line);
        }
    }
    for (std::size_t i = 2; i < program.words().size(); ++i) {
        const PythonWord& word = program.words()[i];
        const bool sets = word.text == "requires_grad" && program.isSign(i + 1, "=");
        const bool calls = word.text == "requires_grad_" && program.isSign(i + 1, "(");
        const bool isOfInput =
            program.isName(i - 2) && program.words()[i - 2].text.find("put") != std::string::npos;
        const bool isDead = course.leavesOut(i);
        if (program.isName(i) && program.isSign(i - 1, ".") && (sets || calls) && !isDead &&
            !isOfInput && !met.contains(word.line)) {
            keys.add(
                {.path = kModelTrains, .values = {}, .line = word.line, .column = word.column});
        }
    }
}

/// An optimizer of some weights, where the others are not frozen: they have gradients and no
/// states.
void addOptimizedPart(const PythonValues& program, const PythonModels& models, LaunchKeys& keys) {
    constexpr std::array<std::string_view, 4> kAll = {"", "model", "transformer", "base_model"};
    if (models.optimized.size() != 1 || keys.find(kModelTrains) != nullptr ||
        keys.find(kModelAdapters) != nullptr) {
        return;
    }
    const OptimizedPart& one = models.optimized.front();
    if (std::ranges::find(kAll, one.part) == kAll.end()) {
        const PythonWord& word = program.words()[one.at];
        keys.add({.path = kOptimizedPart,
                  .values = {word.text, one.part},
                  .line = word.line,
                  .column = word.column});
    }
}

bool namesEvaluation(std::string_view text) {
    return text.find("eval") != std::string_view::npos ||
           text.find("valid") != std::string_view::npos ||
           text.find("val_") != std::string_view::npos ||
           text.find("test") != std::string_view::npos;
}

/// The name of the function that a word stands in, and of what its innermost loop goes through.
std::string evaluationWords(const PythonValues& program,
                            const ModelPass& pass,
                            const PythonBlock& loop) {
    std::string text = program.textOf(loop.head);
    for (const PythonFunction& one : functionsOf(program)) {
        const bool isIn = pass.at >= one.body.begin && pass.at < one.body.end && !one.isClass;
        text += isIn ? " " + one.name : "";
    }
    return text;
}

/// A loop of an evaluation that calls the model, and has neither torch.no_grad() nor a backward.
void addEvaluationGraph(const PythonValues& program, const PythonModels& models, LaunchKeys& keys) {
    for (const ModelPass& pass : models.passes) {
        const auto loop = std::ranges::find(
            pass.within.rbegin(), pass.within.rend(), PythonBlock::Kind::Loop, &PythonBlock::kind);
        const bool isWithout = std::ranges::any_of(pass.within, [](const PythonBlock& one) {
            return one.kind == PythonBlock::Kind::WithoutGradients;
        });
        if (pass.isBackward || isWithout || pass.model != *models.trained ||
            loop == pass.within.rend() || !namesEvaluation(evaluationWords(program, pass, *loop))) {
            continue;
        }
        const bool trains = std::ranges::any_of(models.passes, [&loop](const ModelPass& one) {
            return one.isBackward &&
                   std::ranges::find(one.within, loop->at, &PythonBlock::at) != one.within.end();
        });
        if (!trains) {
            const PythonWord& word = program.words()[pass.at];
            keys.add(
                {.path = kEvaluationGraph, .values = {}, .line = word.line, .column = word.column});
            return;
        }
    }
}

}  // namespace

std::vector<bool> wordsOfOthers(const PythonValues& program, const PythonModels& models) {
    std::set<std::size_t> others;
    std::set<std::size_t> own;
    for (std::size_t i = 0; models.trained && i < models.all.size(); ++i) {
        const PythonModel& one = models.all[i];
        const bool isTrained = i == *models.trained;
        if (!isTrained && !one.isKept && !one.isAfterwards) {
            continue;  // one of two that a condition chooses from
        }
        takeCall(program, one.call, isTrained ? own : others);
        const std::size_t merged = isTrained ? afterMerge(one) : one.deeds.size();
        for (std::size_t k = 0; k < one.deeds.size(); ++k) {
            const ModelDeed& deed = one.deeds[k];
            const bool isMerged = isTrained && k < merged && givesAdapters(deed);
            if (!isTrained || isMerged) {
                takeCall(program, wordsOfDeed(deed), others);
            } else {
                takeCall(program, wordsOfDeed(deed), own);
            }
        }
    }
    std::vector<bool> is(program.words().size(), false);
    for (const std::size_t word : others) {
        is[word] = !own.contains(word);
    }
    return is;
}

void addModelKeys(const PythonValues& program,
                  const PythonCourse& course,
                  const PythonModels& models,
                  LaunchKeys& keys) {
    if (!models.trained) {
        if (models.all.size() > 1) {
            const PythonWord& word = program.words()[models.all.back().call.begin];
            keys.add({.path = kAnyModel, .values = {}, .line = word.line, .column = word.column});
        }
        return;
    }
    for (const ModelDeed& deed : models.all[*models.trained].deeds) {
        addDeedKey(program, deed, keys);
    }
    addUnmetSwitches(program, course, models, keys);
    addOptimizedPart(program, models, keys);
    addSecondModels(program, models, keys);
    addUnreadModels(program, course, models, keys);
    addModelExtras(program, course, models, keys);
    addEvaluationGraph(program, models, keys);
    const KeptGraphs kept = keptGraphs(program, models.passes, *models.trained);
    if (kept.count != 1) {
        const PythonWord& word = program.words()[kept.at];
        keys.add({.path = kModelGraphs,
                  .values = {std::to_string(kept.count)},
                  .line = word.line,
                  .column = word.column});
    }
}

}  // namespace fabricast
