#include "planner/launch/possible_lengths.h"

#include "planner/base/small_letters.h"
#include "planner/launch/python_functions.h"
#include "planner/launch/sample_sizes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Fewer are no length of a training's samples, but a degree or a number of layers.
constexpr std::int64_t kFewestTokens = 128;
/// What is forecast where nothing says the length.
constexpr std::string_view kForecastLength = "4096";

/// "--max-seq_len" →  max seq len
std::set<std::string> wordsOfName(std::string_view name) {
    std::set<std::string> words;
    std::string word;
    for (const char letter : inSmallLetters(std::string(name)) + "_") {
        if (letter != '_' && letter != '-') {
            word += letter;
        } else if (!word.empty()) {
            words.insert(std::exchange(word, {}));
        }
    }
    return words;
}

template <std::size_t Count>
bool hasOneOf(const std::set<std::string>& words,
              const std::array<std::string_view, Count>& wanted) {
    return std::ranges::any_of(
        wanted, [&words](std::string_view one) { return words.contains(std::string(one)); });
}

std::optional<std::int64_t> tokensIn(const std::vector<std::string>& values) {
    constexpr std::size_t kMostTokenDigits = 9;
    const std::string text = values.size() == 1 ? values.front() : "";
    const bool isNumber = !text.empty() && text.size() <= kMostTokenDigits &&
                          text.find_first_not_of("0123456789") == std::string::npos;
    const std::int64_t tokens = isNumber ? std::stoll(text) : 0;
    return tokens >= kFewestTokens ? std::optional(tokens) : std::nullopt;
}

class PossibleLengthReader {
public:
    PossibleLengthReader(const PythonValues& program,
                         const PythonCourse& course,
                         const ParsedArguments& parsed,
                         LaunchKeys& keys)
        : program_(program), course_(course), parsed_(parsed), keys_(keys) {}

    void read() {
        addNames();
        addFields();
        for (const PythonFunction& function : functionsOf(program_)) {
            if (!function.isClass && function.bracket != 0 && !isDead(function.body.begin)) {
                addParameters(function);
            }
        }
    }

private:
    [[nodiscard]] bool isDead(std::size_t at) const { return course_.leavesOut(at); }

    void add(const std::string& name,
             const std::vector<std::string>& values,
             const PythonWord& at) {
        if (mayBeLength(name) && tokensIn(values)) {
            keys_.add({.path = kPossibleLength + name,
                       .values = values,
                       .line = at.line,
                       .column = at.column});
        }
    }

    /// "ctx = 8192", and what argparse has without.
    void addNames() {
        const std::string_view argument = kParsedArgument;
        const std::vector<LaunchKey> all = keys_.all();
        for (const LaunchKey& key : all) {
            const bool isArgument = key.path.starts_with(argument);
            const std::string name = isArgument ? key.path.substr(argument.size()) : key.path;
            const std::string shown = (isArgument ? "--" : "") + name;
            if (name.find_first_of(". ()") == std::string::npos) {
                add(shown, key.values, {.line = key.line, .column = key.column});
            }
        }
    }

    /// "max_len: int = field(default=8192)", of what is parsed.
    void addFields() {
        for (const ParsedClass& one : parsed_.classes) {
            for (const ParsedField& field : one.fields) {
                if (field.usual && !program_.typed(field.name)) {
                    add("--" + field.name,
                        program_.valuesOf(*field.usual),
                        program_.words()[field.usual->begin]);
                }
            }
        }
    }

    /// "def train(model, seq_len=8192)", as the function is called where that is known.
    void addParameters(const PythonFunction& function) {
        const std::vector<PythonWord>& words = program_.words();
        for (const WordSpan& item : program_.itemsIn(function.bracket)) {
            std::size_t equals = item.begin;
            while (equals < item.end && !program_.isSign(equals, "=")) {
                ++equals;
            }
            const std::string& name = words[item.begin].text;
            if (equals == item.end || !mayBeLength(name)) {
                continue;
            }
            std::size_t used = function.body.begin;
            while (used < function.body.end && !program_.isName(used, name)) {
                ++used;
            }
            if (used < function.body.end) {
                add(name, program_.valuesOf({used, used + 1}), words[item.begin]);
            }
        }
    }

    const PythonValues& program_;
    const PythonCourse& course_;
    const ParsedArguments& parsed_;
    LaunchKeys& keys_;
};

/// "--max_len 65536", "ctx = 8192".
std::string shownLength(const std::string& name, const std::string& value) {
    return name + (name.starts_with("--") ? " " : " = ") + value;
}

}  // namespace

bool mayBeLength(std::string_view name) {
    constexpr std::array<std::string_view, 10> kOfLengths = {"len",
                                                             "length",
                                                             "ctx",
                                                             "context",
                                                             "block",
                                                             "seq",
                                                             "seqlen",
                                                             "sequence",
                                                             "window",
                                                             "maxlen"};
    constexpr std::array<std::string_view, 32> kOfOthers = {
        "eval",    "val",     "valid",    "validation", "test",      "generation", "generate",
        "gen",     "new",     "prompt",   "completion", "sliding",   "save",       "buffer",
        "shuffle", "num",     "min",      "dataset",    "epoch",     "vocab",      "total",
        "log",     "logging", "parallel", "stride",     "attention", "attn",       "by",
        "file",    "head",    "hidden",   "output"};
    const std::set<std::string> words = wordsOfName(name);
    const bool isOfTokens = words.contains("max") && words.contains("tokens");
    return (isOfTokens || hasOneOf(words, kOfLengths)) && !hasOneOf(words, kOfOthers);
}

void addPossibleLengths(const PythonValues& program,
                        const PythonCourse& course,
                        const ParsedArguments& parsed,
                        LaunchKeys& keys) {
    PossibleLengthReader(program, course, parsed, keys).read();
}

void addTypedLengths(const OpenedFile& script, OpenedFile& program) {
    LaunchKeys typed(script.keys.source());
    for (LaunchKey key : script.keys.all()) {
        if (key.path.starts_with("--") && mayBeLength(key.path)) {
            key.path = kPossibleLength + key.path;
            typed.add(std::move(key));
        }
    }
    program.keys.append(typed, {kPossibleLength});
}

void askForLength(ScenarioDraft& draft) {
    const std::string_view before = kPossibleLength;
    std::optional<LaunchKey> asked;
    for (const LaunchKey& key : std::vector<LaunchKey>(draft.keys().all())) {
        const bool isMarked = key.path.starts_with(before);
        const bool isTyped = key.path.starts_with("--") && mayBeLength(key.path);
        (void)(isMarked ? draft.keys().use(key.path) : nullptr);
        const bool isAsked =
            (isMarked || isTyped) && tokensIn(key.values) && key.values.front() != kForecastLength;
        // What a script types wins over what the program has without.
        if (isAsked && (!asked || !key.file.empty())) {
            asked = key;
            asked->path = isMarked ? key.path.substr(before.size()) : key.path;
        }
    }
    if (asked && draft.find("workload.sequence") == nullptr) {
        const std::string& value = asked->values.front();
        draft.leaveOpen("workload.sequence",
                        *asked,
                        shownLength(asked->path, value) + " may be the sequence, which is not read",
                        "--seq " + value);
    }
}

}  // namespace fabricast
