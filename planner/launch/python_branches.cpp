#include "planner/launch/python_branches.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

using PythonKind = PythonWord::Kind;

/// A name that stands for another: more than a program has in a row.
constexpr int kMostNames = 16;

/// Behind the bracket that opens here, or the next word.
std::size_t behind(const PythonValues& program, std::size_t at) {
    return program.isOpening(at) ? program.words()[at].close + 1 : at + 1;
}

/// The first of these words in no bracket that is this name or sign; the end where none is.
template <class Matches>
std::size_t firstIn(const PythonValues& program, const WordSpan& span, const Matches& matches) {
    std::size_t at = span.begin;
    while (at < span.end && !matches(at)) {
        at = behind(program, at);
    }
    return std::min(at, span.end);
}

std::size_t placeOfWord(const PythonValues& program, const WordSpan& span, std::string_view name) {
    return firstIn(program, span, [&](std::size_t at) { return program.isName(at, name); });
}

/// A number, a text, True, False or None; nothing for what is worked out.
struct Literal {
    PythonKind kind = PythonKind::Name;
    std::string text;
    friend bool operator==(const Literal&, const Literal&) = default;

    [[nodiscard]] bool isTrue() const {
        return kind == PythonKind::Name     ? text == "True"
               : kind == PythonKind::Number ? text.find_first_not_of("0.eE+-") != std::string::npos
                                            : !text.empty();
    }
};

/// What a literal is as a number; nothing of other words.
std::optional<double> numberOfLiteral(const Literal& literal) {
    const std::string& text = literal.text;
    const char* const end = text.data() + text.size();
    double number = 0.0;
    const auto [stop, trouble] = std::from_chars(text.data(), end, number);
    const bool isNumber = literal.kind != PythonKind::Name && trouble == std::errc() && stop == end;
    return isNumber ? std::optional(number) : std::nullopt;
}

/// What is typed for an argument is what argparse makes of it; a variable is a text.
Literal literalOf(const std::string& typed, bool isArgument) {
    const bool isName = typed == "True" || typed == "False" || typed == "None";
    const bool isNumber =
        !typed.empty() && typed.find_first_not_of("0123456789.") == std::string::npos;
    return {isArgument && isName     ? PythonKind::Name
            : isArgument && isNumber ? PythonKind::Number
                                     : PythonKind::Text,
            typed};
}

class ConditionReader {
public:
    explicit ConditionReader(const PythonValues& program) : program_(program) {}

    // NOLINTNEXTLINE(misc-no-recursion): brackets in each other are few, and so are names
    std::optional<bool> anyOf(const WordSpan& span, int names) const {
        return joined(span, "or", true, [this, names](const WordSpan& part) {
            return joined(part, "and", false, [this, names](const WordSpan& one) {
                return single(one, names);
            });
        });
    }

private:
    /// "a or b" holds where one does, and is known where one holds or all are known.
    template <class Part>
    std::optional<bool> joined(const WordSpan& span,
                               std::string_view word,
                               bool decides,
                               const Part& part) const {
        bool isKnown = span.begin < span.end;
        for (std::size_t begin = span.begin; begin < span.end;) {
            const std::size_t end = placeOfWord(program_, {begin, span.end}, word);
            const std::optional<bool> one = part(WordSpan{begin, end});
            if (one == decides) {
                return decides;
            }
            isKnown = isKnown && one.has_value();
            begin = end + 1;
        }
        return isKnown ? std::optional(!decides) : std::nullopt;
    }

    // NOLINTNEXTLINE(misc-no-recursion): as above
    std::optional<bool> single(WordSpan span, int names) const {
        bool isNot = false;
        while (program_.isName(span.begin, "not") && span.begin < span.end) {
            isNot = !isNot;
            ++span.begin;
        }
        std::optional<bool> known = compared(span);
        const auto given = names < kMostNames ? program_.givenTo(span) : std::nullopt;
        if (!known && given) {
            known = anyOf(*given, names + 1);
        } else if (!known && program_.isSign(span.begin, "(") &&
                   behind(program_, span.begin) == span.end) {
            known = anyOf({span.begin + 1, span.end - 1}, names);
        }
        return known ? std::optional(*known != isNot) : std::nullopt;
    }

    [[nodiscard]] std::optional<bool> compared(const WordSpan& span) const {
        const std::size_t sign = firstIn(program_, span, [this](std::size_t at) {
            return program_.isName(at, "is") || program_.isSign(at, "==") ||
                   program_.isSign(at, "!=") || isOrder(at);
        });
        const std::optional<Literal> left = literal({span.begin, sign});
        if (sign == span.end || !left) {
            return left ? std::optional(left->isTrue()) : std::nullopt;
        }
        if (isOrder(sign)) {
            return ordered(*left, sign, span.end);
        }
        const bool isNot = program_.isName(sign + 1, "not");
        const std::optional<Literal> right = literal({sign + (isNot ? 2U : 1U), span.end});
        if (!right ||
            (left->kind != right->kind && left->text != "None" && right->text != "None")) {
            return std::nullopt;
        }
        return (*left == *right) != (isNot || program_.isSign(sign, "!="));
    }

    /// "<", ">", "<=" or ">=".
    [[nodiscard]] bool isOrder(std::size_t at) const {
        return program_.isSign(at, "<") || program_.isSign(at, ">") || program_.isSign(at, "<=") ||
               program_.isSign(at, ">=");
    }

    /// "args.lora_rank > 0" of numbers that are known.
    [[nodiscard]] std::optional<bool> ordered(const Literal& left,
                                              std::size_t sign,
                                              std::size_t end) const {
        const std::optional<Literal> right = literal({sign + 1, end});
        const std::optional<double> less = numberOfLiteral(left);
        const std::optional<double> more = right ? numberOfLiteral(*right) : std::nullopt;
        if (!less || !more) {
            return std::nullopt;
        }
        const std::string& order = program_.words()[sign].text;
        return order == "<"    ? *less < *more
               : order == ">"  ? *less > *more
               : order == "<=" ? *less <= *more
                               : *less >= *more;
    }

    [[nodiscard]] std::optional<Literal> literal(WordSpan span) const {
        if (span.end == span.begin + 2 && program_.isSign(span.begin, "-") &&
            program_.words()[span.begin + 1].kind == PythonKind::Number) {
            return Literal{PythonKind::Number, "-" + program_.words()[span.begin + 1].text};
        }
        for (int names = 0; names < kMostNames && span.begin < span.end; ++names) {
            if (program_.isName(span.begin, "int") && program_.isSign(span.begin + 1, "(") &&
                behind(program_, span.begin + 1) == span.end) {
                const std::optional<Literal> made = literal({span.begin + 2, span.end - 1});
                return made ? std::optional(literalOf(made->text, true)) : std::nullopt;
            }
            const PythonWord& word = program_.words()[span.begin];
            const bool isOne = span.end == span.begin + 1;
            const bool isName = word.text == "True" || word.text == "False" || word.text == "None";
            if (isOne && !word.isOpen && word.kind != PythonKind::Sign &&
                (word.kind != PythonKind::Name || isName)) {
                return Literal{word.kind, word.text};
            }
            if (isOne && word.text == "__name__") {
                return Literal{PythonKind::Text, "__main__"};
            }
            if (const auto typed = program_.startedWith(span)) {
                return literalOf(*typed, !program_.isSign(span.end - 1, ")"));
            }
            const auto usual = program_.defaultOf(span);
            const auto given = usual ? usual : program_.givenTo(span);
            if (!given) {
                return std::nullopt;
            }
            span = *given;
        }
        return std::nullopt;
    }

    const PythonValues& program_;
};

/// The lines of a program by how deep they stand.
class BranchReader {
public:
    explicit BranchReader(const PythonValues& program)
        : program_(program), words_(program.words()) {}

    std::vector<PythonBranch> read() {
        readLines();
        for (std::size_t line = 0; line < lines_.size(); ++line) {
            addStatement(line);
        }
        std::map<std::size_t, std::size_t> ends;
        for (std::size_t at = words_.size(); at-- > 0;) {
            addChoice(at, ends);
        }
        return std::move(branches_);
    }

private:
    [[nodiscard]] bool isWordAt(std::size_t at, std::string_view name) const {
        return program_.isName(at, name);
    }
    [[nodiscard]] bool isEnd(std::size_t at) const {
        return at >= words_.size() || words_[at].kind == PythonKind::End;
    }
    [[nodiscard]] std::size_t wordOf(std::size_t line) const {
        return line < lines_.size() ? lines_[line] : words_.size();
    }

    void readLines() {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (!isEnd(i) && (i == 0 || isEnd(i - 1))) {
                lines_.push_back(i);
            }
            if (program_.isOpening(i)) {
                opened_.emplace(words_[i].close, i);
            }
        }
        next_.assign(lines_.size(), lines_.size());
        chainEnd_.assign(lines_.size() + 1, lines_.size());
        std::vector<std::size_t> shallower;
        for (std::size_t line = lines_.size(); line-- > 0;) {
            const std::int64_t column = words_[lines_[line]].column;
            while (!shallower.empty() && words_[lines_[shallower.back()]].column > column) {
                shallower.pop_back();
            }
            const std::size_t next = shallower.empty() ? lines_.size() : shallower.back();
            next_[line] = next;
            chainEnd_[line] = continues(line, next) ? chainEnd_[next] : next;
            shallower.push_back(line);
        }
    }

    /// Whether the next line that is no deeper is its "elif" or "else".
    [[nodiscard]] bool continues(std::size_t line, std::size_t next) const {
        const std::size_t at = wordOf(next);
        return (isWordAt(at, "elif") || isWordAt(at, "else")) &&
               words_[at].column == words_[lines_[line]].column;
    }

    void addStatement(std::size_t line) {
        const std::size_t at = lines_[line];
        if (!isWordAt(at, "if") && !isWordAt(at, "elif")) {
            return;
        }
        std::size_t colon = at + 1;
        while (!isEnd(colon) && !program_.isSign(colon, ":")) {
            colon = behind(program_, colon);
        }
        const std::size_t body = wordOf(next_[line]);
        const std::size_t end = continues(line, next_[line]) ? wordOf(chainEnd_[line]) : body;
        branches_.push_back({{at + 1, colon}, {colon, body}, {body, end}});
    }

    /// "a if c else b" whose "if" stands here. Those behind it are known, with their ends.
    void addChoice(std::size_t at, std::map<std::size_t, std::size_t>& ends) {
        const bool isFirst = at == 0 || isEnd(at - 1) || program_.isSign(at - 1, ";");
        if (!isWordAt(at, "if") || isFirst) {
            return;
        }
        const auto stops = [this](std::size_t word) {
            return isEnd(word) || isWordAt(word, "if") || program_.isSign(word, ",") ||
                   program_.isSign(word, ";") || opened_.contains(word);
        };
        std::size_t otherwise = at + 1;
        while (!stops(otherwise) && !isWordAt(otherwise, "else")) {
            otherwise = behind(program_, otherwise);
        }
        if (!isWordAt(otherwise, "else")) {
            return;
        }
        std::size_t end = otherwise + 1;
        while (!stops(end)) {
            end = behind(program_, end);
        }
        const auto chained = ends.find(end);
        end = chained == ends.end() ? end : chained->second;
        ends.emplace(at, end);
        branches_.push_back({{at + 1, otherwise}, {beginOfChoice(at), at}, {otherwise + 1, end}});
    }

    [[nodiscard]] std::size_t beginOfChoice(std::size_t at) const {
        std::size_t begin = at;
        while (begin > 0) {
            const std::size_t before = begin - 1;
            const auto bracket = opened_.find(before);
            const bool isBreak =
                isEnd(before) || program_.isOpening(before) || isWordAt(before, "else") ||
                isWordAt(before, "if") || isWordAt(before, "return") ||
                std::ranges::any_of(
                    kBreaks, [&](std::string_view sign) { return program_.isSign(before, sign); });
            if (isBreak) {
                break;
            }
            begin = bracket == opened_.end() ? before : bracket->second;
        }
        return begin;
    }

    static constexpr std::array<std::string_view, 4> kBreaks = {",", "=", ":", ";"};
    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    std::vector<std::size_t> lines_;             ///< their first words
    std::vector<std::size_t> next_;              ///< by line, the next that is no deeper
    std::vector<std::size_t> chainEnd_;          ///< by line, behind its "elif" and "else"
    std::map<std::size_t, std::size_t> opened_;  ///< by the bracket that closes
    std::vector<PythonBranch> branches_;
};

}  // namespace

std::vector<PythonBranch> branchesOf(const PythonValues& program) {
    return BranchReader(program).read();
}

std::optional<bool> holds(const PythonValues& program, const WordSpan& condition) {
    return ConditionReader(program).anyOf(condition, 0);
}

WordSpan chosenOf(const PythonValues& program, WordSpan value) {
    while (true) {
        const std::size_t at = placeOfWord(program, value, "if");
        const std::size_t otherwise = placeOfWord(program, {at, value.end}, "else");
        const std::size_t loop = placeOfWord(program, {value.begin, at}, "for");
        if (otherwise == value.end || loop != at) {
            return value;
        }
        const auto known = holds(program, {at + 1, otherwise});
        if (!known) {
            return value;
        }
        value = *known ? WordSpan{value.begin, at} : WordSpan{otherwise + 1, value.end};
    }
}

PythonCourse courseOf(const PythonValues& program) {
    struct Decided {
        WordSpan span;
        WordSpan condition;
        bool isDead = false;
    };
    std::vector<Decided> decided;
    for (const PythonBranch& branch : branchesOf(program)) {
        const std::optional<bool> known = holds(program, branch.condition);
        if (known != true) {
            decided.push_back({branch.taken, branch.condition, known == false});
        }
        if (known != false) {
            decided.push_back({branch.otherwise, branch.condition, known == true});
        }
    }
    std::ranges::stable_sort(decided, {}, [](const Decided& one) { return one.span.begin; });
    PythonCourse course;
    std::vector<const Decided*> around;
    auto next = decided.begin();
    std::size_t deadUntil = 0;
    for (std::size_t i = 0; i < program.words().size(); ++i) {
        for (; next != decided.end() && next->span.begin <= i; ++next) {
            around.push_back(&*next);
            deadUntil = next->isDead ? std::max(deadUntil, next->span.end) : deadUntil;
        }
        while (!around.empty() && around.back()->span.end <= i) {
            around.pop_back();
        }
        course.isDead.push_back(i < deadUntil);
        course.decidedBy.push_back(around.empty() ? WordSpan() : around.back()->condition);
    }
    return course;
}

}  // namespace fabricast
