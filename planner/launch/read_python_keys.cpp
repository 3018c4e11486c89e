#include "planner/launch/launch_keys.h"
#include "planner/launch/python_words.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

using WordKind = PythonWord::Kind;
using PythonValues = std::vector<std::string>;

/// A longer list is no setting of a training.
constexpr std::size_t kMostItems = 256;

/// Words [begin, end) of a program.
struct WordSpan {
    std::size_t begin = 0;
    std::size_t end = 0;
};

class PythonKeyReader {
public:
    PythonKeyReader(std::vector<PythonWord> words, const std::string& source)
        : words_(std::move(words)), keys_(source) {}

    Result<LaunchKeys> read() {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (const auto value = assignedAt(i)) {
                nameValue(words_[i].text, *value);
            }
        }
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (const auto value = assignedAt(i)) {
                addKey(lastOfName(i), *value, words_[i]);
            }
            if (isCall(i)) {
                addCall(i);
            }
            if (keys_.all().size() > kMostLaunchKeys || entries_ > kMostLaunchKeys) {
                return fail(Error::Code::BadInput,
                            keys_.source(),
                            "has more calls than a training script",
                            "the script that starts the training");
            }
        }
        return std::move(keys_);
    }

private:
    [[nodiscard]] bool isSign(std::size_t at, std::string_view sign) const {
        return at < words_.size() && words_[at].kind == WordKind::Sign && words_[at].text == sign;
    }
    [[nodiscard]] bool isName(std::size_t at) const {
        return at < words_.size() && words_[at].kind == WordKind::Name;
    }
    /// Behind the words "a.b.c" that begin here.
    [[nodiscard]] std::size_t endOfName(std::size_t at) const {
        while (isName(at) && isSign(at + 1, ".") && isName(at + 2)) {
            at += 2;
        }
        return at + 1;
    }
    [[nodiscard]] std::string lastOfName(std::size_t at) const {
        return words_[endOfName(at) - 1].text;
    }

    /// What "a.b = …" or "a: type = …" assigns to the name that a line begins with.
    [[nodiscard]] std::optional<WordSpan> assignedAt(std::size_t at) const {
        const bool begins = at == 0 || words_[at - 1].kind == WordKind::End || isSign(at - 1, ";");
        if (!begins || !isName(at)) {
            return std::nullopt;
        }
        std::size_t equals = endOfName(at);
        if (isSign(equals, ":")) {
            while (equals < words_.size() && words_[equals].kind != WordKind::End &&
                   !isSign(equals, "=")) {
                equals = isOpening(equals) ? words_[equals].close + 1 : equals + 1;
            }
        }
        if (!isSign(equals, "=")) {
            return std::nullopt;
        }
        std::size_t end = equals + 1;
        while (end < words_.size() && words_[end].kind != WordKind::End && !isSign(end, ";")) {
            end = isOpening(end) ? words_[end].close + 1 : end + 1;
        }
        return WordSpan{equals + 1, end};
    }

    [[nodiscard]] bool isOpening(std::size_t at) const {
        return isSign(at, "(") || isSign(at, "[") || isSign(at, "{");
    }

    /// A name that is given two values has none that is known.
    void nameValue(const std::string& name, const WordSpan& value) {
        const PythonValues values = valuesOf(value);
        const auto [place, isNew] = named_.emplace(name, values);
        if (!isNew && place->second != values) {
            place->second = {"$" + name};
            dictionaries_.erase(name);
        } else if (isDictionary(value)) {
            dictionaries_.emplace(name, value);
        }
    }

    [[nodiscard]] bool isCall(std::size_t at) const {
        const bool defines = at > 0 && isName(at - 1) &&
                             (words_[at - 1].text == "def" || words_[at - 1].text == "class");
        return isName(at) && isSign(at + 1, "(") && !defines;
    }

    void addKey(const std::string& path, const WordSpan& value, const PythonWord& at) {
        keys_.add({.path = path, .values = valuesOf(value), .line = at.line, .column = at.column});
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
                   .column = words_[at].column});
        int position = 0;
        for (const WordSpan& item : itemsIn(at + 1)) {
            const bool isKeyword = isName(item.begin) && isSign(item.begin + 1, "=");
            const bool isSpread = isSign(item.begin, "*") || isSign(item.begin, "**");
            if (isKeyword) {
                const std::string path = name + "." + words_[item.begin].text;
                addKey(path, {item.begin + 2, item.end}, words_[item.begin]);
                addEntries(path, {item.begin + 2, item.end}, 1);
            } else if (!isSpread) {
                addKey(name + "." + std::to_string(position), item, words_[item.begin]);
                ++position;
            }
        }
    }

    /// "f.config.stage" of f(config={"stage": 3}), of dict(stage=3), and of a name that is given
    /// one of these.
    void addEntries(const std::string& path, const WordSpan& value, int level) {
        const WordSpan dictionary = dictionaryOf(value);
        const bool isEndless = level > kMostLaunchLevels || entries_ > kMostLaunchKeys;
        if (isEndless || !isDictionary(dictionary)) {
            return;
        }
        const bool isCalled = isName(dictionary.begin);
        for (const WordSpan& item : itemsIn(dictionary.begin + (isCalled ? 1 : 0))) {
            const PythonWord& name = words_[item.begin];
            if (!isSign(item.begin + 1, isCalled ? "=" : ":") ||
                (name.kind != WordKind::Text && name.kind != WordKind::Name)) {
                continue;
            }
            ++entries_;
            const WordSpan said{item.begin + 2, item.end};
            if (isDictionary(dictionaryOf(said))) {
                addEntries(path + "." + name.text, said, level + 1);
            } else {
                addKey(path + "." + name.text, said, name);
            }
        }
    }

    /// What a name is given, where that is a dictionary.
    [[nodiscard]] WordSpan dictionaryOf(const WordSpan& value) const {
        const bool isNamed = value.end - value.begin == 1 && isName(value.begin);
        const auto found =
            isNamed ? dictionaries_.find(words_[value.begin].text) : dictionaries_.end();
        return found == dictionaries_.end() ? value : found->second;
    }

    /// {…} or dict(…), and nothing else.
    [[nodiscard]] bool isDictionary(const WordSpan& value) const {
        const bool isCalled = isName(value.begin) && words_[value.begin].text == "dict" &&
                              isSign(value.begin + 1, "(") &&
                              words_[value.begin + 1].close + 1 == value.end;
        return isCalled || (isBracketed(value) && isSign(value.begin, "{"));
    }

    /// What commas separate between a bracket and the one that closes it.
    [[nodiscard]] std::vector<WordSpan> itemsIn(std::size_t bracket) const {
        std::vector<WordSpan> items;
        const std::size_t end = words_[bracket].close;
        std::size_t begin = bracket + 1;
        for (std::size_t i = begin; i <= end; ++i) {
            if (i == end || isSign(i, ",")) {
                if (i > begin) {
                    items.push_back({begin, i});
                }
                begin = i + 1;
            } else if (isOpening(i)) {
                i = words_[i].close;
            }
        }
        return items;
    }

    /// Whether these words are one pair of brackets.
    [[nodiscard]] bool isBracketed(const WordSpan& value) const {
        return isOpening(value.begin) && words_[value.begin].close + 1 == value.end;
    }

    /// A number, a text, a name with its value, or the items of a list; "$(…)" where it is worked
    /// out when the script runs.
    [[nodiscard]] PythonValues valuesOf(const WordSpan& value) const {
        if (isBracketed(value) && !isSign(value.begin, "{")) {
            PythonValues values;
            for (const WordSpan& item : itemsIn(value.begin)) {
                const PythonValues some = valuesOf(item);
                values.insert(values.end(), some.begin(), some.end());
                if (values.size() > kMostItems) {
                    return {"$(" + textOf(value) + ")"};
                }
            }
            return values;
        }
        const std::size_t count = value.end - value.begin;
        if (count == 1 && isName(value.begin)) {
            return named(words_[value.begin].text);
        }
        if (count == 1 && words_[value.begin].kind != WordKind::Sign &&
            !words_[value.begin].isOpen) {
            return {words_[value.begin].text};
        }
        if (count == 2 && isSign(value.begin, "-") &&
            words_[value.begin + 1].kind == WordKind::Number) {
            return {"-" + words_[value.begin + 1].text};
        }
        if (isName(value.begin) && endOfName(value.begin) == value.end) {
            return {textOf(value)};
        }
        return usualOf(value).value_or(PythonValues{"$(" + textOf(value) + ")"});
    }

    [[nodiscard]] PythonValues named(const std::string& name) const {
        if (name == "None") {
            return {"null"};
        }
        const auto found = named_.find(name);
        return found == named_.end() ? PythonValues{name} : found->second;
    }

    /// What int(…) is made of, and what os.environ.get("NAME", …) is where nobody sets it.
    [[nodiscard]] std::optional<PythonValues> usualOf(const WordSpan& value) const {
        constexpr std::array<std::string_view, 4> kTypes = {"int", "float", "str", "bool"};
        const std::size_t bracket = isName(value.begin) ? endOfName(value.begin) : value.end;
        if (!isSign(bracket, "(") || words_[bracket].close + 1 != value.end) {
            return std::nullopt;
        }
        const std::string name = textOf({value.begin, bracket});
        const std::vector<WordSpan> items = itemsIn(bracket);
        for (const std::string_view type : kTypes) {
            if (name == type && items.size() == 1) {
                return valuesOf(items.front());
            }
        }
        const bool isVariable = name == "os.environ.get" || name == "os.getenv";
        return isVariable && items.size() == 2 ? std::optional(valuesOf(items.back()))
                                               : std::nullopt;
    }

    [[nodiscard]] std::string textOf(const WordSpan& value) const {
        constexpr std::size_t kLongest = 80;
        std::string text;
        for (std::size_t i = value.begin; i < value.end && text.size() < kLongest; ++i) {
            text += words_[i].text;
        }
        return text.substr(0, kLongest);
    }

    std::vector<PythonWord> words_;
    LaunchKeys keys_;
    std::map<std::string, PythonValues> named_;
    std::map<std::string, WordSpan> dictionaries_;
    std::size_t entries_ = 0;  ///< one dictionary may stand in another, many times
};

}  // namespace

Result<LaunchKeys> readPythonKeys(std::string_view text, const std::string& source) {
    FABRICAST_ASSIGN(std::vector<PythonWord> words, readPythonWords(text, source));
    return PythonKeyReader(std::move(words), source).read();
}

}  // namespace fabricast
