// machine_fits RUNS.csv [LEAST] [DRAWS]: fits a machine to half of each source's runs on one GPU,
// where a source has LEAST of them that count (16), and scores the forecasts of the other half.
// Halves are the even and odd rows, and the first and second part of the rows, or else DRAWS
// halves drawn at random; a line for all of them follows. A correction with runs to compare steps
// with says "likeness" behind its speeds.
#include "planner/backtest/error_spread.h"
#include "planner/backtest/fit_machine.h"
#include "planner/backtest/forecast_run.h"
#include "planner/backtest/run_slopes.h"
#include "planner/load/load_question.h"
#include "planner/profiles/profile_store.h"
#include "planner/text/csv_text.h"
#include "planner/text/text_files.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <utility>

using namespace fabricast;

namespace {

using Halves = std::pair<std::vector<PublishedRun>, std::vector<PublishedRun>>;

struct Scores {
    std::vector<double> before, after;
    std::size_t measured = 0;  ///< with an own interval
    std::size_t inside = 0;

    void add(const Scores& other) {
        before.insert(before.end(), other.before.begin(), other.before.end());
        after.insert(after.end(), other.after.begin(), other.after.end());
        measured += other.measured;
        inside += other.inside;
    }
};

Halves halved(const std::vector<PublishedRun>& runs, int way) {
    Halves halves;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const bool later = way < 2 ? i % 2 == 1 : i >= runs.size() / 2;
        const bool fitted = later == (way % 2 == 1);
        (fitted ? halves.first : halves.second).push_back(runs[i]);
    }
    return halves;
}

Halves drawn(std::vector<PublishedRun> runs, unsigned seed) {
    std::mt19937 random(seed);
    for (std::size_t i = runs.size(); i > 1; --i) {
        std::swap(runs[i - 1], runs[random() % i]);
    }
    return halved(runs, 2);
}

double percentMedian(const std::vector<double>& errors) {
    return 100.0 * quantileOf(errors, 0.5);
}

class HalfFits {
public:
    HalfFits(const RunCatalog& catalog, const TimingProfiles& timing)
        : catalog_(catalog), timing_(timing) {}

    void score(const std::string& name, const Halves& halves) {
        const auto fits = fitMachines(halves.first, catalog_, timing_, 2);
        std::string found = fits ? "" : fits.error().text();
        std::map<std::string, OwnSpeed> own;
        if (fits && fits->front().correction) {
            const MachineCorrection& correction = *fits->front().correction;
            own[fits->front().gpu] = {.name = "own",
                                      .date = {},
                                      .factors = correction.factors(),
                                      .intervals = correction.intervals,
                                      .like = correction.like};
            for (const FittedFactor& factor : correction.fitted) {
                char text[64];
                std::snprintf(text,
                              sizeof text,
                              "%s%s %.2f",
                              found.empty() ? "" : ", ",
                              std::string(nameOf(factor.factor)).c_str(),
                              factor.speed);
                found += text;
            }
            found += correction.like.runs.empty() ? "" : found.empty() ? "likeness" : ", likeness";
        }
        Scores scores;
        const RunCatalog corrected = catalog_.corrected(own);
        for (const PublishedRun& run : halves.second) {
            scoreRun(run, corrected, !own.empty(), scores);
        }
        const double before = percentMedian(scores.before);
        const double after = percentMedian(scores.after);
        worse_ += after > before ? 1 : 0;
        std::printf("| %s | %zu | %zu | %.1f | %.1f | %s |\n",
                    name.c_str(),
                    halves.first.size(),
                    scores.before.size(),
                    before,
                    after,
                    found.empty() ? "-" : found.c_str());
        all_.add(scores);
        source_.add(scores);
        ++halves_;
    }

    /// Of the halves since the last source.
    void endSource(const std::string& name) {
        const double before = percentMedian(source_.before);
        const double after = percentMedian(source_.after);
        worseSources_ += after > before ? 1 : 0;
        ++sources_;
        std::printf("| %s, all | | %zu | %.1f | %.1f | |\n",
                    name.c_str(),
                    source_.before.size(),
                    before,
                    after);
        source_ = {};
    }

    void sum() const {
        std::printf("| all | | %zu | %.1f | %.1f | %d of %d halves, %d of %d sources worse |\n\n",
                    all_.before.size(),
                    percentMedian(all_.before),
                    percentMedian(all_.after),
                    worse_,
                    halves_,
                    worseSources_,
                    sources_);
        std::printf("inside own intervals: %zu of %zu\n", all_.inside, all_.measured);
    }

private:
    void scoreRun(const PublishedRun& run,
                  const RunCatalog& corrected,
                  bool isCorrected,
                  Scores& scores) const {
        const auto measured = run.measuredStep();
        const RunForecast plain = forecastRun(run, catalog_, timing_);
        if (!plain.step || !measured || *measured <= 0) {
            return;
        }
        const RunForecast own = isCorrected ? forecastRun(run, corrected, timing_) : plain;
        const auto error = [&](const RunForecast& forecast) {
            return std::abs(forecast.step->step.value.count() / *measured - 1.0);
        };
        scores.before.push_back(error(plain));
        scores.after.push_back(error(own));
        const auto& intervals = own.scenario->cluster.node.own.intervals;
        for (const OwnInterval& interval : intervals) {
            if (interval.evidence == evidenceClass(*own.scenario)) {
                ++scores.measured;
                const bool within = *measured >= own.step->step.lo.count() &&
                                    *measured <= own.step->step.hi.count();
                scores.inside += within ? 1U : 0U;
            }
        }
    }

    const RunCatalog& catalog_;
    const TimingProfiles& timing_;
    Scores all_;
    Scores source_;
    int worse_ = 0;
    int halves_ = 0;
    int worseSources_ = 0;
    int sources_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        return 2;
    }
    const auto least = static_cast<std::size_t>(argc > 2 ? std::atoi(argv[2]) : 16);
    const int draws = argc > 3 ? std::atoi(argv[3]) : 0;
    const auto text = readTextFile(argv[1]);
    const auto table = text ? parseCsv(*text, argv[1]) : tl::unexpected(text.error());
    const auto runs = table ? readRuns(*table) : tl::unexpected(table.error());
    const ProfileStore profiles = ProfileStore::builtIn();
    const auto catalog = RunCatalog::open(profiles);
    const auto timing = loadTiming(profiles);
    if (!runs || !catalog || !timing) {
        std::fprintf(stderr, "error: the runs or the profiles cannot be read\n");
        return 2;
    }
    std::map<std::pair<std::string, std::string>, std::vector<PublishedRun>> sources;
    for (const PublishedRun& run : *runs) {
        if (run.counts) {
            sources[{run.source(), run.gpu}].push_back(run);
        }
    }
    std::printf(
        "| source, GPU, half that is fitted | fitted | scored | before | after | speeds |\n"
        "|---|---|---|---|---|---|\n");
    HalfFits fits(*catalog, *timing);
    for (const auto& [name, members] : sources) {
        if (members.size() < least) {
            continue;
        }
        const std::string title = name.first + ", " + name.second;
        const char* const ways[] = {"even", "odd", "first", "second"};
        for (int way = 0; way < 4 && draws == 0; ++way) {
            fits.score(title + ", " + ways[way], halved(members, way));
        }
        for (int draw = 0; draw < draws; ++draw) {
            fits.score(title + ", draw " + std::to_string(draw),
                       drawn(members, static_cast<unsigned>(draw)));
        }
        fits.endSource(title);
    }
    fits.sum();
    return 0;
}
