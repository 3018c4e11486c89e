#include "planner/base/nearest_name.h"
#include "planner/base/quantity_text.h"
#include "planner/text/shell_text.h"
#include "study/percent.h"
#include "study/requirements.h"
#include "study/typed_amounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kSpaces = " \t";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kSpaces);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

/// Cuts what follows the last `mark` off; nothing where there is none.
std::optional<std::string_view> cutBehind(std::string_view& text, char mark) {
    const std::size_t place = text.rfind(mark);
    if (place == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view behind = trimmed(text.substr(place + 1));
    text = trimmed(text.substr(0, place));
    return behind;
}

struct RelationName {
    std::string_view typed;
    Relation relation;
};
// The longer ones first, as "<" begins "<=".
constexpr std::array kRelations = {RelationName{"<=", Relation::AtMost},
                                   RelationName{">=", Relation::AtLeast},
                                   RelationName{"==", Relation::Equal},
                                   RelationName{"<", Relation::Less},
                                   RelationName{">", Relation::Greater}};

/// What people write for a comparison that there is.
constexpr std::array kMeant = {RelationName{"=>", Relation::AtLeast},
                               RelationName{"=<", Relation::AtMost},
                               RelationName{"≥", Relation::AtLeast},
                               RelationName{"≤", Relation::AtMost},
                               RelationName{"=", Relation::Equal}};

std::string_view relationText(Relation relation) {
    return std::ranges::find(kRelations, relation, &RelationName::relation)->typed;
}

/// How a metric is mostly asked: speed at least, anything else at most.
Relation usualRelation(Metric metric) {
    const bool isSpeed = metric == Metric::TokensPerSecond ||
                         metric == Metric::TokensPerGpuSecond || metric == Metric::Mfu ||
                         metric == Metric::Goodput;
    return isSpeed ? Relation::AtLeast : Relation::AtMost;
}

/// A value that is accepted.
std::string exampleOf(Metric metric) {
    if (metric == Metric::UsdPerRun || metric == Metric::UsdPerMtok) {
        return metric == Metric::UsdPerRun ? "$17k" : "$0.35";
    }
    if (metric == Metric::Days) {
        return "30";
    }
    switch (nameOf(metric).unit) {
        case NumberUnit::Duration:
            return "2.5 s";
        case NumberUnit::TokenRate:
            return "1.2M";
        case NumberUnit::Size:
            return "72 GiB";
        case NumberUnit::Share:
            return metric == Metric::Mfu ? "45%" : "92%";
        case NumberUnit::Count:
            return "64";
        case NumberUnit::Amount:
            break;
    }
    return "0.35";
}

struct JudgedName {
    std::string_view typed;
    Judged judged;
};
constexpr std::array kJudged = {JudgedName{"p10", Judged::Low},
                                JudgedName{"p50", Judged::Middle},
                                JudgedName{"p90", Judged::High}};

/// A number and nothing behind it.
std::optional<double> plainNumber(std::string_view text) {
    double value = 0.0;
    const auto [stop, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isWhole = trouble == std::errc() && stop == text.data() + text.size();
    return isWhole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Reads one requirement; every error says which one it is about.
class Reader {
public:
    Reader(std::string_view text, const std::string& where) : where_(where) {
        requirement_.text = std::string(trimmed(text));
        requirement_.where = where;
    }

    Result<Requirement> read() && {
        std::string_view rest = requirement_.text;
        FABRICAST_TRY(readLevel(rest));
        FABRICAST_TRY(readJudged(rest));
        const std::size_t end = rest.find_first_of(" \t<>=");
        FABRICAST_TRY(readMetric(rest.substr(0, end)));
        rest = end == std::string_view::npos ? std::string_view() : trimmed(rest.substr(end));
        FABRICAST_TRY(requirement_.metric == Metric::Fits ? readFits(rest) : readBound(rest));
        return std::move(requirement_);
    }

private:
    [[nodiscard]] tl::unexpected<Error> wrong(const std::string& why, std::string hint) const {
        return fail(Error::Code::BadInput,
                    where_,
                    "requirement \"" + requirement_.text + "\": " + why,
                    std::move(hint));
    }

    /// The requirement with another comparison or value, as it is typed there.
    [[nodiscard]] std::string withBound(Relation relation, const std::string& value) const {
        std::string text = std::string(nameOf(requirement_.metric).name) + " " +
                           std::string(relationText(relation)) + " " + value;
        if (requirement_.judged != Judged::Interval) {
            text += " @ ";
            text += std::ranges::find(kJudged, requirement_.judged, &JudgedName::judged)->typed;
        }
        text += requirement_.level == RequirementLevel::Warning ? " : warn" : "";
        return where_ == "--require" ? where_ + " " + shellWord(text) : text;
    }
    [[nodiscard]] std::string withValue(const std::string& value) const {
        return withBound(requirement_.relation, value);
    }

    Result<void> readLevel(std::string_view& rest) {
        const std::optional<std::string_view> word = cutBehind(rest, ':');
        if (word && *word != "warn" && *word != "error") {
            return wrong("\"" + std::string(*word) + "\" is not a level",
                         "\": warn\" or \": error\"");
        }
        requirement_.level = word == "warn" ? RequirementLevel::Warning : RequirementLevel::Error;
        return {};
    }

    Result<void> readJudged(std::string_view& rest) {
        const std::optional<std::string_view> word = cutBehind(rest, '@');
        if (!word) {
            return {};
        }
        const auto* found = std::ranges::find(kJudged, *word, &JudgedName::typed);
        if (found == kJudged.end()) {
            return wrong("\"" + std::string(*word) + "\" is not a place in the interval",
                         "@ p10, @ p50 or @ p90");
        }
        requirement_.judged = found->judged;
        return {};
    }

    Result<void> readMetric(std::string_view word) {
        const auto* found = std::ranges::find(kMetrics, word, &MetricName::name);
        if (found != kMetrics.end()) {
            requirement_.metric = found->metric;
            return {};
        }
        std::vector<std::string_view> known;
        for (const MetricName& one : kMetrics) {
            known.push_back(one.name);
        }
        return wrong(
            word.empty() ? "has no metric" : "\"" + std::string(word) + "\" is not a metric",
            suggestName(word, known));
    }

    Result<void> readFits(std::string_view rest) {
        if (!rest.empty() && rest != "surely") {
            return wrong("nothing but \"surely\" may follow fits", "fits surely");
        }
        requirement_.surely = rest == "surely";
        return {};
    }

    Result<void> readBound(std::string_view rest) {
        const auto* found = std::ranges::find_if(
            kRelations, [rest](const RelationName& one) { return rest.starts_with(one.typed); });
        const std::string example = exampleOf(requirement_.metric);
        if (found == kRelations.end()) {
            return wrong("a comparison follows the metric: <=, <, >=, > or ==", meant(rest));
        }
        requirement_.relation = found->relation;
        rest = trimmed(rest.substr(found->typed.size()));
        if (rest.empty()) {
            return wrong("has no value", withValue(example));
        }
        return rest.starts_with("baseline") ? readFactor(trimmed(rest.substr(8))) : readValue(rest);
    }

    /// The requirement as it is, of the forecast itself.
    [[nodiscard]] std::string withoutJudged() const {
        const std::size_t end = requirement_.text.rfind('@');
        const std::string text(trimmed(std::string_view(requirement_.text).substr(0, end)));
        const std::string level = requirement_.level == RequirementLevel::Warning ? " : warn" : "";
        return where_ == "--require" ? where_ + " " + shellWord(text + level) : text + level;
    }

    /// What was meant by a comparison that there is not.
    [[nodiscard]] std::string meant(std::string_view rest) const {
        const auto* const like = std::ranges::find_if(
            kMeant, [rest](const RelationName& one) { return rest.starts_with(one.typed); });
        if (like == kMeant.end()) {
            return withBound(usualRelation(requirement_.metric), exampleOf(requirement_.metric));
        }
        const std::string_view value = trimmed(rest.substr(like->typed.size()));
        return withBound(like->relation,
                         value.empty() ? exampleOf(requirement_.metric) : std::string(value));
    }

    /// "" or "* 0.98".
    Result<void> readFactor(std::string_view rest) {
        requirement_.ofBaseline = true;
        if (requirement_.judged != Judged::Interval) {
            return wrong("the baseline is compared with forecasts, not with intervals",
                         withoutJudged());
        }
        if (rest.empty()) {
            return {};
        }
        const std::optional<double> factor =
            rest.starts_with('*') ? plainNumber(trimmed(rest.substr(1))) : std::nullopt;
        if (!factor || *factor <= 0.0) {
            return wrong("the baseline may only be multiplied by a number above 0",
                         withValue("baseline * 0.98"));
        }
        requirement_.bound = *factor;
        return {};
    }

    Result<void> readValue(std::string_view typed) {
        FABRICAST_ASSIGN(requirement_.bound, valueOf(typed));
        if (requirement_.bound < 0.0 || !std::isfinite(requirement_.bound)) {
            return wrong("the value must be a number of 0 or more",
                         withValue(exampleOf(requirement_.metric)));
        }
        return {};
    }

    /// What is wrong with the value, said of the requirement.
    [[nodiscard]] Result<double> orExample(Result<double> read) const {
        return read ? std::move(read)
                    : wrong(read.error().why, withValue(exampleOf(requirement_.metric)));
    }

    /// "45" and "95 %" are both meant as percent.
    Result<double> shareOf(std::string_view typed) {
        Result<double> share = percentOf(std::string(typed), where_);
        if (share) {
            return share;
        }
        const std::optional<double> number = plainNumber(typed);
        constexpr double kLeastMeantAsPercent = 2.0;  // 1.3 is 130 %, and no share
        const bool isPercent = number && *number >= kLeastMeantAsPercent && *number <= 100.0;
        return wrong(
            "must be a share from 0 to 1",
            withValue(isPercent ? std::string(typed) + "%" : exampleOf(requirement_.metric)));
    }

    Result<double> valueOf(std::string_view typed) {
        const std::optional<double> number = plainNumber(typed);
        const auto quantity = [&](auto unit) -> Result<double> {
            const auto read = parseQuantity<decltype(unit)>(typed, where_);
            return orExample(read ? Result<double>(static_cast<double>(read->count()))
                                  : tl::unexpected(read.error()));
        };
        if (requirement_.metric == Metric::Days) {
            return orExample(typedDays(typed, where_));
        }
        switch (nameOf(requirement_.metric).unit) {
            case NumberUnit::Duration:
                return number ? Result<double>(*number) : quantity(Seconds());
            case NumberUnit::TokenRate:
                return number ? Result<double>(*number) : orExample(typedTokenRate(typed, where_));
            case NumberUnit::Size:
                return quantity(Bytes());
            case NumberUnit::Share:
                return shareOf(typed);
            case NumberUnit::Amount:
            case NumberUnit::Count:
                break;
        }
        if (number) {
            return *number;
        }
        const bool isMoney =
            requirement_.metric == Metric::UsdPerMtok || requirement_.metric == Metric::UsdPerRun;
        return isMoney ? orExample(typedDollars(typed, where_))
                       : wrong("\"" + std::string(typed) + "\" is not a number",
                               withValue(exampleOf(requirement_.metric)));
    }

    std::string where_;
    Requirement requirement_;
};

}  // namespace

Result<Requirement> readRequirement(std::string_view text, const std::string& where) {
    return Reader(text, where).read();
}

Result<std::vector<Requirement>> requirementsIn(const Question& question) {
    std::vector<Requirement> requirements;
    const JsonValue* list = question.root.find("require");
    if (list == nullptr) {
        return requirements;
    }
    FABRICAST_TRY(list->expect(JsonValue::Kind::Array));
    for (const JsonValue& item : list->items()) {
        FABRICAST_ASSIGN(const std::string text, item.text());
        FABRICAST_ASSIGN(Requirement one, readRequirement(text, item.where()));
        requirements.push_back(std::move(one));
    }
    return requirements;
}

Result<std::vector<Requirement>> noRegression(const std::string& typed, const std::string& where) {
    FABRICAST_ASSIGN(const double share, percentOf(typed, where));
    if (share >= 1.0) {  // "1" is 100 %
        return fail(Error::Code::BadInput,
                    where,
                    "\"" + typed + "\" is 100 %, which no speed falls by: nothing would be checked",
                    where + " 1%");
    }
    const auto ofBaseline = [&](Metric metric, Relation relation, double factor) {
        // Of 1 - 7 % the nearest number in binary is 0.9299999999999999.
        const std::string digits = fmt::format("{:.12g}", factor);
        const std::string sign = relation == Relation::AtLeast ? " >= " : " <= ";
        return Requirement{.text = std::string(nameOf(metric).name) + sign + "baseline * " + digits,
                           .where = where,
                           .metric = metric,
                           .relation = relation,
                           .bound = factor,
                           .ofBaseline = true};
    };
    return std::vector{ofBaseline(Metric::TokensPerSecond, Relation::AtLeast, 1.0 - share),
                       ofBaseline(Metric::MemoryPeak, Relation::AtMost, 1.0 + share)};
}

}  // namespace fabricast
