#include "planner/launch/python_model_tracer.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// More statements than a program has with its functions.
constexpr std::size_t kMostStatements = 20'000;

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): kMostInside functions
MaybeRef ModelTracer::run(const WordSpan& body, ModelNames& names) {
    const std::size_t outer = around_.size();
    const std::size_t outerBlock = blocks_.size();
    MaybeRef returned;
    std::size_t at = body.begin;
    while (at < body.end && statements_ < kMostStatements) {
        if (isEnd(at) || isSign(at, ";")) {
            ++at;
            continue;
        }
        ++statements_;
        const bool isLine = at == 0 || isEnd(at - 1);
        if (isLine) {
            leaveConditions(outer, at);
            leaveBlocks(outerBlock, at);
        }
        const auto function = functions_.find(at + (program_.isName(at, "async") ? 1U : 0U));
        if (function != functions_.end()) {
            at = std::max(function->second.body.end, at + 1);
        } else if (isDead(at)) {
            at = std::max(endOfStatement(at), at + 1);
        } else if (const std::size_t head = headAt(at, names); head != at) {
            at = head;
        } else {
            const std::size_t end = std::max(endOfStatement(at), at + 1);
            const MaybeRef ref = runSimple({at, end}, names);
            returned = program_.isName(at, "return") && !returned ? ref : returned;
            at = end;
        }
    }
    around_.resize(outer);
    blocks_.resize(outerBlock);
    return returned;
}

void ModelTracer::leaveBlocks(std::size_t outer, std::size_t at) {
    left_.reset();
    while (blocks_.size() > outer && blocks_.back().column >= words_[at].column) {
        left_ = blocks_.back().chain;
        blocks_.pop_back();
    }
}

void ModelTracer::enterBlock(std::size_t at, const WordSpan& head) {
    PythonBlock block = blockAt(program_, at, head);
    if (left_ && continuesBlock(words_[at].text)) {
        block.chain = *left_;
    }
    blocks_.push_back(block);
}

void ModelTracer::leaveConditions(std::size_t outer, std::size_t at) {
    const std::int64_t column = words_[at].column;
    const bool continues = program_.isName(at, "elif") || program_.isName(at, "else");
    while (around_.size() > outer && around_.back().column >= column &&
           !(continues && around_.back().column == column)) {
        around_.pop_back();
    }
    if (continues && around_.size() > outer && around_.back().column == column) {
        around_.back().condition.isNot = true;
    }
}

// NOLINTNEXTLINE(misc-no-recursion): as run
std::size_t ModelTracer::headAt(std::size_t at, ModelNames& names) {
    constexpr std::array kHeads = {"for"sv,
                                   "if"sv,
                                   "elif"sv,
                                   "else"sv,
                                   "while"sv,
                                   "with"sv,
                                   "try"sv,
                                   "except"sv,
                                   "finally"sv,
                                   "async"sv};
    if (!program_.isName(at) || !isAmong(kHeads, words_[at].text)) {
        return at;
    }
    const std::size_t colon = placeOf({at + 1, words_.size()}, ":");
    if (!isSign(colon, ":")) {
        return at;
    }
    const WordSpan head{at + 1, colon};
    enterBlock(at, head);
    if (program_.isName(at, "for")) {
        return runLoop(at, head, names);
    }
    if (program_.isName(at, "if") || program_.isName(at, "elif")) {
        (void)evaluate(head, names);
        if (!holds(program_, head)) {
            around_.push_back({words_[at].column, {head, false}});
        }
    } else {
        (void)evaluate(head, names);
    }
    return colon + 1;
}

// NOLINTNEXTLINE(misc-no-recursion): as run
MaybeRef ModelTracer::runSimple(WordSpan span, ModelNames& names) {
    if (program_.isName(span.begin, "continue") && !around_.empty()) {
        Around& last = around_.back();
        last.condition.isNot = !last.condition.isNot;
        last.column = std::min(last.column, loopColumn_ + 1);
        return std::nullopt;
    }
    if (program_.isName(span.begin, "return")) {
        for (const WordSpan& part : partsOf({span.begin + 1, span.end})) {
            if (const MaybeRef ref = evaluate(part, names)) {
                return ref;
            }
        }
        return std::nullopt;
    }
    std::size_t equals = placeOf(span, "=");
    if (equals == span.end) {
        return evaluate(span, names);
    }
    const WordSpan value{equals + 1, span.end};
    const std::size_t colon = placeOf({span.begin, equals}, ":");
    const std::vector<WordSpan> targets = partsOf({span.begin, colon});
    const std::vector<WordSpan> values = partsOf(value);
    if (targets.size() > 1 && targets.size() == values.size()) {
        std::vector<MaybeRef> refs;
        for (const WordSpan& one : values) {
            refs.push_back(evaluate(one, names));
        }
        for (std::size_t i = 0; i < targets.size(); ++i) {
            assign(targets[i], refs[i], values[i], names);
        }
        return std::nullopt;
    }
    std::vector<MaybeRef> refs = preparedIn(value, names);
    const MaybeRef ref = evaluate(value, names);
    if (refs.size() != targets.size() && !targets.empty()) {
        refs.assign(targets.size(), std::nullopt);
        refs[placeOfModel(targets)] = ref;
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        assign(targets[i], refs[i], value, names);
    }
    return std::nullopt;
}

std::vector<MaybeRef> ModelTracer::preparedIn(const WordSpan& value,
                                              const ModelNames& names) const {
    const std::size_t bracket = program_.isName(value.begin) ? program_.endOfName(value.begin) : 0;
    std::vector<MaybeRef> refs;
    if (bracket == 0 || !isSign(bracket, "(") || !program_.isName(bracket - 1, "prepare")) {
        return refs;
    }
    for (const WordSpan& item : program_.itemsIn(bracket)) {
        refs.push_back(namedModel(program_.textOf(item), names));
    }
    return refs;
}

std::size_t ModelTracer::placeOfModel(const std::vector<WordSpan>& targets) const {
    const auto found = std::ranges::find_if(targets, [this](const WordSpan& one) {
        return program_.textOf(one).find("model") != std::string::npos;
    });
    return found == targets.end() ? 0 : static_cast<std::size_t>(found - targets.begin());
}

void ModelTracer::assign(const WordSpan& target,
                         const MaybeRef& ref,
                         const WordSpan& value,
                         ModelNames& names) {
    const std::string name = program_.textOf(target);
    const MaybeRef whole = names.contains(name) ? std::nullopt : namedModel(name, names);
    if (whole && !whole->part.empty()) {
        ModelRef owner = *whole;
        owner.part = withoutLast(whole->part);
        addDeed(ModelDeed::Kind::Sets, lastOf(whole->part), owner, target.begin, value);
    } else if (ref) {
        names.insert_or_assign(name, *ref);
    } else {
        names.erase(name);
    }
}

}  // namespace fabricast
