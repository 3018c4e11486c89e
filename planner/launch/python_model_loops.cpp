#include "planner/launch/python_model_tracer.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

bool isAnyModel(const std::vector<MaybeRef>& round) {
    return std::ranges::any_of(round, [](const MaybeRef& ref) { return ref.has_value(); });
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as run
std::size_t ModelTracer::runLoop(std::size_t at, const WordSpan& head, ModelNames& names) {
    std::size_t in = head.begin;
    while (in < head.end && !program_.isName(in, "in")) {
        in = behindWord(in);
    }
    const std::vector<WordSpan> targets = partsOf({head.begin, in});
    const WordSpan value{std::min(in + 1, head.end), head.end};
    loopColumn_ = words_[at].column;
    std::vector<Round> rounds;
    const std::vector<WordSpan> items = listedIn(value);
    for (const WordSpan& item : items) {
        rounds.push_back(roundOf(targets, item, names));
    }
    if (!std::ranges::any_of(rounds, isAnyModel)) {
        Round round(targets.size());
        if (items.empty() && !targets.empty()) {
            round.back() = evaluate(value, names);
        }
        bindRound(targets, round, names);
        return head.end + 1;
    }
    const WordSpan body{head.end + 1, endOfBody(program_, head.end + 1, words_[at].column)};
    models_.listed.insert(head.begin);
    blocks_.pop_back();  // what is written out runs in no loop
    for (const Round& round : rounds) {
        bindRound(targets, round, names);
        loopColumn_ = words_[at].column;
        (void)run(body, names);
    }
    return body.end;
}

std::vector<WordSpan> ModelTracer::listedIn(WordSpan value) const {
    constexpr std::array kPasses = {"enumerate"sv, "list"sv, "tuple"sv, "reversed"sv};
    if (program_.isName(value.begin) && isAmong(kPasses, words_[value.begin].text) &&
        isSign(value.begin + 1, "(") && words_[value.begin + 1].close + 1 == value.end) {
        value = {value.begin + 2, value.end - 1};
    }
    value = program_.givenTo(value).value_or(value);
    const bool isBracketed = program_.isOpening(value.begin) && !isSign(value.begin, "{") &&
                             words_[value.begin].close + 1 == value.end;
    const WordSpan inside = isBracketed ? WordSpan{value.begin + 1, value.end - 1} : value;
    const bool isOne = placeOf(inside, ",") == inside.end;
    for (std::size_t i = inside.begin; i < inside.end; i = behindWord(i)) {
        if (program_.isName(i, "for")) {
            return {};
        }
    }
    if (isOne && !(isBracketed && isSign(value.begin, "["))) {
        return {};
    }
    return partsOf(inside);
}

// NOLINTNEXTLINE(misc-no-recursion): as run
ModelTracer::Round ModelTracer::roundOf(const std::vector<WordSpan>& targets,
                                        const WordSpan& item,
                                        ModelNames& names) {
    Round round(targets.size());
    const std::vector<WordSpan> parts = partsOf(item);
    if (targets.size() > 1 && parts.size() == targets.size()) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            round[i] = evaluate(parts[i], names);
        }
    } else if (!round.empty()) {
        round.back() =
            evaluate({item.begin + (isSign(item.begin, "*") ? 1U : 0U), item.end}, names);
    }
    return round;
}

void ModelTracer::bindRound(const std::vector<WordSpan>& targets,
                            const Round& round,
                            ModelNames& names) {
    for (const WordSpan& target : targets) {
        names.erase(program_.textOf(target));
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (MaybeRef ref = round[i]) {
            ref->named = ref->givesNames ? program_.textOf(targets.front()) : "";
            ref->givesNames = false;
            names.insert_or_assign(program_.textOf(targets[i]), *ref);
        }
    }
}

}  // namespace fabricast
