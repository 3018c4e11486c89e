#include "planner/launch/sample_sizes.h"

#include "planner/launch/python_functions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

constexpr const char* kTypeBatch = "--layout micro_batch=1, or as many as it is";
constexpr const char* kTypeSequence = "--seq 4096, or as many as it is";

/// Nothing of what is no whole number, or of more digits than a size has.
std::optional<std::int64_t> sampleSizeIn(const std::string& text) {
    constexpr std::size_t kMostSampleDigits = 12;
    const bool isNumber = !text.empty() && text.size() <= kMostSampleDigits &&
                          text.find_first_not_of("0123456789") == std::string::npos;
    return isNumber ? std::optional<std::int64_t>(std::stoll(text)) : std::nullopt;
}

/// Calls that make a batch of tokens, and the arguments that have its shape.
constexpr std::array<std::string_view, 3> kRandomShapes = {
    "randint.size", "randint.2", "randint.1"};

/// "DataLoader" of a program's data; those of an evaluation are called so.
bool isOfEvaluation(const LaunchKeys& program, const LaunchKey& call) {
    return std::ranges::any_of(program.all(), [&call](const LaunchKey& key) {
        const bool isGiven = key.line == call.line && key.values.size() == 1 &&
                             key.values.front().find("DataLoader(") != std::string::npos;
        return isGiven && (key.path.find("eval") != std::string::npos ||
                           key.path.find("val_") != std::string::npos ||
                           key.path.ends_with("_val") || key.path == "val" || key.path == "dev" ||
                           key.path.find("valid") != std::string::npos ||
                           key.path.find("test") != std::string::npos);
    });
}

/// A number that a program may say in several places.
struct Size {
    const LaunchKey* at = nullptr;  ///< null: nowhere
    std::string value{};
    bool isKnown = true;

    void add(const LaunchKey& key, const std::string& one) {
        const bool isSame = at == nullptr || value == one;
        isKnown = isKnown && isSame && sampleSizeIn(one);
        at = isSame ? &key : at;
        value = isSame ? one : value;
    }
};

struct BatchShape {
    Size samples;
    Size tokens;
};

/// Of torch.randint(0, vocabulary, (samples, tokens)); where pieces of a text are stacked, of
/// torch.randint(last, (samples,)).
void addRandom(const LaunchKeys& program, BatchShape& shape) {
    const LaunchKey* const call = program.find("randint");
    const bool picksPieces = program.find(kPieceLength) != nullptr &&
                             program.find("randint.2") == nullptr && call != nullptr &&
                             call->values.front() == "torch.randint";
    for (const LaunchKey& key : program.all()) {
        if (std::ranges::find(kRandomShapes, key.path) == kRandomShapes.end()) {
            continue;
        }
        if (key.values.size() == 2) {
            shape.samples.add(key, key.values.front());
            shape.tokens.add(key, key.values.back());
        } else if (key.values.size() == 1 && key.path == "randint.1" && picksPieces) {
            shape.samples.add(key, key.values.front());
        }
    }
}

/// An argument of the call at this place, by its name or its place; null where it has none.
const LaunchKey* argumentOfCall(const std::vector<LaunchKey>& all,
                                std::size_t call,
                                std::initializer_list<std::string_view> names) {
    const std::string before = all[call].path + ".";
    for (std::size_t i = call + 1; i < all.size() && all[i].path.starts_with(before); ++i) {
        if (std::ranges::find(names, all[i].path.substr(before.size())) != names.end()) {
            return &all[i];
        }
    }
    return nullptr;
}

/// Of torch.zeros(samples, tokens, dtype=torch.long), which is for ids of tokens alone.
void addFilled(const LaunchKeys& program, BatchShape& shape) {
    const std::vector<LaunchKey>& all = program.all();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].path != "zeros" && all[i].path != "ones") {
            continue;
        }
        const LaunchKey* const type = argumentOfCall(all, i, {"dtype"});
        const LaunchKey* const first = argumentOfCall(all, i, {"0"});
        const LaunchKey* const second = argumentOfCall(all, i, {"1"});
        const bool isOfIds =
            type != nullptr && type->values.size() == 1 &&
            (type->values.front() == "torch.long" || type->values.front() == "torch.int64");
        if (isOfIds && first != nullptr && first->values.size() == 2) {
            shape.samples.add(*first, first->values.front());
            shape.tokens.add(*first, first->values.back());
        } else if (isOfIds && first != nullptr && second != nullptr && first->values.size() == 1 &&
                   second->values.size() == 1) {
            shape.samples.add(*first, first->values.front());
            shape.tokens.add(*second, second->values.front());
        }
    }
}

/// Of DataLoader(data, batch_size=…), which is 1 where it is not said.
void addLoaded(const LaunchKeys& program, Size& samples, bool ofEvaluation = false) {
    const std::vector<LaunchKey>& all = program.all();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].path != "DataLoader" || isOfEvaluation(program, all[i]) != ofEvaluation) {
            continue;
        }
        const LaunchKey* const size = argumentOfCall(all, i, {"batch_size", "1"});
        if (size != nullptr) {
            samples.add(*size, size->values.size() == 1 ? size->values.front() : "");
        } else {
            const bool isByOthers = argumentOfCall(all, i, {"batch_sampler", "**"}) != nullptr;
            samples.add(all[i], isByOthers ? "" : "1");
        }
    }
}

void setSize(ScenarioDraft& draft,
             const Size& size,
             const char* path,
             const std::string& what,
             const char* hint) {
    if (size.at == nullptr) {
        return;
    }
    const LaunchKey at = *size.at;
    LaunchKeys& keys = draft.keys();
    (void)keys.use(at.path);
    if (size.isKnown) {
        draft.set(path, *sampleSizeIn(size.value), at.path);
    } else {
        draft.leaveOpen(path,
                        at,
                        at.path.substr(0, at.path.find('.')) + ": " + what +
                            " is worked out when the program runs, or differs from place to place",
                        hint);
    }
}

/// Functions that a data set is mapped by: "data.map(group_texts, …)".
std::set<std::string> mappingNames(const PythonValues& program) {
    std::set<std::string> names;
    for (std::size_t i = 0; i + 2 < program.words().size(); ++i) {
        if (program.isName(i, "map") && program.isSign(i + 1, "(") && program.isName(i + 2)) {
            names.insert(program.words()[i + 2].text);
        }
    }
    return names;
}

/// Whether it stacks what it cuts.
bool stacks(const PythonValues& program, const PythonFunction& function) {
    for (std::size_t i = function.body.begin; i + 1 < function.body.end; ++i) {
        if (program.isName(i, "stack") && program.isSign(i + 1, "(")) {
            return true;
        }
    }
    return false;
}

/// What is added to i in "[i : i + x]", a bracket that opens here; nothing of other brackets.
std::optional<WordSpan> pieceAt(const PythonValues& program, std::size_t at) {
    const std::vector<PythonWord>& words = program.words();
    const bool isPiece = program.isSign(at, "[") && program.isName(at + 1) &&
                         program.isSign(at + 2, ":") &&
                         program.isName(at + 3, words[at + 1].text) &&
                         program.isSign(at + 4, "+") && words[at].close > at + 5;
    return isPiece ? std::optional(WordSpan{at + 5, words[at].close}) : std::nullopt;
}

/// What a batch's tokens are cut to in batch["input_ids"][:, :args.ctx], a bracket that opens here.
std::optional<WordSpan> cutAt(const PythonValues& program, std::size_t at) {
    constexpr std::string_view kTokens = "input_ids";
    const std::vector<PythonWord>& words = program.words();
    const bool isOfItem = at >= 3 && program.isSign(at - 1, "]") && words[at - 2].text == kTokens &&
                          program.isSign(at - 3, "[");
    const bool isOfTokens = isOfItem || (at >= 1 && program.isName(at - 1, kTokens));
    const bool isCut = isOfTokens && program.isSign(at, "[") && program.isSign(at + 1, ":") &&
                       program.isSign(at + 2, ",") && program.isSign(at + 3, ":") &&
                       words[at].close > at + 4;
    return isCut ? std::optional(WordSpan{at + 4, words[at].close}) : std::nullopt;
}

/// Of a program that cuts its batches to one length.
void addCut(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys) {
    std::optional<LaunchKey> length;
    for (std::size_t i = 0; i < program.words().size(); ++i) {
        const auto cut = course.leavesOut(i) ? std::nullopt : cutAt(program, i);
        const std::vector<std::string> values =
            cut ? program.valuesOf(*cut) : std::vector<std::string>();
        if (!cut || values.size() != 1 || !sampleSizeIn(values.front())) {
            continue;
        }
        if (length && length->values != values) {
            return;  // such as of an evaluation
        }
        const PythonWord& word = program.words()[cut->begin];
        length = LaunchKey{
            .path = kPieceLength, .values = values, .line = word.line, .column = word.column};
    }
    if (length) {
        keys.add(*std::move(length));
    }
}

/// What a program's tokenizer is told to pad or cut to, call by call.
std::vector<LaunchKey> tokenizedLengths(const LaunchKeys& program) {
    constexpr std::string_view kLength = ".max_length";
    std::vector<LaunchKey> lengths;
    for (const LaunchKey& key : program.all()) {
        const std::string call =
            key.path.substr(0, key.path.size() - std::min(key.path.size(), kLength.size()));
        const bool isLength = key.path.ends_with(kLength) && call.find('.') == std::string::npos &&
                              !call.ends_with("Config") && !call.ends_with("Arguments") &&
                              (program.has(call + ".padding") || program.has(call + ".truncation"));
        if (isLength) {
            lengths.push_back(key);
        }
    }
    return lengths;
}

}  // namespace

void addPieces(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys) {
    const std::set<std::string> mapping = mappingNames(program);
    for (const PythonFunction& function : functionsOf(program)) {
        const bool makesSamples = mapping.contains(function.name) || stacks(program, function);
        if (function.isClass || !makesSamples) {
            continue;
        }
        for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
            const auto piece = course.leavesOut(i) ? std::nullopt : pieceAt(program, i);
            if (piece) {
                keys.add({.path = kPieceLength,
                          .values = program.valuesOf(*piece),
                          .line = program.words()[piece->begin].line,
                          .column = program.words()[piece->begin].column});
                return;
            }
        }
    }
    addCut(program, course, keys);
}

std::optional<LaunchKey> tokenizedLength(const LaunchKeys& program) {
    std::optional<LaunchKey> length;
    for (const LaunchKey& key : tokenizedLengths(program)) {
        const bool isKnown = key.values.size() == 1 && sampleSizeIn(key.values.front());
        if (!isKnown || (length && length->values != key.values)) {
            return std::nullopt;
        }
        length = key;
    }
    return length;
}

std::optional<LaunchKey> otherTokenizedLength(const LaunchKeys& program) {
    const std::vector<LaunchKey> lengths = tokenizedLengths(program);
    const auto other = std::ranges::find_if(
        lengths, [&lengths](const LaunchKey& key) { return key.values != lengths.front().values; });
    return other == lengths.end() ? std::nullopt : std::optional(*other);
}

void askForTokenizedLength(ScenarioDraft& draft, const LaunchKey& other) {
    draft.leaveOpen("workload.sequence",
                    other,
                    "max_length: the tokenizer is called with two of them, and which a sample of "
                    "the training has was not read",
                    kTypeSequence);
}

void importPieceLength(ScenarioDraft& draft) {
    const LaunchKey* const piece = draft.keys().use(kPieceLength);
    if (piece == nullptr) {
        return;
    }
    const auto length =
        piece->values.size() == 1 ? sampleSizeIn(piece->values.front()) : std::nullopt;
    if (length) {
        draft.set("workload.sequence", *length, kPieceLength);
    } else {
        draft.leaveOpen("workload.sequence",
                        *piece,
                        "texts are cut in pieces whose length is worked out when the program runs",
                        kTypeSequence);
    }
}

ShownBatch importBatchSource(ScenarioDraft& draft, bool hasBatch) {
    BatchShape shape;
    addRandom(draft.keys(), shape);
    addFilled(draft.keys(), shape);
    if (shape.samples.at == nullptr) {
        addLoaded(draft.keys(), shape.samples);
    }
    const ShownBatch shown{shape.samples.at != nullptr, shape.tokens.at != nullptr};
    setSize(draft, shape.tokens, "workload.sequence", "how long a sample is", kTypeSequence);
    if (hasBatch) {
        setSize(
            draft, shape.samples, "layout.micro_batch", "how many samples a batch has", kTypeBatch);
    }
    return shown;
}

std::optional<LoadedBatch> loadedBatch(const LaunchKeys& program, bool ofEvaluation) {
    Size samples;
    addLoaded(program, samples, ofEvaluation);
    if (samples.at == nullptr) {
        return std::nullopt;
    }
    return LoadedBatch{
        *samples.at, samples.isKnown ? sampleSizeIn(samples.value) : std::optional<std::int64_t>()};
}

}  // namespace fabricast
