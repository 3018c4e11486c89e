#include "study/sensitivity.h"

#include "planner/base/parallel_map.h"
#include "planner/memory/stage_memory.h"
#include "planner/stack/stack.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace fabricast {

namespace {

/// Enough to see through a choice between two algorithms, small enough to be a slope.
constexpr double kLittle = 1.05;
constexpr double kTwice = 2.0;

Premises turned(const Premises& now, const Knob& knob, double factor) {
    Premises changed = now;
    knob.scale(changed, factor);
    return changed;
}

Result<double> secondsUnder(const Premises& premises) {
    FABRICAST_ASSIGN(const StepEstimate step, estimateStep(premises.scenario, premises.timing));
    return step.step.value.count();
}

Result<double> elasticityOf(const Premises& now, const Knob& knob) {
    FABRICAST_ASSIGN(const double faster, secondsUnder(turned(now, knob, kLittle)));
    FABRICAST_ASSIGN(const double slower, secondsUnder(turned(now, knob, 1.0 / kLittle)));
    return -std::log(faster / slower) / (2.0 * std::log(kLittle));
}

/// Whether the stack and the batch allow a change.
Result<void> checkChanged(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::int64_t round = layout.microBatch * layout.dp;
    if (round <= 0 || scenario.workload.globalBatch % round != 0) {
        return fail(Error::Code::BadInput,
                    "layout.micro_batch",
                    "the batch is not a whole number of microbatches");
    }
    FABRICAST_ASSIGN(const Stack* stack, findStack(scenario.stack));
    return stack->check(scenario);
}

Result<KnobEffect> effectOf(const Premises& now, const Knob& knob) {
    KnobEffect effect{.key = knob.key, .title = knob.title};
    if (knob.kind == KnobKind::Speed) {
        FABRICAST_ASSIGN(effect.elasticity, elasticityOf(now, knob));
    }
    const Premises twice = turned(now, knob, kTwice);
    const Result<void> allowed = checkChanged(twice.scenario);
    Result<Outcome> outcome = allowed ? outcomeOf(twice) : tl::unexpected(allowed.error());
    if (outcome) {
        effect.twice = *outcome;
    } else {
        effect.whyNot = outcome.error().why;
    }
    return effect;
}

/// All but those of what the cluster does not have.
std::vector<Knob> knobsOf(const Scenario& scenario) {
    std::vector<Knob> there;
    std::ranges::copy_if(knobs(), std::back_inserter(there), [&scenario](const Knob& knob) {
        return knob.isThere == nullptr || knob.isThere(scenario);
    });
    return there;
}

const Knob& knobOf(const KnobEffect& effect) {
    return *std::ranges::find(knobs(), effect.key, &Knob::key);
}

/// A micro-batch is a part of the layout: searching finds the best one anyway.
bool isSearchable(const KnobEffect& effect) {
    return effect.key != "micro_batch";
}

/// Places of the knobs in the order in which searches of them say most.
std::vector<std::size_t> byWorth(const Sensitivity& sensitivity) {
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < sensitivity.knobs.size(); ++place) {
        if (isSearchable(sensitivity.knobs[place])) {
            places.push_back(place);
        }
    }
    const auto worth = [&sensitivity](std::size_t place) {
        const KnobEffect& effect = sensitivity.knobs[place];
        if (knobOf(effect).kind == KnobKind::Room) {
            return std::numeric_limits<double>::infinity();  // by step it has no effect
        }
        return effect.twice ? effect.twice->tokensPerGpuSecond : 0.0;
    };
    std::ranges::stable_sort(places, std::greater<>(), worth);
    return places;
}

Result<void> searchAgain(KnobEffect& effect, const SearchAgain& search) {
    Result<SearchedOutcome> searched =
        search([&effect](const Premises& asked) { return turned(asked, knobOf(effect), kTwice); },
               effect.twice);
    if (searched) {
        effect.searched = searched->outcome;
        effect.searchedLayout = std::move(searched->layout);
        effect.isCut = searched->isCut;
    } else if (searched.error().code == Error::Code::Stopped) {
        return tl::unexpected(std::move(searched).error());
    }
    return {};
}

}  // namespace

Result<Outcome> outcomeOf(const Premises& premises) {
    FABRICAST_ASSIGN(const StepEstimate step, estimateStep(premises.scenario, premises.timing));
    FABRICAST_ASSIGN(const MemoryBreakdown memory, memoryOfFullestStage(premises.scenario));
    return outcomeOf(step, memory);
}

Outcome outcomeOf(const StepEstimate& step, const MemoryBreakdown& memory) {
    return {.step = step.step.value,
            .tokensPerGpuSecond = step.tokensPerGpuSecond,
            .peak = memory.peak.value,
            .verdict = memory.verdict};
}

Result<Sensitivity> sensitivityOf(const Premises& now, std::size_t threads) {
    Sensitivity sensitivity;
    FABRICAST_ASSIGN(sensitivity.now, outcomeOf(now));
    const std::vector<Knob> there = knobsOf(now.scenario);
    auto effects = parallelMap(
        there, [&](const Knob& knob) { return effectOf(now, knob); }, {.threads = threads});
    for (Result<KnobEffect>& effect : *effects) {
        FABRICAST_TRY(effect);
        sensitivity.knobs.push_back(*std::move(effect));
    }
    return sensitivity;
}

Result<void> addSearches(Sensitivity& sensitivity,
                         const SearchAgain& search,
                         std::size_t most,
                         std::size_t threads) {
    sensitivity.isSearched = true;
    std::vector<std::size_t> places = byWorth(sensitivity);
    if (places.size() > most) {
        places.resize(most);
        sensitivity.notSearched =
            "a new search for every one would take too long here; --stack or --fix makes them "
            "smaller";
    }
    const auto one = [&](std::size_t place) {
        return searchAgain(sensitivity.knobs[place], search);
    };
    const auto done = parallelMap(places, one, {.threads = threads});
    for (const Result<void>& each : *done) {
        FABRICAST_TRY(each);
    }
    return {};
}

Sensitivity withSearchesOf(Sensitivity held, const Sensitivity& best, const std::string& layout) {
    held.isSearched = best.isSearched;
    held.notSearched = best.notSearched;
    for (KnobEffect& effect : held.knobs) {
        const auto same = std::ranges::find(best.knobs, effect.key, &KnobEffect::key);
        if (same != best.knobs.end()) {
            effect.searched = same->searched;
            effect.isCut = same->isCut;
            effect.searchedLayout =
                same->searched && same->searchedLayout.empty() ? layout : same->searchedLayout;
        }
    }
    return held;
}

}  // namespace fabricast
