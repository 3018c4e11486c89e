#include "planner/launch/python_model_tracer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// Keywords that stand where a name may.
constexpr std::array kKeywords = {"not"sv,
                                  "and"sv,
                                  "or"sv,
                                  "in"sv,
                                  "is"sv,
                                  "if"sv,
                                  "else"sv,
                                  "for"sv,
                                  "await"sv,
                                  "lambda"sv,
                                  "yield"sv,
                                  "with"sv,
                                  "while"sv};

}  // namespace

std::string lastOf(const std::string& name) {
    return name.substr(name.rfind('.') + 1);
}

std::string withoutLast(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string::npos ? "" : name.substr(0, dot);
}

MaybeRef namedModel(const std::string& name, const ModelNames& names) {
    for (std::size_t end = name.size(); end != std::string::npos && end > 0;
         end = name.rfind('.', end - 1)) {
        const auto found = names.find(name.substr(0, end));
        if (found != names.end()) {
            ModelRef ref = found->second;
            const std::string rest = end < name.size() ? name.substr(end + 1) : "";
            ref.part += ref.part.empty() || rest.empty() ? rest : "." + rest;
            return ofTrainer(std::move(ref));
        }
    }
    return std::nullopt;
}

ModelRef ofTrainer(ModelRef ref) {
    const std::string model = std::string(kTrainerPart) + ".model";
    if (ref.part == model || ref.part.starts_with(model + ".")) {
        ref.part.erase(0, std::min(model.size() + 1, ref.part.size()));
    }
    while (ref.part == "module" || ref.part.starts_with("module.")) {
        ref.part.erase(0, std::min(std::size_t{7}, ref.part.size()));  // of DDP, and engines
    }
    return ref;
}

// NOLINTNEXTLINE(misc-no-recursion): brackets in each other are few
MaybeRef ModelTracer::evaluate(WordSpan span, ModelNames& names) {
    span = chosenOf(program_, span);
    const std::size_t blocks = blocks_.size();
    enterComprehension(span);
    while (isSign(span.begin, "(") && words_[span.begin].close + 1 == span.end) {
        span = {span.begin + 1, span.end - 1};
    }
    const std::size_t begin = span.begin;
    MaybeRef only;
    std::size_t at = span.begin;
    while (at < span.end) {
        if (isDead(at)) {  // of "False and x()"
            at = behindWord(at);
        } else if (program_.isName(at) && !isAmong(kKeywords, words_[at].text)) {
            const std::size_t first = at;
            const MaybeRef ref = chain(at, names);
            const bool isWhole =
                first == begin || (first == begin + 1 && program_.isName(begin, "await"));
            only = isWhole && at >= span.end ? ref : std::nullopt;
        } else if (program_.isOpening(at)) {
            for (const WordSpan& item : program_.itemsIn(at)) {
                (void)evaluate(item, names);
            }
            at = words_[at].close + 1;
        } else {
            ++at;
        }
    }
    blocks_.resize(blocks);
    return only;
}

void ModelTracer::enterComprehension(const WordSpan& span) {
    for (std::size_t i = span.begin + 1; i < span.end; i = behindWord(i)) {
        if (program_.isName(i, "for")) {
            blocks_.push_back(blockAt(program_, i, {i + 1, span.end}));
            return;
        }
    }
}

// NOLINTNEXTLINE(misc-no-recursion): as evaluate
MaybeRef ModelTracer::chain(std::size_t& at, ModelNames& names) {
    const std::size_t first = at;
    at = program_.endOfName(at);
    std::string name = program_.textOf({first, at});
    MaybeRef ref = namedModel(name, names);
    while (true) {
        if (isSign(at, "(")) {
            ref = called(name, ref, {first, at}, names);
            name.clear();
            at = words_[at].close + 1;
        } else if (isSign(at, "[")) {
            if (ref) {
                ref->part += subscriptOf(at);
            }
            at = words_[at].close + 1;
        } else if (isSign(at, ".") && program_.isName(at + 1)) {
            const std::size_t begin = at + 1;
            at = program_.endOfName(begin);
            name = program_.textOf({begin, at});
            if (ref) {
                ref->part += (ref->part.empty() ? "" : ".") + name;
                ref = ofTrainer(*ref);
            }
        } else {
            return ref;
        }
    }
}

std::string ModelTracer::subscriptOf(std::size_t bracket) const {
    std::string text;
    for (std::size_t i = bracket; i <= words_[bracket].close; ++i) {
        const auto given = numbers_.find(words_[i].text);
        const std::vector<std::string> values =
            program_.isName(i) ? program_.valuesOf({i, i + 1}) : std::vector{words_[i].text};
        text += given != numbers_.end() && program_.isName(i) ? given->second
                : values.size() == 1                          ? values.front()
                                                              : words_[i].text;
    }
    return text;
}

// NOLINTNEXTLINE(misc-no-recursion): as evaluate
std::vector<ModelTracer::Argument> ModelTracer::argumentsOf(std::size_t bracket,
                                                            ModelNames& names) {
    std::vector<Argument> all;
    for (const WordSpan& item : program_.itemsIn(bracket)) {
        const bool isKeyword = program_.isName(item.begin) && isSign(item.begin + 1, "=");
        const WordSpan value{item.begin + (isKeyword ? 2U : 0U), item.end};
        all.push_back({isKeyword ? words_[item.begin].text : "", value, evaluate(value, names)});
    }
    return all;
}

const ModelTracer::Argument* ModelTracer::argumentFor(const std::vector<Argument>& all,
                                                      std::size_t place,
                                                      std::string_view name) {
    const auto named = std::ranges::find(all, name, &Argument::name);
    if (named != all.end()) {
        return &*named;
    }
    return place < all.size() && all[place].name.empty() ? &all[place] : nullptr;
}

}  // namespace fabricast
