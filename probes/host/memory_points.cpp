#include "probes/host/array_kernels.h"
#include "probes/host/host_points.h"
#include "probes/host/page_memory.h"
#include "probes/host/worker_team.h"
#include "probes/record/run_points.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fabricast::probe {

namespace {

constexpr std::int64_t kUsualBytes = std::int64_t{1} << 30;
const SampleRule kArrayRule{.least = 5, .most = 100, .error = 0.005, .seconds = 2.0};

Answer<int> threadsOf(const Point& point) {
    const Answer<std::int64_t> threads = wholeOf(point, "threads", 1);
    if (!threads) {
        return threads.trouble();
    }
    if (*threads > kMostHostThreads) {
        return Trouble{"'" + textOf(point) + "': more than 4096 threads"};
    }
    return static_cast<int>(*threads);
}

/// Why a machine cannot: too few CPUs or too little memory.
std::string impossibleBecause(int threads, std::int64_t bytes) {
    if (threads > WorkerTeam::usableCpus()) {
        return "only " + std::to_string(WorkerTeam::usableCpus()) + " CPUs may be used";
    }
    if (bytes > spareMemory()) {
        return std::to_string(bytes >> 20) + " MiB are more than half of the free memory";
    }
    return "";
}

/// Equal arrays of floats, first written by the workers that will use them.
class Arrays {
public:
    static Answer<Arrays> of(std::size_t count, std::size_t length, WorkerTeam& team) {
        Arrays arrays;
        for (std::size_t number = 0; number < count; ++number) {
            const Answer<PageMemory> pages = PageMemory::of(length * sizeof(float));
            if (!pages) {
                return pages.trouble();
            }
            arrays.pages_.push_back(*pages);
        }
        team.run([&](int worker) {
            const WorkerPart part = partOf(length, worker, team.workers());
            for (std::size_t number = 0; number < count; ++number) {
                fillPart(arrays[number].data(), number, part);
            }
        });
        return arrays;
    }
    std::span<float> operator[](std::size_t number) const { return pages_[number].floats(); }

private:
    std::vector<PageMemory> pages_;
};

std::size_t wrongAfter(const Arrays& arrays, bool triad) {
    return wrongIn(
        arrays[0].data(), arrays[1].data(), triad ? arrays[2].data() : nullptr, arrays[0].size());
}

void copyParts(const Arrays& arrays, WorkerPart part) {
    copyPart(arrays[0].data(), arrays[1].data(), part);
}

void addParts(const Arrays& arrays, WorkerPart part) {
    triadPart(arrays[0].data(), arrays[1].data(), arrays[2].data(), part);
}

void stepPart(const Arrays& arrays, WorkerPart part) {
    adamPart({arrays[0].data(), arrays[1].data(), arrays[2].data(), arrays[3].data()}, part);
}

/// The parameter after the step, by the formula in double.
double stepped(const Arrays& arrays, std::size_t at) {
    constexpr AdamRates<double> kRates;
    const double p = arrays[0][at];
    const double g = arrays[1][at];
    const double first = arrays[2][at];
    const double second = arrays[3][at];
    const double m = kRates.first * first + (1.0 - kRates.first) * g;
    const double v = kRates.second * second + (1.0 - kRates.second) * g * g;
    const double step =
        m / (1.0 - kRates.first) / (std::sqrt(v / (1.0 - kRates.second)) + kRates.epsilon);
    return (1.0 - kRates.rate * kRates.decay) * p - kRates.rate * step;
}

/// One step, judged at its first parameters.
std::size_t wrongSteps(const Arrays& arrays, WorkerTeam& team) {
    constexpr std::size_t kJudged = 4096;
    constexpr double kNear = 1e-5;
    std::vector<double> expected;
    for (std::size_t at = 0; at < std::min(kJudged, arrays[0].size()); ++at) {
        expected.push_back(stepped(arrays, at));
    }
    team.run(
        [&](int worker) { stepPart(arrays, partOf(arrays[0].size(), worker, team.workers())); });
    std::size_t wrong = 0;
    for (std::size_t at = 0; at < expected.size(); ++at) {
        wrong += std::abs(double{arrays[0][at]} - expected[at]) <= kNear ? 0U : 1U;
    }
    return wrong;
}

using PartWork = void (*)(const Arrays&, WorkerPart);

Answer<std::vector<double>> timed(WorkerTeam& team, const Arrays& arrays, PartWork work) {
    return sampled(kArrayRule, 2, [&]() -> Answer<double> {
        return team.run(
            [&](int worker) { work(arrays, partOf(arrays[0].size(), worker, team.workers())); });
    });
}

}  // namespace

Answer<Measurement> measureMemory(const Point& point) {
    const std::string op = wordOr(point, "op", "copy");
    const bool triad = op == "triad";
    const Answer<int> threads = threadsOf(point);
    const Answer<std::int64_t> bytes = point.settings.contains("bytes")
                                           ? wholeOf(point, "bytes", kLeastMemoryBytes)
                                           : Answer<std::int64_t>(kUsualBytes);
    if (!threads || !bytes) {
        return threads ? bytes.trouble() : threads.trouble();
    }
    Measurement measurement{.point = point};
    if (!triad && op != "copy") {
        return Trouble{"'" + textOf(point) + "': op is copy or triad"};
    }
    if (std::string why = impossibleBecause(*threads, *bytes); !why.empty()) {
        measurement.refused = std::move(why);
        return measurement;
    }
    const std::size_t arrayCount = triad ? 3 : 2;
    const std::size_t length = static_cast<std::size_t>(*bytes) / arrayCount / sizeof(float);
    WorkerTeam team(*threads);
    const Answer<Arrays> arrays = Arrays::of(arrayCount, length, team);
    if (!arrays) {
        return arrays.trouble();
    }
    Answer<std::vector<double>> samples = timed(team, *arrays, triad ? &addParts : &copyParts);
    if (!samples) {
        return samples.trouble();
    }
    measurement.samples = *samples;
    measurement.facts["bytes"] = static_cast<double>(arrayCount * length * sizeof(float));
    measurement.facts["wrong"] = static_cast<double>(wrongAfter(*arrays, triad));
    return measurement;
}

Answer<Measurement> measureCpuAdam(const Point& point) {
    const Answer<int> threads = threadsOf(point);
    const Answer<std::int64_t> parameters = wholeOf(point, "parameters", 1);
    if (!threads || !parameters) {
        return threads ? parameters.trouble() : threads.trouble();
    }
    constexpr std::int64_t kMostParameters = std::int64_t{1} << 44;
    constexpr std::size_t kArrays = 4;
    constexpr std::int64_t kHeld = 16;
    constexpr std::int64_t kTraffic = 28;  // four read, three written
    Measurement measurement{.point = point};
    const std::int64_t counted = std::min(*parameters, kMostParameters);
    if (std::string why = impossibleBecause(*threads, counted * kHeld); !why.empty()) {
        measurement.refused = std::move(why);
        return measurement;
    }
    WorkerTeam team(*threads);
    const Answer<Arrays> arrays = Arrays::of(kArrays, static_cast<std::size_t>(*parameters), team);
    if (!arrays) {
        return arrays.trouble();
    }
    measurement.facts["wrong"] = static_cast<double>(wrongSteps(*arrays, team));
    Answer<std::vector<double>> samples = timed(team, *arrays, &stepPart);
    if (!samples) {
        return samples.trouble();
    }
    measurement.samples = *samples;
    measurement.facts["bytes"] = static_cast<double>(*parameters * kTraffic);
    return measurement;
}

}  // namespace fabricast::probe
