#include "planner/launch/python_models.h"

#include "planner/launch/python_functions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// More statements than a program has with its functions; and functions in each other.
constexpr std::size_t kMostStatements = 20'000;
constexpr std::size_t kMostInside = 12;

constexpr std::array kWrappers = {
    "fully_shard"sv, "DistributedDataParallel"sv, "DDP"sv, "FullyShardedDataParallel"sv, "FSDP"sv};
/// Methods that go through a part of a model.
constexpr std::array kWalks = {
    "parameters"sv, "named_parameters"sv, "modules"sv, "children"sv, "values"sv};
/// Keywords that stand where a name may.
constexpr std::array kKeywords = {"not"sv,
                                  "and"sv,
                                  "or"sv,
                                  "in"sv,
                                  "is"sv,
                                  "if"sv,
                                  "else"sv,
                                  "for"sv,
                                  "await"sv,
                                  "lambda"sv,
                                  "yield"sv,
                                  "with"sv,
                                  "while"sv};
constexpr std::string_view kTrainerPart = "$trainer";

template <class List>
bool isAmong(const List& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
}

std::string lastOf(const std::string& name) {
    return name.substr(name.rfind('.') + 1);
}

/// "model.layers" of "model.layers.float".
std::string withoutLast(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string::npos ? "" : name.substr(0, dot);
}

/// Some model, or a part of it.
struct ModelRef {
    std::size_t model = 0;
    std::string part{};
    std::string named{};
    bool givesNames = false;  ///< named_parameters(): a loop has a name beside each
};
using MaybeRef = std::optional<ModelRef>;
using ModelNames = std::map<std::string, ModelRef>;

class ModelTracer {
public:
    ModelTracer(const PythonValues& program, const PythonCourse& course)
        : program_(program), words_(program.words()), course_(course) {
        for (PythonFunction& one : functionsOf(program)) {
            functions_.emplace(one.at, std::move(one));
        }
        for (const auto& [at, one] : functions_) {
            if (one.isClass && one.bracket != 0 && extendsTrainer(one)) {
                trainers_.insert(one.name);
            } else if (!one.isClass && !one.isMethod) {
                byName_.emplace(one.name, at);
            }
        }
    }

    PythonModels read() {
        ModelNames& names = global_;
        run({0, words_.size()}, names);
        for (const auto& [at, one] : functions_) {
            if (!models_.trained && !one.isClass && !ran_.contains(at) && !isDead(at)) {
                ModelNames inside = names;
                for (const WordSpan& item : parametersOf(one)) {
                    inside.erase(words_[item.begin].text);
                }
                run(one.body, inside);
                keepAttributes(inside, names);
            }
        }
        if (models_.trained && !isTraining_ && deedsBefore_) {
            leaveOutWhatFollows();
        }
        return std::move(models_);
    }

private:
    /// Where the program does not show when its Trainer trains: as soon as it is made.
    void leaveOutWhatFollows() {
        std::vector<ModelDeed>& deeds = models_.all[*models_.trained].deeds;
        deeds.resize(std::min(deeds.size(), *deedsBefore_));
        for (std::size_t i = modelsBefore_; i < models_.all.size(); ++i) {
            models_.all[i].isAfterwards = true;
        }
    }

    struct Argument {
        std::string name;  ///< empty: by its place
        WordSpan value;
        MaybeRef ref{};
    };

    [[nodiscard]] bool isDead(std::size_t at) const {
        return at < course_.isDead.size() && course_.isDead[at];
    }
    [[nodiscard]] bool isEnd(std::size_t at) const {
        return at >= words_.size() || words_[at].kind == PythonWord::Kind::End;
    }
    [[nodiscard]] bool isWord(std::size_t at, std::string_view name) const {
        return program_.isName(at) && words_[at].text == name;
    }
    [[nodiscard]] bool isSign(std::size_t at, std::string_view sign) const {
        return program_.isSign(at, sign);
    }
    [[nodiscard]] std::size_t behindWord(std::size_t at) const {
        return program_.isOpening(at) ? words_[at].close + 1 : at + 1;
    }
    /// The first of these signs outside brackets, before the statement ends.
    [[nodiscard]] std::size_t placeOf(WordSpan span, std::string_view sign) const {
        while (span.begin < span.end && !isEnd(span.begin) && !isSign(span.begin, sign)) {
            span.begin = behindWord(span.begin);
        }
        return std::min(span.begin, span.end);
    }
    [[nodiscard]] std::size_t endOfStatement(std::size_t at) const {
        return placeOf({at, words_.size()}, ";");
    }
    [[nodiscard]] std::vector<WordSpan> partsOf(WordSpan span) const {
        if (isSign(span.begin, "(") && words_[span.begin].close + 1 == span.end) {
            return program_.itemsIn(span.begin);
        }
        std::vector<WordSpan> parts;
        while (span.begin < span.end) {
            const std::size_t comma = placeOf(span, ",");
            parts.push_back({span.begin, comma});
            span.begin = comma + 1;
        }
        return parts;
    }
    [[nodiscard]] bool extendsTrainer(const PythonFunction& one) const {
        return std::ranges::any_of(program_.itemsIn(one.bracket), [this](const WordSpan& base) {
            return program_.textOf(base).ends_with("Trainer");
        });
    }
    [[nodiscard]] bool isTrainer(const std::string& name) const {
        return name.ends_with("Trainer") || trainers_.contains(name);
    }
    [[nodiscard]] std::vector<WordSpan> parametersOf(const PythonFunction& one) const {
        return one.bracket == 0 ? std::vector<WordSpan>() : program_.itemsIn(one.bracket);
    }

    /// "self.model" is the same in all methods.
    static void keepAttributes(const ModelNames& inside, ModelNames& names) {
        for (const auto& [name, ref] : inside) {
            if (name.starts_with("self.")) {
                names.insert_or_assign(name, ref);
            }
        }
    }

    // NOLINTNEXTLINE(misc-no-recursion): kMostInside functions
    MaybeRef run(const WordSpan& body, ModelNames& names) {
        const std::size_t outer = around_.size();
        MaybeRef returned;
        std::size_t at = body.begin;
        while (at < body.end && statements_ < kMostStatements) {
            if (isEnd(at) || isSign(at, ";")) {
                ++at;
                continue;
            }
            ++statements_;
            const bool isLine = at == 0 || isEnd(at - 1);
            if (isLine) {
                leaveConditions(outer, at);
            }
            const auto function = functions_.find(at + (isWord(at, "async") ? 1U : 0U));
            if (function != functions_.end()) {
                at = std::max(function->second.body.end, at + 1);
            } else if (isDead(at)) {
                at = std::max(endOfStatement(at), at + 1);
            } else if (const std::size_t head = headAt(at, names); head != at) {
                at = head;
            } else {
                const std::size_t end = std::max(endOfStatement(at), at + 1);
                const MaybeRef ref = runSimple({at, end}, names);
                returned = isWord(at, "return") && !returned ? ref : returned;
                at = end;
            }
        }
        around_.resize(outer);
        return returned;
    }

    struct Around {
        std::int64_t column = 0;
        PythonCondition condition;
        bool isBlock = false;  ///< of what follows a "continue"
    };

    /// What a line of this column stands no longer within.
    void leaveConditions(std::size_t outer, std::size_t at) {
        const std::int64_t column = words_[at].column;
        const bool continues = isWord(at, "elif") || isWord(at, "else");
        while (around_.size() > outer && around_.back().column >= column &&
               !(continues && around_.back().column == column)) {
            around_.pop_back();
        }
        if (continues && around_.size() > outer && around_.back().column == column) {
            around_.back().condition.isNot = true;
        }
    }

    /// Behind the colon of "for", "if" and their like; `at` where none of them begins here.
    // NOLINTNEXTLINE(misc-no-recursion): as run
    std::size_t headAt(std::size_t at, ModelNames& names) {
        constexpr std::array kHeads = {"for"sv,
                                       "if"sv,
                                       "elif"sv,
                                       "else"sv,
                                       "while"sv,
                                       "with"sv,
                                       "try"sv,
                                       "except"sv,
                                       "finally"sv,
                                       "async"sv};
        if (!program_.isName(at) || !isAmong(kHeads, words_[at].text)) {
            return at;
        }
        const std::size_t colon = placeOf({at + 1, words_.size()}, ":");
        if (!isSign(colon, ":")) {
            return at;
        }
        const WordSpan head{at + 1, colon};
        if (isWord(at, "for")) {
            bindLoop(head, names);
            loopColumn_ = words_[at].column;
        } else if (isWord(at, "if") || isWord(at, "elif")) {
            (void)evaluate(head, names);
            if (!holds(program_, head)) {
                around_.push_back({words_[at].column, {head, false}});
            }
        } else {
            (void)evaluate(head, names);
        }
        return colon + 1;
    }

    // NOLINTNEXTLINE(misc-no-recursion): as run
    void bindLoop(const WordSpan& head, ModelNames& names) {
        std::size_t in = head.begin;
        while (in < head.end && !isWord(in, "in")) {
            in = behindWord(in);
        }
        const std::vector<WordSpan> targets = partsOf({head.begin, in});
        MaybeRef ref = evaluate({std::min(in + 1, head.end), head.end}, names);
        for (const WordSpan& target : targets) {
            names.erase(program_.textOf(target));
        }
        if (ref && !targets.empty()) {
            ref->named = ref->givesNames ? program_.textOf(targets.front()) : "";
            ref->givesNames = false;
            names.insert_or_assign(program_.textOf(targets.back()), *ref);
        }
    }

    // NOLINTNEXTLINE(misc-no-recursion): as run
    MaybeRef runSimple(WordSpan span, ModelNames& names) {
        if (isWord(span.begin, "continue") && !around_.empty()) {
            Around& last = around_.back();
            last.condition.isNot = !last.condition.isNot;
            last.column = std::min(last.column, loopColumn_ + 1);
            return std::nullopt;
        }
        if (isWord(span.begin, "return")) {
            for (const WordSpan& part : partsOf({span.begin + 1, span.end})) {
                if (const MaybeRef ref = evaluate(part, names)) {
                    return ref;
                }
            }
            return std::nullopt;
        }
        std::size_t equals = placeOf(span, "=");
        if (equals == span.end) {
            return evaluate(span, names);
        }
        const WordSpan value{equals + 1, span.end};
        const std::size_t colon = placeOf({span.begin, equals}, ":");
        const std::vector<WordSpan> targets = partsOf({span.begin, colon});
        const std::vector<WordSpan> values = partsOf(value);
        if (targets.size() > 1 && targets.size() == values.size()) {
            std::vector<MaybeRef> refs;
            for (const WordSpan& one : values) {
                refs.push_back(evaluate(one, names));
            }
            for (std::size_t i = 0; i < targets.size(); ++i) {
                assign(targets[i], refs[i], values[i], names);
            }
            return std::nullopt;
        }
        const MaybeRef ref = evaluate(value, names);
        const std::size_t model = placeOfModel(targets);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            assign(targets[i], i == model ? ref : std::nullopt, value, names);
        }
        return std::nullopt;
    }

    /// Of "model, tokenizer = load()" and "tokenizer, model = load()".
    [[nodiscard]] std::size_t placeOfModel(const std::vector<WordSpan>& targets) const {
        const auto found = std::ranges::find_if(targets, [this](const WordSpan& one) {
            return program_.textOf(one).find("model") != std::string::npos;
        });
        return found == targets.end() ? 0 : static_cast<std::size_t>(found - targets.begin());
    }

    void assign(const WordSpan& target,
                const MaybeRef& ref,
                const WordSpan& value,
                ModelNames& names) {
        const std::string name = program_.textOf(target);
        const MaybeRef whole = names.contains(name) ? std::nullopt : resolve(name, names);
        if (whole && !whole->part.empty()) {
            ModelRef owner = *whole;
            owner.part = withoutLast(whole->part);
            addDeed(ModelDeed::Kind::Sets, lastOf(whole->part), owner, target.begin, value);
        } else if (ref) {
            names.insert_or_assign(name, *ref);
        } else {
            names.erase(name);
        }
    }

    /// What a dotted name is of some model.
    static MaybeRef resolve(const std::string& name, const ModelNames& names) {
        for (std::size_t end = name.size(); end != std::string::npos && end > 0;
             end = name.rfind('.', end - 1)) {
            const auto found = names.find(name.substr(0, end));
            if (found != names.end()) {
                ModelRef ref = found->second;
                const std::string rest = end < name.size() ? name.substr(end + 1) : "";
                ref.part += ref.part.empty() || rest.empty() ? rest : "." + rest;
                return ofTrainer(std::move(ref));
            }
        }
        return std::nullopt;
    }

    /// trainer.model is the model.
    static ModelRef ofTrainer(ModelRef ref) {
        const std::string model = std::string(kTrainerPart) + ".model";
        if (ref.part == model || ref.part.starts_with(model + ".")) {
            ref.part.erase(0, std::min(model.size() + 1, ref.part.size()));
        }
        return ref;
    }

    /// What a value is of some model; calls in it are followed.
    // NOLINTNEXTLINE(misc-no-recursion): brackets in each other are few
    MaybeRef evaluate(WordSpan span, ModelNames& names) {
        span = chosenOf(program_, span);
        while (isSign(span.begin, "(") && words_[span.begin].close + 1 == span.end) {
            span = {span.begin + 1, span.end - 1};
        }
        const std::size_t begin = span.begin;
        MaybeRef only;
        std::size_t at = span.begin;
        while (at < span.end) {
            if (program_.isName(at) && !isAmong(kKeywords, words_[at].text)) {
                const std::size_t first = at;
                const MaybeRef ref = chain(at, names);
                const bool isWhole =
                    first == begin || (first == begin + 1 && isWord(begin, "await"));
                only = isWhole && at >= span.end ? ref : std::nullopt;
            } else if (program_.isOpening(at)) {
                for (const WordSpan& item : program_.itemsIn(at)) {
                    (void)evaluate(item, names);
                }
                at = words_[at].close + 1;
            } else {
                ++at;
            }
        }
        return only;
    }

    /// "a.b(…)[…].c(…)", which begins at a name; `at` is then behind it.
    // NOLINTNEXTLINE(misc-no-recursion): as evaluate
    MaybeRef chain(std::size_t& at, ModelNames& names) {
        const std::size_t first = at;
        at = program_.endOfName(at);
        std::string name = program_.textOf({first, at});
        MaybeRef ref = resolve(name, names);
        while (true) {
            if (isSign(at, "(")) {
                ref = called(name, ref, {first, at}, names);
                name.clear();
                at = words_[at].close + 1;
            } else if (isSign(at, "[")) {
                if (ref) {
                    ref->part += subscriptOf(at);
                }
                at = words_[at].close + 1;
            } else if (isSign(at, ".") && program_.isName(at + 1)) {
                const std::size_t begin = at + 1;
                at = program_.endOfName(begin);
                name = program_.textOf({begin, at});
                if (ref) {
                    ref->part += (ref->part.empty() ? "" : ".") + name;
                    ref = ofTrainer(*ref);
                }
            } else {
                return ref;
            }
        }
    }

    /// "[-4:]" of "[-n:]", where n is a number that the program says, or gives to its function.
    [[nodiscard]] std::string subscriptOf(std::size_t bracket) const {
        std::string text;
        for (std::size_t i = bracket; i <= words_[bracket].close; ++i) {
            const auto given = numbers_.find(words_[i].text);
            const std::vector<std::string> values =
                program_.isName(i) ? program_.valuesOf({i, i + 1}) : std::vector{words_[i].text};
            text += given != numbers_.end() && program_.isName(i) ? given->second
                    : values.size() == 1                          ? values.front()
                                                                  : words_[i].text;
        }
        return text;
    }

    // NOLINTNEXTLINE(misc-no-recursion): as evaluate
    std::vector<Argument> argumentsOf(std::size_t bracket, ModelNames& names) {
        std::vector<Argument> all;
        for (const WordSpan& item : program_.itemsIn(bracket)) {
            const bool isKeyword = program_.isName(item.begin) && isSign(item.begin + 1, "=");
            const WordSpan value{item.begin + (isKeyword ? 2U : 0U), item.end};
            all.push_back(
                {isKeyword ? words_[item.begin].text : "", value, evaluate(value, names)});
        }
        return all;
    }

    static const Argument* argumentFor(const std::vector<Argument>& all,
                                       std::size_t place,
                                       std::string_view name) {
        const auto named = std::ranges::find(all, name, &Argument::name);
        if (named != all.end()) {
            return &*named;
        }
        return place < all.size() && all[place].name.empty() ? &all[place] : nullptr;
    }

    /// What a call gives back of some model. `callee`: the words before its bracket.
    // NOLINTNEXTLINE(misc-no-recursion): as evaluate
    MaybeRef called(const std::string& name,
                    const MaybeRef& ref,
                    const WordSpan& callee,
                    ModelNames& names) {
        const std::size_t bracket = callee.end;
        const std::vector<Argument> arguments = argumentsOf(bracket, names);
        const std::string last = lastOf(name);
        if (ref) {
            return calledOn(*ref, last, bracket);
        }
        const bool loads = last == "from_pretrained" || last == "from_config";
        const bool isOfPeft = name.find("PeftModel") != std::string::npos &&
                              name.find("AutoPeftModel") == std::string::npos;
        if (loads && !isOfPeft && isModelClass(withoutLast(name))) {
            models_.all.push_back({.call = {callee.begin, words_[bracket].close + 1},
                                   .isOnGpu = isLoadedOnGpu(arguments),
                                   .isAfterwards = isTraining_});
            return ModelRef{models_.all.size() - 1};
        }
        const auto function = byName_.find(name);
        if (function != byName_.end()) {
            return runFunction(functions_.at(function->second), arguments);
        }
        const MaybeRef given = givenTo(name, last, bracket, arguments);
        if (isTrainer(last) || isAmong(kWrappers, last)) {
            keepNamed(names);
            keepNamed(global_);
        }
        return given;
    }

    void keepNamed(const ModelNames& names) {
        for (const auto& [name, ref] : names) {
            models_.all[ref.model].isKept = true;
        }
    }

    /// bitsandbytes puts what it quantises there.
    [[nodiscard]] bool isLoadedOnGpu(const std::vector<Argument>& arguments) const {
        return std::ranges::any_of(arguments, [this](const Argument& one) {
            const std::vector<std::string> values = program_.valuesOf(one.value);
            const std::string value = values.size() == 1 ? values.front() : "";
            return one.name == "device_map"            ? value != "cpu" && value != "null"
                   : one.name == "quantization_config" ? value != "null"
                   : one.name.starts_with("load_in_")  ? value == "True"
                                                       : false;
        });
    }

    MaybeRef calledOn(const ModelRef& ref, const std::string& method, std::size_t bracket) {
        if (ref.part.empty()) {
            return std::nullopt;  // model(inputs)
        }
        ModelRef owner = ref;
        owner.part = withoutLast(ref.part);
        if (ref.part.starts_with(kTrainerPart)) {
            isTraining_ = isTraining_ || method == "train";
            return std::nullopt;
        }
        if (isAmong(kWalks, method)) {
            owner.givesNames = method == "named_parameters";
            return owner;
        }
        if (method == "get_input_embeddings" || method == "get_output_embeddings") {
            owner.part = method == "get_input_embeddings" ? "model.embed_tokens" : "lm_head";
            return owner;
        }
        if (method == "get_base_model") {
            return owner;
        }
        if (owner.part.empty() && (method == "to" || method == "cuda")) {
            models_.all[owner.model].isOnGpu = true;
        }
        addDeed(ModelDeed::Kind::Calls,
                method,
                owner,
                bracket - 1,
                {bracket + 1, words_[bracket].close});
        return givesBack(method) ? MaybeRef(owner) : std::nullopt;
    }

    /// Methods that are called for something else than the model.
    static bool givesBack(std::string_view method) {
        constexpr std::array kOthers = {"generate"sv,
                                        "num_parameters"sv,
                                        "state_dict"sv,
                                        "get_memory_footprint"sv,
                                        "forward"sv,
                                        "named_modules"sv,
                                        "get_nb_trainable_parameters"sv,
                                        "named_children"sv,
                                        "numel"sv,
                                        "size"sv,
                                        "dim"sv,
                                        "item"sv};
        return !isAmong(kOthers, method);
    }

    // NOLINTNEXTLINE(misc-no-recursion): as run
    MaybeRef runFunction(const PythonFunction& function, const std::vector<Argument>& arguments) {
        if (inside_.size() >= kMostInside || !inside_.insert(function.at).second) {
            return std::nullopt;
        }
        ran_.insert(function.at);
        ModelNames names;
        std::map<std::string, std::string> numbers;
        std::size_t place = 0;
        for (const WordSpan& item : parametersOf(function)) {
            const std::string& name = words_[item.begin].text;
            const Argument* const given = argumentFor(arguments, place++, name);
            const std::size_t usual = placeOf(item, "=") + 1;
            if (given != nullptr && given->ref) {
                names.insert_or_assign(name, *given->ref);
            }
            const WordSpan value = given != nullptr ? given->value : WordSpan{usual, item.end};
            if (value.begin < value.end) {
                const std::vector<std::string> values = program_.valuesOf(value);
                numbers.emplace(name, values.size() == 1 ? values.front() : "");
            }
        }
        std::swap(numbers_, numbers);
        const MaybeRef returned = run(function.body, names);
        std::swap(numbers_, numbers);
        inside_.erase(function.at);
        return returned;
    }

    /// A function that is not the program's own.
    MaybeRef givenTo(const std::string& name,
                     const std::string& last,
                     std::size_t bracket,
                     const std::vector<Argument>& arguments) {
        const bool wraps = isAmong(kWrappers, last);
        if (isTrainer(last) || wraps) {
            const Argument* const model = argumentFor(arguments, 0, "model");
            for (const Argument& one : arguments) {
                if (one.ref && one.ref->part.empty()) {
                    models_.all[one.ref->model].isOnGpu = true;
                    models_.all[one.ref->model].isKept = true;
                }
            }
            if (model == nullptr || !model->ref) {
                return std::nullopt;
            }
            if (model->ref->part.empty() && !models_.trained) {
                models_.trained = model->ref->model;
                if (!wraps) {
                    deedsBefore_ = models_.all[model->ref->model].deeds.size();
                    modelsBefore_ = models_.all.size();
                }
            }
            return wraps ? model->ref
                         : MaybeRef(ModelRef{model->ref->model, std::string(kTrainerPart)});
        }
        constexpr std::array kPass = {"list"sv, "tuple"sv, "enumerate"sv, "reversed"sv, "tqdm"sv};
        if (isAmong(kPass, name) && !arguments.empty()) {
            return arguments.front().ref;
        }
        if (last == "deepcopy" && !arguments.empty() && arguments.front().ref &&
            arguments.front().ref->part.empty()) {
            const std::size_t model = arguments.front().ref->model;
            PythonModel copy{.call = {bracket - 1, words_[bracket].close + 1},
                             .isOnGpu = models_.all[model].isOnGpu,
                             .isAfterwards = isTraining_,
                             .copyOf = model};
            models_.all.push_back(std::move(copy));
            return ModelRef{models_.all.size() - 1};
        }
        const bool prepares = last == "prepare" || last == "prepare_model";
        for (const Argument& one : arguments) {
            if (!one.ref || !one.ref->part.empty() || one.ref->givesNames) {
                continue;
            }
            models_.all[one.ref->model].isOnGpu |= prepares;
            const bool makes =  // a class
                !last.empty() && std::isupper(static_cast<unsigned char>(last.front())) != 0;
            if (!makes && !prepares && !last.empty()) {
                addDeed(ModelDeed::Kind::IsGiven,
                        last,
                        *one.ref,
                        bracket - 1,
                        {bracket + 1, words_[bracket].close});
            }
            return makes && name.find("Model") == std::string::npos ? std::nullopt : one.ref;
        }
        return std::nullopt;
    }

    void addDeed(ModelDeed::Kind kind,
                 const std::string& name,
                 const ModelRef& ref,
                 std::size_t at,
                 const WordSpan& said) {
        if (isTraining_ || ref.part.starts_with(kTrainerPart)) {
            return;
        }
        ModelDeed deed{.kind = kind,
                       .name = name,
                       .part = ref.part,
                       .at = at,
                       .said = said,
                       .named = ref.named};
        for (const Around& one : around_) {
            deed.where.push_back(one.condition);
        }
        models_.all[ref.model].deeds.push_back(std::move(deed));
    }

    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    const PythonCourse& course_;
    std::map<std::size_t, PythonFunction> functions_;  ///< by the word that defines them
    std::map<std::string, std::size_t> byName_;
    std::set<std::string> trainers_;              ///< classes of the program that are Trainers
    std::map<std::string, std::string> numbers_;  ///< what the function that runs is given
    std::set<std::size_t> ran_;
    std::set<std::size_t> inside_;
    std::vector<Around> around_;
    ModelNames global_;  ///< of what stands in no function
    std::int64_t loopColumn_ = 0;
    std::size_t statements_ = 0;
    bool isTraining_ = false;
    std::optional<std::size_t> deedsBefore_;  ///< of the trained model, when its Trainer is made
    std::size_t modelsBefore_ = 0;
    PythonModels models_;
};

}  // namespace

bool isModelClass(std::string_view called) {
    return called.find("Model") != std::string_view::npos ||
           called.find("ForCausalLM") != std::string_view::npos ||
           called.find("ForSequenceClassification") != std::string_view::npos;
}

PythonModels modelsOf(const PythonValues& program, const PythonCourse& course) {
    PythonModels models = ModelTracer(program, course).read();
    if (!models.trained && models.all.size() == 1) {
        models.trained = 0;
    }
    return models;
}

}  // namespace fabricast
