#include "planner/launch/weight_conditions.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

using MaybeCondition = std::optional<NameCondition>;

/// Reads "a or b and not c" of texts in one variable.
class NameConditionReader {
public:
    NameConditionReader(const PythonValues& program, const std::string& variable)
        : program_(program), words_(program.words()), variable_(variable) {}

    // NOLINTNEXTLINE(misc-no-recursion): brackets in each other are few
    [[nodiscard]] MaybeCondition anyOf(const WordSpan& span) const {
        return joined(span, "or", [this](const WordSpan& part) {
            return joined(part, "and", [this](const WordSpan& one) { return single(one); });
        });
    }

private:
    [[nodiscard]] bool isVariable(const WordSpan& span) const {
        return span.end == span.begin + 1 && program_.isName(span.begin, variable_);
    }

    template <class Stops>
    [[nodiscard]] std::size_t placeOf(const WordSpan& span, const Stops& stops) const {
        std::size_t at = span.begin;
        while (at < span.end && !stops(at)) {
            at = program_.isOpening(at) ? words_[at].close + 1 : at + 1;
        }
        return std::min(at, span.end);
    }

    template <class Part>
    [[nodiscard]] MaybeCondition joined(const WordSpan& span,
                                        std::string_view word,
                                        const Part& part) const {
        NameCondition all;
        for (std::size_t begin = span.begin; begin < span.end;) {
            const std::size_t end = placeOf({begin, span.end}, [this, word](std::size_t at) {
                return program_.isName(at, word);
            });
            const MaybeCondition one = part(WordSpan{begin, end});
            if (!one) {
                return std::nullopt;
            }
            const bool isFirst = all.empty();
            all.insert(all.end(), one->begin(), one->end());
            if (!isFirst) {
                all.emplace_back(word);
            }
            begin = end + 1;
        }
        return all.empty() ? std::nullopt : MaybeCondition(std::move(all));
    }

    // NOLINTNEXTLINE(misc-no-recursion): as above
    [[nodiscard]] MaybeCondition single(WordSpan span) const {
        bool isNot = false;
        while (span.begin < span.end && program_.isName(span.begin, "not")) {
            isNot = !isNot;
            ++span.begin;
        }
        MaybeCondition found;
        if (const auto known = holds(program_, span)) {
            found = NameCondition{*known ? "true" : "false"};
        } else if (program_.isSign(span.begin, "(") && words_[span.begin].close + 1 == span.end) {
            found = anyOf({span.begin + 1, span.end - 1});
        } else {
            found = asked(span);
        }
        if (found && isNot) {
            found->emplace_back("not");
        }
        return found;
    }

    [[nodiscard]] MaybeCondition asked(const WordSpan& span) const {
        if (program_.isName(span.begin, "any") && program_.isSign(span.begin + 1, "(") &&
            words_[span.begin + 1].close + 1 == span.end) {
            return anyIn({span.begin + 2, span.end - 1});
        }
        const std::string name = program_.isName(span.begin)
                                     ? program_.textOf({span.begin, program_.endOfName(span.begin)})
                                     : "";
        const std::size_t bracket =
            program_.isName(span.begin) ? program_.endOfName(span.begin) : 0;
        const bool isCall =
            bracket > 0 && program_.isSign(bracket, "(") && words_[bracket].close + 1 == span.end;
        if (isCall && (name == variable_ + ".startswith" || name == variable_ + ".endswith")) {
            return eachOf(name.ends_with("startswith") ? "starts " : "ends ",
                          {bracket + 1, span.end - 1});
        }
        const std::size_t sign = placeOf(span, [this](std::size_t at) {
            return program_.isName(at, "in") || program_.isName(at, "not") ||
                   program_.isSign(at, "==");
        });
        const bool isNot = program_.isName(sign, "not");
        const std::size_t in = sign + (isNot ? 1U : 0U);
        const WordSpan left{span.begin, sign};
        const WordSpan right{in + 1, span.end};
        MaybeCondition found;
        if (in >= span.end) {
            return std::nullopt;
        }
        if (program_.isName(in, "in") && isVariable(right)) {
            found = eachOf("has ", left);
        } else if (isVariable(left) && (program_.isName(in, "in") || program_.isSign(in, "=="))) {
            found = eachOf("is ", right);
        }
        if (found && isNot) {
            found->emplace_back("not");
        }
        return found;
    }

    /// any(key in name for key in KEYS).
    [[nodiscard]] MaybeCondition anyIn(const WordSpan& span) const {
        const std::size_t loop =
            placeOf(span, [this](std::size_t at) { return program_.isName(at, "for"); });
        const bool isPlain = loop == span.begin + 3 && program_.isName(span.begin + 1, "in") &&
                             isVariable({span.begin + 2, loop}) &&
                             program_.isName(loop + 2, "in") &&
                             words_[span.begin].text == words_[loop + 1].text;
        return isPlain ? eachOf("has ", {loop + 3, span.end}) : std::nullopt;
    }

    /// Any of the texts that a value has.
    [[nodiscard]] MaybeCondition eachOf(const std::string& asks, const WordSpan& value) const {
        NameCondition all;
        for (const std::string& text : program_.valuesOf(value)) {
            const bool isWorkedOut = text.empty() || text.find('$') != std::string::npos;
            const bool isName = value.end == value.begin + 1 && program_.isName(value.begin) &&
                                text == words_[value.begin].text;
            if (isWorkedOut || isName) {
                return std::nullopt;
            }
            const bool isFirst = all.empty();
            all.push_back(asks + text);
            if (!isFirst) {
                all.emplace_back("or");
            }
        }
        return all.empty() ? std::nullopt : MaybeCondition(std::move(all));
    }

    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    const std::string& variable_;
};

}  // namespace

std::optional<NameCondition> nameCondition(const PythonValues& program,
                                           const WordSpan& condition,
                                           const std::string& variable) {
    return NameConditionReader(program, variable).anyOf(condition);
}

bool meets(std::string_view name, std::span<const std::string> condition) {
    std::vector<bool> values;
    for (const std::string& one : condition) {
        const std::string_view text =
            std::string_view(one).substr(std::min(one.size(), one.find(' ') + 1));
        if (one == "not" && !values.empty()) {
            values.back() = !values.back();
        } else if ((one == "and" || one == "or") && values.size() > 1) {
            const bool last = values.back();
            values.pop_back();
            values.back() = one == "and" ? values.back() && last : values.back() || last;
        } else {
            values.push_back(
                one == "true" ||
                (one.starts_with("has ") && name.find(text) != std::string_view::npos) ||
                (one.starts_with("starts ") && name.starts_with(text)) ||
                (one.starts_with("ends ") && name.ends_with(text)) ||
                (one.starts_with("is ") && name == text));
        }
    }
    return !values.empty() && values.back();
}

}  // namespace fabricast
