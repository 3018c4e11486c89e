#include "planner/launch/launch_keys.h"
#include "planner/launch/linear_names.h"
#include "planner/launch/own_loss.h"
#include "planner/launch/parsed_arguments.h"
#include "planner/launch/possible_lengths.h"
#include "planner/launch/python_assignments.h"
#include "planner/launch/python_branches.h"
#include "planner/launch/python_classes.h"
#include "planner/launch/python_functions.h"
#include "planner/launch/python_model_keys.h"
#include "planner/launch/python_scopes.h"
#include "planner/launch/python_start.h"
#include "planner/launch/resharding.h"
#include "planner/launch/sample_sizes.h"
#include "planner/launch/set_arguments.h"
#include "planner/launch/zeroed_gradients.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

using WordKind = PythonWord::Kind;

class PythonKeyReader {
public:
    PythonKeyReader(std::vector<PythonWord> words, const std::string& source, PythonStart start)
        : program_(std::move(words), std::move(start)), words_(program_.words()), keys_(source) {}

    Result<LaunchKeys> read() {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            addArguments(i);
        }
        addParsers();
        nameObjects(functions_, program_);
        readNames();
        const ParsedArguments parsed = parsedArgumentsOf(program_);
        nameFields(parsed, program_);
        course_ = courseOf(program_);
        leaveOutUnreachable(program_, course_);
        leaveOutUncalled(program_, course_);
        leaveOutIdleObjects(program_, course_);
        program_.forgetNames();
        readNames();  // of what runs
        addParsedArguments(program_, parsed, keys_);
        for (const auto& [object, place] : parsed.objects) {
            if (const std::string& base = parsed.classes[place].base; !base.empty()) {
                classes_.insert_or_assign(object, base);
            }
        }
        const PythonModels models = modelsOf(program_, course_);
        const std::vector<bool> isOfOthers = wordsOfOthers(program_, models);
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (isDead(i) || isOfOthers[i]) {
                continue;
            }
            if (const auto value = assignedAt(program_, i)) {
                addKey(words_[program_.endOfName(i) - 1].text, *value, words_[i]);
                addAttribute(i, *value);
            }
            for (const auto& [name, one] : pairsAt(program_, i)) {
                addKey(words_[name].text, one, words_[name]);
            }
            if (isCall(i) && !isOfOwnClass(i)) {
                addCall(i);
                addSetters(i);
            }
            if (const auto variable = variableSetAt(program_, i)) {
                addKey(variable->path, variable->value, words_[variable->name]);
            }
            addDefinition(i);
            for (LaunchKey& key : statementKeys(program_, i)) {
                keys_.add(std::move(key));
            }
            if (keys_.all().size() > kMostLaunchKeys || entries_ > kMostLaunchKeys) {
                return fail(Error::Code::BadInput,
                            keys_.source(),
                            "has more calls than a training script",
                            "the script that starts the training");
            }
        }
        addModelKeys(program_, course_, models, keys_);
        addSomeCheckpoints(program_, course_, keys_);
        addWholeUnit(program_, course_, models, keys_);
        addOwnLoss(program_, course_, keys_);
        addLoopLoss(program_, course_, models, keys_);
        addHeldLogits(program_, models, keys_);
        addPieces(program_, course_, keys_);
        addSplitBatch(program_, course_, keys_);
        addAccumulation(program_, course_, keys_);
        addKeptGradients(program_, course_, models, keys_);
        addReshardedParts(program_, course_, keys_);
        addParsed();
        addPossibleLengths(program_, course_, parsed, keys_);
        return std::move(keys_);
    }

private:
    void readNames() {
        program_.enterScopes(scopesOf(program_, course_));
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const auto value = isDead(i) ? std::nullopt : assignedAt(program_, i);
            if (value) {
                nameValue(i, *value);
                forgetArgument(i);
            } else if (!isDead(i) && !setsItem(i) && isChanged(program_, i)) {
                program_.forgetValue(nameBegunAt(program_, i));
            }
            for (const auto& [name, one] : isDead(i) ? NamedWords() : pairsAt(program_, i)) {
                program_.nameValue(words_[name].text, one);
            }
            for (const std::size_t name : loopedAt(program_, i)) {
                program_.forgetLooped(words_[name].text);
            }
            if (!isDead(i) && isMemberChanged(program_, i)) {
                program_.forgetMember(words_[i + 2].text);
            }
        }
        program_.settle();
    }

    [[nodiscard]] bool isDead(std::size_t at) const { return course_.leavesOut(at); }

    [[nodiscard]] bool isSign(std::size_t at, std::string_view sign) const {
        return program_.isSign(at, sign);
    }
    [[nodiscard]] bool isName(std::size_t at) const { return program_.isName(at); }

    /// "config["a"]["b"] = 1" behind "config = {…}", in the same block: true where it is kept as
    /// an item of that dictionary.
    bool setsItem(std::size_t at) {
        const std::size_t equals =
            beginsWithName(program_, at) ? behindItems(program_, at + 1) : at;
        const auto made = isName(at) ? dictionaryAt_.find(words_[at].text) : dictionaryAt_.end();
        if (made == dictionaryAt_.end() || equals == at + 1 || !isSign(equals, "=")) {
            return false;
        }
        const WordSpan value{equals + 1, endOfStatement(program_, equals + 1)};
        const std::string path = pathOfItems(program_, at + 1);
        const bool isOne = !program_.isDictionary(value) && !program_.isName(value.begin, "None");
        if (path.empty() || !isOne || !isSameBlock(program_, made->second, at)) {
            return false;
        }
        program_.setItem(words_[at].text, {path, at, value});
        return true;
    }

    /// "a = Call(…)" makes a of that class.
    void nameValue(std::size_t at, const WordSpan& value) {
        program_.nameValue(nameBegunAt(program_, at), value);
        const std::size_t bracket = isName(value.begin) ? program_.endOfName(value.begin) : 0;
        if (program_.endOfName(at) == at + 1 && bracket > 0 && isSign(bracket, "(")) {
            classes_.emplace(words_[at].text, words_[bracket - 1].text);
            madeAt_.emplace(words_[at].text, at);
        }
        if (program_.isDictionary(value)) {
            dictionaryAt_.insert_or_assign(words_[at].text, at);
        }
    }

    /// "a.b = …" of what Call(…) made says Call.b again.
    void addAttribute(std::size_t at, const WordSpan& value) {
        const auto found = classes_.find(words_[at].text);
        if (found != classes_.end() && program_.endOfName(at) == at + 3 && !isAfterTraining(at)) {
            const std::string path = found->second + "." + words_[at + 2].text;
            sayAnew(path, words_[at].text, program_.valuesOf(value), at);
            addKey(path, value, words_[at]);
        }
    }

    [[nodiscard]] bool isAfterTraining(std::size_t at) const {
        return followsTraining(program_, course_, classes_, at);
    }

    /// What holds now of what Call(…) made, where the same block makes and changes it.
    void sayAnew(const std::string& path,
                 const std::string& object,
                 const std::vector<std::string>& values,
                 std::size_t at) {
        const auto made = madeAt_.find(object);
        if (made != madeAt_.end() && values.size() == 1 &&
            isSameBlock(program_, made->second, at)) {
            keys_.say(path, values.front());
        }
    }

    /// args.set_training(batch_size=16) of a Trainer's arguments.
    void addSetters(std::size_t at) {
        const std::size_t object = objectSetAt(program_, at);
        const std::string& name = words_[object].text;
        const auto found = object > 0 ? classes_.find(name) : classes_.end();
        if (found == classes_.end() || !holdsTrainerArguments(found->second) ||
            isAfterTraining(at)) {
            return;
        }
        const std::size_t first = beginOfLine(program_, at);
        for (const SetArgument& one : setArgumentsAt(program_, at)) {
            const std::string path = found->second + "." + one.field;
            if (words_[first].text == name || first == at) {
                sayAnew(path, name, one.values, first);
            }
            keys_.add({.path = path,
                       .values = one.values,
                       .line = words_[one.at].line,
                       .column = words_[one.at].column,
                       .onlyIf = conditionOf(at)});
        }
    }

    void forgetArgument(std::size_t at) {
        if (program_.endOfName(at) == at + 3) {
            program_.forgetArgument(words_[at].text, words_[at + 2].text);
        }
    }

    /// Functions that parse the arguments.
    void addParsers() {
        functions_ = functionsOf(program_);
        for (const PythonFunction& one : functions_) {
            for (std::size_t i = one.body.begin; i < one.body.end && !one.isClass; ++i) {
                if (isCall(i) && words_[i].text == "parse_args") {
                    program_.addParser(one.name);
                    break;
                }
            }
        }
    }

    void addParsed() {
        for (const auto& [name, argument] : program_.parsedArguments()) {
            keys_.add({.path = kParsedArgument + name,
                       .values = argument.values,
                       .line = words_[argument.at].line,
                       .column = words_[argument.at].column});
        }
        if (std::optional<LaunchKey> untyped = untypedSwitches(program_, course_)) {
            keys_.add(*std::move(untyped));
        }
    }

    /// What argparse is told, and the name that its arguments are given to.
    void addArguments(std::size_t at) {
        const auto calls = [&](std::size_t name, std::string_view method) {
            return isCall(name) && words_[name].text == method;
        };
        if (calls(at, "add_argument")) {
            program_.addArgument(at + 1);
        } else if (calls(at, "setattr")) {
            program_.forgetMember(PythonValues::kAnyMember);
        } else if (calls(at, "parse_known_args")) {
            std::size_t begin = at;
            while (begin > 0 && words_[begin - 1].kind != WordKind::End &&
                   !isSign(begin - 1, ";")) {
                --begin;
            }
            program_.nameArguments(words_[begin].text);
        } else if (const auto value = assignedAt(program_, at); value && isName(value->begin)) {
            const std::size_t last = program_.endOfName(value->begin) - 1;
            if (program_.endOfName(at) == at + 1 && calls(last, "parse_args")) {
                program_.nameArguments(words_[at].text);
            }
        }
    }

    [[nodiscard]] bool isDefinition(std::size_t at) const {
        return isName(at) && words_[at].text == "def" && isName(at + 1);
    }

    /// "def" where a function begins: what stands in it runs when it is called.
    void addDefinition(std::size_t at) {
        if (isDefinition(at)) {
            keys_.add({.path = "def",
                       .values = {words_[at + 1].text},
                       .line = words_[at].line,
                       .column = words_[at].column});
        }
    }

    [[nodiscard]] bool isCall(std::size_t at) const {
        const bool defines = at > 0 && isName(at - 1) &&
                             (words_[at - 1].text == "def" || words_[at - 1].text == "class");
        return isName(at) && isSign(at + 1, "(") && !defines;
    }

    /// Whether it switches checkpoints of an object of the program's own that is no model.
    [[nodiscard]] bool isOfOwnClass(std::size_t at) const {
        const bool isSwitch = words_[at].text == "gradient_checkpointing_enable" ||
                              words_[at].text == "gradient_checkpointing_disable";
        const auto made = isSwitch && at >= 2 ? classes_.find(words_[at - 2].text) : classes_.end();
        return made != classes_.end() && isPlainClass(program_, functions_, made->second);
    }

    void addKey(const std::string& path, const WordSpan& value, const PythonWord& at) {
        keys_.add({.path = path,
                   .values = program_.valuesOf(value),
                   .line = at.line,
                   .column = at.column,
                   .onlyIf = conditionOf(value.begin)});
    }

    /// What decides whether this runs, and is not known.
    [[nodiscard]] std::string conditionOf(std::size_t at) const {
        return at < course_.decidedBy.size() ? program_.textOf(course_.decidedBy[at]) : "";
    }

    /// "AdamW" with the whole name that calls it, "AdamW.0" and "AdamW.lr" with its arguments.
    void addCall(std::size_t at) {
        const std::string& name = words_[at].text;
        std::size_t first = at;
        while (first >= 2 && isSign(first - 1, ".") && isName(first - 2)) {
            first -= 2;
        }
        std::string whole;
        for (std::size_t i = first; i <= at; ++i) {
            whole += words_[i].text;
        }
        keys_.add({.path = name,
                   .values = {std::move(whole)},
                   .line = words_[at].line,
                   .column = words_[at].column,
                   .onlyIf = conditionOf(at)});
        if (startsByArguments(keys_.all().back().values.front())) {
            keys_.add({.path = kOwnParser,
                       .values = {},
                       .line = words_[at].line,
                       .column = words_[at].column});
        }
        int position = 0;
        for (const WordSpan& item : program_.itemsIn(at + 1)) {
            const bool isKeyword = isName(item.begin) && isSign(item.begin + 1, "=");
            const bool isSpread = isSign(item.begin, "*") || isSign(item.begin, "**");
            if (isSign(item.begin, "**")) {
                addSpread(name, {item.begin + 1, item.end});
            } else if (isKeyword) {
                const std::string path = name + "." + words_[item.begin].text;
                addKey(path, {item.begin + 2, item.end}, words_[item.begin]);
                if (words_[item.begin].text == "target_modules" &&
                    findsAllLinears(program_, functions_, keys_.find(path)->values)) {
                    keys_.say(path, "all-linear");
                }
                addEntries(path, {item.begin + 2, item.end}, 1);
            } else if (!isSpread) {
                addKey(name + "." + std::to_string(position), item, words_[item.begin]);
                ++position;
            }
        }
    }

    /// "f.lr" of f(**{"lr": 1e-3}), and "f.**" where nobody knows what is in it.
    void addSpread(const std::string& name, const WordSpan& value) {
        if (program_.isDictionary(program_.dictionaryOf(value))) {
            addEntries(name, value, 0);
        } else {
            addKey(name + ".**", value, words_[value.begin]);
        }
    }

    /// "f.config.stage" of f(config={"stage": 3}), of dict(stage=3), and of a name that is given
    /// one of these.
    void addEntries(const std::string& path, const WordSpan& value, int level) {
        const WordSpan dictionary = program_.dictionaryOf(value);
        const bool isEndless = level > kMostLaunchLevels || entries_ > kMostLaunchKeys;
        if (isEndless || !program_.isDictionary(dictionary)) {
            return;
        }
        const bool isCalled = isName(dictionary.begin);
        for (const WordSpan& item : program_.itemsIn(dictionary.begin + (isCalled ? 1 : 0))) {
            const PythonWord& name = words_[item.begin];
            if (!isSign(item.begin + 1, isCalled ? "=" : ":") ||
                (name.kind != WordKind::Text && name.kind != WordKind::Name)) {
                continue;
            }
            ++entries_;
            const WordSpan said{item.begin + 2, item.end};
            if (program_.isDictionary(program_.dictionaryOf(said))) {
                addEntries(path + "." + name.text, said, level + 1);
            } else {
                addKey(path + "." + name.text, said, name);
            }
        }
        for (const PythonValues::ItemSet& set : program_.itemsSet(value)) {
            addKey(path + "." + set.path, set.value, words_[set.at]);
        }
    }

    PythonValues program_;
    const std::vector<PythonWord>& words_;
    LaunchKeys keys_;
    PythonCourse course_;
    std::vector<PythonFunction> functions_;
    std::map<std::string, std::string> classes_;       ///< of names that a call was given to
    std::map<std::string, std::size_t> madeAt_;        ///< their names, where that is
    std::map<std::string, std::size_t> dictionaryAt_;  ///< names that are given one, where
    std::size_t entries_ = 0;  ///< one dictionary may stand in another, many times
};

}  // namespace

Result<LaunchKeys> readPythonKeys(std::string_view text, const std::string& source) {
    return readPythonKeys(text, source, PythonStart());
}

Result<LaunchKeys> readPythonKeys(std::string_view text,
                                  const std::string& source,
                                  PythonStart start) {
    FABRICAST_ASSIGN(std::vector<PythonWord> words, readPythonWords(text, source));
    for (PythonWord& word : words) {  // the name that it had in peft before 0.3
        word.text = word.text == "prepare_model_for_int8_training"
                        ? "prepare_model_for_kbit_training"
                        : word.text;
    }
    return PythonKeyReader(std::move(words), source, std::move(start)).read();
}

}  // namespace fabricast
