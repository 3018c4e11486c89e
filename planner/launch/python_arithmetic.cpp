#include "planner/launch/python_arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

using Whole = std::optional<std::int64_t>;

/// Brackets in each other; a size of a training has few.
constexpr int kMostSumLevels = 32;
/// Larger numbers are no sizes, and two of them may be multiplied.
constexpr std::int64_t kMostSum = std::int64_t{1} << 31;

class SumReader {
public:
    SumReader(const PythonValues& program, const WordSpan& value)
        : program_(program), at_(value.begin), end_(value.end) {}

    Whole read() {
        const Whole all = sum(0);
        return at_ == end_ ? all : std::nullopt;
    }

private:
    bool takes(std::string_view sign) {
        const bool is = at_ < end_ && program_.isSign(at_, sign);
        at_ += is ? 1 : 0;
        return is;
    }

    static Whole kept(Whole number) {
        return number && std::abs(*number) <= kMostSum ? number : std::nullopt;
    }

    // NOLINTNEXTLINE(misc-no-recursion): kMostSumLevels
    Whole sum(int level) {
        Whole all = product(level);
        while (all) {
            const bool adds = takes("+");
            if (!adds && !takes("-")) {
                break;
            }
            const Whole next = product(level);
            all = next ? kept(adds ? *all + *next : *all - *next) : std::nullopt;
        }
        return all;
    }

    // NOLINTNEXTLINE(misc-no-recursion): as sum
    Whole product(int level) {
        Whole all = power(level);
        while (all) {
            if (takes("*")) {
                const Whole next = power(level);
                all = next ? kept(*all * *next) : std::nullopt;
            } else if (takes("/")) {
                const bool isWhole = takes("/");
                const Whole by = power(level);
                const bool divides = by && *by > 0 && *all >= 0 && (isWhole || *all % *by == 0);
                all = divides ? Whole(*all / *by) : std::nullopt;
            } else if (takes("%")) {
                const Whole by = power(level);
                all = by && *by > 0 && *all >= 0 ? Whole(*all % *by) : std::nullopt;
            } else {
                break;
            }
        }
        return all;
    }

    // NOLINTNEXTLINE(misc-no-recursion): as sum
    Whole power(int level) {
        const bool isNegative = takes("-");
        Whole base = single(level);
        if (base && takes("**")) {
            const Whole exponent = single(level);
            Whole all = exponent && *exponent >= 0 ? Whole(1) : std::nullopt;
            for (std::int64_t i = 0; all && i < *exponent && i < kMostSum; ++i) {
                all = kept(*all * *base);
                if (*base == 0 || *base == 1) {
                    break;
                }
            }
            base = all;
        }
        return base && isNegative ? Whole(-*base) : base;
    }

    /// A number, a name, a call or something in brackets.
    // NOLINTNEXTLINE(misc-no-recursion): as sum
    Whole single(int level) {
        if (at_ >= end_ || level > kMostSumLevels) {
            return std::nullopt;
        }
        const std::size_t begin = at_;
        const bool isName = program_.isName(begin);
        if (!isName && program_.words()[begin].kind != PythonWord::Kind::Number &&
            !program_.isSign(begin, "(")) {
            return std::nullopt;
        }
        const std::size_t bracket = isName ? program_.endOfName(begin) : begin;
        if (isName && program_.isSign(bracket, "[")) {
            at_ = program_.words()[bracket].close + 1;
            return valueOf({begin, at_});
        }
        if (!program_.isSign(bracket, "(")) {
            at_ = isName ? bracket : begin + 1;
            return valueOf({begin, at_});
        }
        at_ = program_.words()[bracket].close + 1;
        const std::string name = isName ? program_.textOf({begin, bracket}) : "";
        if (name == "max" || name == "min") {
            return extreme(bracket, name == "max", level);
        }
        return name.empty() || name == "int" ? inside({bracket + 1, at_ - 1}, level)
                                             : valueOf({begin, at_});
    }

    // NOLINTNEXTLINE(misc-no-recursion): as sum
    [[nodiscard]] Whole inside(const WordSpan& value, int level) const {
        SumReader reader(program_, value);
        const Whole all = reader.sum(level + 1);
        return reader.at_ == reader.end_ ? all : std::nullopt;
    }

    // NOLINTNEXTLINE(misc-no-recursion): as sum
    [[nodiscard]] Whole extreme(std::size_t bracket, bool isMost, int level) const {
        Whole all;
        for (const WordSpan& item : program_.itemsIn(bracket)) {
            const Whole one = inside(item, level);
            if (!one) {
                return std::nullopt;
            }
            all = !all ? *one : isMost ? std::max(*all, *one) : std::min(*all, *one);
        }
        return all;
    }

    // NOLINTNEXTLINE(misc-no-recursion): a name or a call, which have no sign
    [[nodiscard]] Whole valueOf(const WordSpan& value) const {
        constexpr std::size_t kMostTermDigits = 10;
        const std::vector<std::string> values = program_.valuesOf(value);
        const std::string text = values.size() == 1 ? values.front() : "";
        const bool isNumber = !text.empty() && text.size() <= kMostTermDigits &&
                              text.find_first_not_of("0123456789") == std::string::npos;
        return isNumber ? kept(std::stoll(text)) : std::nullopt;
    }

    const PythonValues& program_;
    std::size_t at_;
    std::size_t end_;
};

/// Whether there is a sign between its words, or it is max(…) or min(…).
bool worksOut(const PythonValues& program, const WordSpan& value) {
    constexpr std::array<std::string_view, 6> kSigns = {"+", "-", "*", "/", "%", "**"};
    const bool isCall = program.isName(value.begin) && program.isSign(value.begin + 1, "(");
    const std::string_view name = isCall ? program.words()[value.begin].text : std::string_view();
    bool is = name == "max" || name == "min";
    for (std::size_t i = value.begin; i < value.end && !is; ++i) {
        is = std::ranges::any_of(kSigns,
                                 [&](std::string_view sign) { return program.isSign(i, sign); });
        i = program.isOpening(i) ? program.words()[i].close : i;
    }
    return is;
}

}  // namespace

std::optional<std::string> arithmeticOf(const PythonValues& program, const WordSpan& value) {
    if (!worksOut(program, value)) {
        return std::nullopt;
    }
    const Whole all = SumReader(program, value).read();
    return all ? std::optional(std::to_string(*all)) : std::nullopt;
}

}  // namespace fabricast
