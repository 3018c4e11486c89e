#include "planner/launch/python_model_tracer.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

namespace {

using namespace std::string_view_literals;

}  // namespace

void ModelTracer::addPass(const std::string& last,
                          const MaybeRef& ref,
                          const WordSpan& callee,
                          const std::vector<Argument>& arguments) {
    constexpr std::array kForwards = {""sv, "forward"sv, "model"sv, "transformer"sv};
    const bool isGiven =
        last == "compute_loss" && std::ranges::any_of(arguments, [](const auto& one) {
            return one.ref && one.ref->part.empty();
        });
    const bool isForward = ref ? isAmong(kForwards, ref->part) : isGiven;
    const std::size_t behind = words_[callee.end].close + 1;
    bool isLet = false;  // model(x).logits.detach()
    for (std::size_t i = behind; isSign(i, ".") && program_.isName(i + 1); i += 2) {
        isLet = isLet || program_.isName(i + 1, "detach");
    }
    if (ref && isForward) {
        models_.all[ref->model].isOnGpu = true;  // as what it is called with
    }
    if (last == "backward" || (isForward && !isLet)) {
        models_.passes.push_back({last == "backward",
                                  ref       ? ref->model
                                  : isGiven ? models_.trained.value_or(0)
                                            : 0,
                                  callee.begin,
                                  behind,
                                  blocks_});
    }
}

/// "@torch.no_grad()" on the lines before it.
bool ModelTracer::isWithoutGradients(const PythonFunction& function) const {
    std::size_t begin = function.at;
    for (std::size_t i = function.at; i > 0; --i) {
        const bool isLine = i == 1 || isEnd(i - 2);
        if (isLine && isSign(i - 1, "@")) {
            begin = i - 1;
        } else if (isLine && i != function.at + 1) {
            break;
        }
    }
    return saysWithoutGradients(program_, {begin, function.at});
}

void ModelTracer::runLosses() {
    isTraining_ = true;
    for (const auto& [at, one] : functions_) {
        const bool isLoss = one.isMethod && one.name == "compute_loss";
        const bool isOfMade = std::ranges::any_of(made_, [&](std::size_t trainer) {
            const WordSpan& body = functions_.at(trainer).body;
            return at >= body.begin && at < body.end;
        });
        if (!isLoss || !isOfMade) {
            continue;
        }
        const ModelRef model{*models_.trained};
        (void)runFunction(one, {Argument(), Argument{"", {}, model}}, {});
        models_.passes.push_back({.isBackward = true, .at = one.at});
    }
}

bool ModelTracer::callsBackward(const WordSpan& body) const {
    for (std::size_t i = body.begin; i < body.end; ++i) {
        if (program_.isName(i, "backward") && isSign(i + 1, "(") && !isDead(i)) {
            return true;
        }
    }
    return false;
}

void ModelTracer::runSteps() {
    isTraining_ = true;
    followsMethods_ = true;
    for (const auto& [at, one] : functions_) {
        const bool isStep = one.isMethod && !ran_.contains(at) && !isDead(at);
        if (!isStep || !callsBackward(one.body)) {
            continue;
        }
        std::vector<Argument> arguments;
        for (const WordSpan& item : parametersOf(one)) {
            const bool isModel = words_[item.begin].text == "model";
            arguments.push_back(
                {"", {}, isModel ? MaybeRef(ModelRef{*models_.trained}) : MaybeRef()});
        }
        blocks_.push_back({.kind = PythonBlock::Kind::Loop, .at = at, .chain = at, .head = {}});
        (void)runFunction(one, arguments, attributes_);
        blocks_.pop_back();
    }
}

}  // namespace fabricast
