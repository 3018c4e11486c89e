#include "probes/mpi/timed_together.h"

#include <chrono>

namespace fabricast::probe {

namespace {

double secondsOf(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

constexpr double kAgain = 1.0;
constexpr double kEnough = 0.0;

void tellOthers(Wire& wire, const RankGroup& group, double word) {
    for (int member = 1; member < group.size(); ++member) {
        wire.sendNumber(group.at(member), word);
    }
}

}  // namespace

std::vector<double> timedTogether(Wire& wire,
                                  const RankGroup& group,
                                  const SampleRule& rule,
                                  int warmUps,
                                  const std::function<void()>& work) {
    const auto once = [&] {
        meet(wire, group);
        return largest(wire, group, secondsOf(work));
    };
    if (group.index != 0) {
        while (wire.receiveNumber(group.at(0)) == kAgain) {
            once();
        }
        return {};
    }
    const Answer<std::vector<double>> samples = sampled(rule, warmUps, [&]() -> Answer<double> {
        tellOthers(wire, group, kAgain);
        return once();
    });
    tellOthers(wire, group, kEnough);
    return *samples;
}

}  // namespace fabricast::probe
