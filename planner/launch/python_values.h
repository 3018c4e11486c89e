#pragma once
#include "planner/launch/python_reading.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Words [begin, end) of a program.
struct WordSpan {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The variable that says how many ranks there are, as launchers set it.
inline constexpr const char* kRanksVariable = "WORLD_SIZE";

/// How a program is started, where a script says: variables of its environment, and what is typed
/// behind it, by "--micro-batch".
struct PythonStart {
    std::map<std::string, std::string> environment{};
    std::map<std::string, std::string> arguments{};
};

/// A field of a dataclass that arguments are parsed into.
struct ParsedField {
    std::string name;
    std::optional<WordSpan> usual{};  ///< what it is where it is not typed
    std::string usualText{};          ///< the same of a class that is not the program's own
    bool isSwitch = false;
};

/// What an object has of a class that the program defines.
struct PythonClass {
    std::vector<ParsedField> fields{};  ///< in their order
    bool takesFields = false;           ///< a dataclass, which is made with them
};

/// A function's words, and what its parameters are given where it is called; those that have no
/// values are not known.
struct PythonScope {
    WordSpan body;
    std::map<std::string, std::vector<WordSpan>> bound{};
    std::map<std::string, std::string> typed{};  ///< of one that is started by fire.Fire(main)
};

/// A program as its words, and what they stand for with the names that were given a value so far.
/// Nothing is run: what is worked out is "$(…)".
class PythonValues {
public:
    explicit PythonValues(std::vector<PythonWord> words, PythonStart start = {})
        : words_(std::move(words)), start_(std::move(start)) {}

    [[nodiscard]] const std::vector<PythonWord>& words() const { return words_; }
    [[nodiscard]] bool isSign(std::size_t at, std::string_view sign) const;
    [[nodiscard]] bool isName(std::size_t at) const;
    /// This one.
    [[nodiscard]] bool isName(std::size_t at, std::string_view name) const {
        return isName(at) && words_[at].text == name;
    }
    [[nodiscard]] bool isOpening(std::size_t at) const;
    /// Behind the words "a.b.c" that begin here.
    [[nodiscard]] std::size_t endOfName(std::size_t at) const;
    /// What commas separate between a bracket and the one that closes it.
    [[nodiscard]] std::vector<WordSpan> itemsIn(std::size_t bracket) const;

    /// An argument of argparse.
    struct Argument {
        std::vector<std::string> values;
        std::optional<WordSpan> usual{};  ///< nothing where it is typed
        std::size_t at = 0;               ///< the bracket of add_argument
        bool isOff = false;               ///< a switch that is off where nothing types it
        bool isUnsaid = false;            ///< neither typed, nor is what it is without known
    };
    /// By their names: "micro_batch" of args.micro_batch.
    [[nodiscard]] const std::map<std::string, Argument>& parsedArguments() const { return parsed_; }

    /// Of "args.micro_batch"; null of other words.
    [[nodiscard]] const Argument* argumentOf(const WordSpan& value) const;

    /// A name that is given two values has none that is known. Known when settled.
    void nameValue(const std::string& name, const WordSpan& value) {
        named_[name].given.push_back(value);
    }
    /// Of the functions, in the order of their text; one may stand in another.
    void enterScopes(const std::vector<PythonScope>& scopes);
    /// Works out what names stand for, once all are given what they are.
    void settle();
    /// A name whose value is changed has none that is known either.
    void forgetValue(const std::string& name);
    /// "for name in …" of a name that has one.
    void forgetLooped(const std::string& name) {
        if (named_.contains(name)) {
            forgetValue(name);
        }
    }
    /// parser.add_argument("--micro-batch", default=…), whose bracket this is.
    void addArgument(std::size_t bracket);
    /// A name that parser.parse_args() is given to.
    void nameArguments(const std::string& name) { parsedBy_.insert(name); }
    /// A function that gives back what parse_args() does.
    void addParser(const std::string& name) { parsers_.insert(name); }
    /// A class whose objects have members that are known.
    void addClass(const std::string& name, PythonClass one) { classes_[name] = std::move(one); }
    /// What a function of the program gives back, whatever it is given.
    void addReturned(const std::string& function, const WordSpan& value) {
        returned_.emplace(function, value);
    }
    /// "cfg.lr = …", or setattr(cfg, name, …) of any: what the object was made with holds no more.
    void forgetMember(const std::string& name) { changedMembers_.insert(name); }
    static constexpr const char* kAnyMember = "*";
    /// What an object that the program writes out has there: of a dictionary, a SimpleNamespace, or
    /// a class of its own. python_members.cpp
    ///     cfg = Config(batch_size=4)  # "cfg.batch_size"  →  4
    ///     CONFIG = {"lr": 1e-4}       # "CONFIG["lr"]"    →  1e-4
    [[nodiscard]] std::optional<WordSpan> memberOf(const WordSpan& value) const {
        return memberOf(value, 0);
    }
    /// "model_args.lora_r" of a dataclass that arguments are parsed into: what is typed, or else
    /// what the program has without. Without either it is None.
    void addField(const std::string& object, const ParsedField& field);
    /// Of that object, whose class the program does not have, nobody says the other fields.
    void addOthers(const std::string& object) { foreign_.insert(object); }
    /// What is typed for "--lora_r".
    [[nodiscard]] std::optional<std::string> typed(const std::string& name) const;
    [[nodiscard]] const PythonStart& start() const { return start_; }
    /// "args.micro_batch = …": what was typed holds no more.
    void forgetArgument(const std::string& object, const std::string& name) {
        if (object != "self") {
            forgetMember(name);
        }
        fields_.erase(object + "." + name);
        if (parsedBy_.contains(object)) {
            parsed_.erase(name);
        }
    }
    /// A number, a text, a name with its value, or the items of a list; "$(…)" where it is worked
    /// out when the script runs.
    [[nodiscard]] std::vector<std::string> valuesOf(const WordSpan& value) const;
    /// {…} or dict(…), and nothing else.
    [[nodiscard]] bool isDictionary(const WordSpan& value) const;
    /// What a name is given, where that is a dictionary.
    [[nodiscard]] WordSpan dictionaryOf(const WordSpan& value) const;
    /// An item of a name's dictionary that is set behind it: name["a"]["b"] = 1.
    struct ItemSet {
        std::string path;  ///< "a.b"
        std::size_t at = 0;
        WordSpan value;
    };
    void setItem(const std::string& name, ItemSet item) {
        itemsSet_[name].push_back(std::move(item));
    }
    [[nodiscard]] std::vector<ItemSet> itemsSet(const WordSpan& name) const;

    /// The one value that a name is given, or "self.name"; nothing where it has two, or is what a
    /// function is called with by others.
    [[nodiscard]] std::optional<WordSpan> givenTo(const WordSpan& name) const;
    /// The default of args.lora, or of os.environ.get("LORA", …), where nothing is typed or set.
    [[nodiscard]] std::optional<WordSpan> defaultOf(const WordSpan& value) const;
    /// What is typed for args.lora, or os.environ.get("LORA") is set to.
    [[nodiscard]] std::optional<std::string> startedWith(const WordSpan& value) const;
    /// What names are given is read once more.
    void forgetNames() {
        named_.clear();
        itemsSet_.clear();
        members_.clear();
    }
    [[nodiscard]] std::string textOf(const WordSpan& value) const;

private:
    /// What a name is given, and what that is; no value: it is changed, or has two.
    struct Named {
        std::vector<WordSpan> given{};
        std::optional<std::vector<std::string>> values{};  ///< when settled
        std::optional<std::string> typed{};
        bool isChanged = false;
    };
    static constexpr std::size_t kNoScope = static_cast<std::size_t>(-1);

    [[nodiscard]] std::optional<WordSpan> memberOf(const WordSpan& value, int level) const;
    /// The dictionary or the call that a value is made by; the name of a class of the program.
    [[nodiscard]] std::optional<WordSpan> objectOf(WordSpan value, int level) const;
    [[nodiscard]] std::optional<WordSpan> memberIn(const WordSpan& object,
                                                   const std::string& name) const;
    [[nodiscard]] std::optional<WordSpan> itemNamed(std::size_t bracket,
                                                    const std::string& name) const;
    /// Whether this is one call, and of what.
    [[nodiscard]] std::string calledBy(const WordSpan& value) const;
    /// The values of a member, which may be another's.
    [[nodiscard]] std::optional<std::vector<std::string>> memberValues(const WordSpan& value) const;
    [[nodiscard]] bool isBracketed(const WordSpan& value) const;
    /// "name", "self.name", or "name of 3" of a parameter; empty of other words.
    [[nodiscard]] std::string nameAt(const WordSpan& value) const;
    [[nodiscard]] std::optional<std::vector<std::string>> named(const WordSpan& value) const;
    [[nodiscard]] bool isParsed(const WordSpan& object) const;
    [[nodiscard]] std::optional<std::vector<std::string>> commonValues(const Named& one) const;
    [[nodiscard]] std::optional<std::vector<std::string>> usualOf(const WordSpan& value) const;
    /// The bracket of os.environ.get(…), os.getenv(…) or os.environ[…].
    [[nodiscard]] std::optional<std::size_t> variableAsked(const WordSpan& value) const;
    /// Whether this is dist.get_world_size(), or accelerator.num_processes.
    [[nodiscard]] bool asksRanks(const WordSpan& value) const;

    std::vector<PythonWord> words_;
    PythonStart start_;
    std::set<std::string> parsedBy_;  ///< "args"
    std::set<std::string> parsers_{"parse_args", "parse_known_args"};
    std::map<std::string, Argument> parsed_;  ///< by "micro_batch" of args.micro_batch
    std::map<std::string, Argument> fields_;  ///< by "model_args.lora_r"
    std::set<std::string> foreign_;           ///< "training_args"
    std::map<std::string, Named> named_;
    std::map<std::string, std::vector<ItemSet>> itemsSet_;  ///< by the name
    std::map<std::string, PythonClass> classes_;
    std::map<std::string, WordSpan> returned_;
    std::set<std::string> changedMembers_;
    mutable std::map<std::size_t, std::map<std::string, WordSpan>> items_;  ///< by their bracket
    mutable std::map<std::size_t, std::vector<std::string>> members_;  ///< by where they are said
    std::vector<PythonScope> scopes_;
    std::vector<std::size_t> scopeAt_;  ///< by word, the innermost
    std::vector<std::size_t> around_;   ///< by scope, the next outer one
};

}  // namespace fabricast
