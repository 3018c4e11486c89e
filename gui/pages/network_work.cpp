#include "gui/pages/network_work.h"

#include "study/lint_files.h"
#include "study/simulate.h"

#include <utility>

namespace fabricast {
namespace {

/// The network with what has failed in it.
Result<TopologyAnswer> failedNetwork(const NetworkQuestion& question, const Workbench& bench) {
    FABRICAST_ASSIGN(TopologyAnswer whole, topology(question.cluster, bench));
    TopologyAsk ask = question.cluster;
    ask.failed = namesInNetwork(whole, question.failed);
    return ask.failed.empty() ? std::move(whole) : topology(ask, bench);
}

std::shared_ptr<const NetworkStep> stepOf(const Question& about,
                                          const Workbench& bench,
                                          const Watch& watch) {
    const Result<Simulation> step = simulate(about, {}, bench, watch);
    return step ? std::make_shared<const NetworkStep>(networkStep(*step)) : nullptr;
}

/// Adds the step with what has failed, or why there is none.
void addFailing(const NetworkQuestion& question,
                const Workbench& bench,
                const Watch& watch,
                NetworkState& state) {
    SimulateAsk ask;
    ask.failed = state.answer.facts.outage->failed;
    const Result<Simulation> step = simulate(question.about, ask, bench, watch);
    if (step) {
        state.failing = networkStep(*step);
    } else {
        state.noStep = step.error();
    }
}

}  // namespace

LatestJob::Work networkWork(NetworkQuestion question,
                            const Workbench& bench,
                            std::function<void(NetworkFound)> take) {
    return [question = std::move(question), bench, take = std::move(take)](
               const Watch& watch, const LatestJob::Post& post) {
        std::shared_ptr<const NetworkStep> healthy = question.healthy;
        const auto deliver = [&](Result<NetworkState> state) {
            if (state && healthy) {
                state->healthy = *healthy;
            }
            post([take, found = NetworkFound{std::move(state), healthy}] { take(found); });
        };
        Result<TopologyAnswer> answer = failedNetwork(question, bench);
        if (!answer) {
            deliver(tl::unexpected(std::move(answer).error()));
            return;
        }
        NetworkState state{.answer = *std::move(answer)};
        deliver(state);
        if (!healthy) {
            healthy = stepOf(question.about, bench, watch);
            deliver(state);
        }
        if (state.answer.facts.outage && !watch.stopped()) {
            addFailing(question, bench, watch, state);
            deliver(state);
        }
    };
}

}  // namespace fabricast
