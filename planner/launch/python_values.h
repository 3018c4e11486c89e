#pragma once
#include "planner/launch/python_words.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Words [begin, end) of a program.
struct WordSpan {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// A program as its words, and what they stand for with the names that were given a value so far.
/// Nothing is run: what is worked out is "$(…)".
class PythonValues {
public:
    explicit PythonValues(std::vector<PythonWord> words) : words_(std::move(words)) {}

    [[nodiscard]] const std::vector<PythonWord>& words() const { return words_; }
    [[nodiscard]] bool isSign(std::size_t at, std::string_view sign) const;
    [[nodiscard]] bool isName(std::size_t at) const;
    [[nodiscard]] bool isOpening(std::size_t at) const;
    /// Behind the words "a.b.c" that begin here.
    [[nodiscard]] std::size_t endOfName(std::size_t at) const;
    /// What commas separate between a bracket and the one that closes it.
    [[nodiscard]] std::vector<WordSpan> itemsIn(std::size_t bracket) const;

    /// A name that is given two values has none that is known.
    void nameValue(const std::string& name, const WordSpan& value);
    /// A name whose value is changed has none that is known either.
    void forgetValue(const std::string& name);
    /// A number, a text, a name with its value, or the items of a list; "$(…)" where it is worked
    /// out when the script runs.
    [[nodiscard]] std::vector<std::string> valuesOf(const WordSpan& value) const;
    /// {…} or dict(…), and nothing else.
    [[nodiscard]] bool isDictionary(const WordSpan& value) const;
    /// What a name is given, where that is a dictionary.
    [[nodiscard]] WordSpan dictionaryOf(const WordSpan& value) const;

private:
    [[nodiscard]] bool isBracketed(const WordSpan& value) const;
    [[nodiscard]] std::vector<std::string> named(const std::string& name) const;
    [[nodiscard]] std::optional<std::vector<std::string>> usualOf(const WordSpan& value) const;
    [[nodiscard]] std::string textOf(const WordSpan& value) const;

    std::vector<PythonWord> words_;
    std::map<std::string, std::vector<std::string>> named_;
    std::map<std::string, WordSpan> dictionaries_;
};

}  // namespace fabricast
