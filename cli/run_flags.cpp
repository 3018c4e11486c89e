#include "cli/run_flags.h"

#include "cli/flag_values.h"
#include "cli/shell_word.h"
#include "cli/straggler_flag.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kGroup = "Runs with trouble";
constexpr std::int64_t kMostSteps = 1'000'000'000;
constexpr std::int64_t kMostRuns = 1'000'000;
constexpr std::int64_t kMostSpares = 1'000'000;

using Said = std::pair<std::string_view, bool>;

Result<void> refuse(const Said& said, const char* why, const char* hint) {
    return said.second ? fail(Error::Code::BadInput, std::string(said.first), why, hint)
                       : Result<void>();
}

}  // namespace

std::string RunFlags::typed() const {
    std::string text;
    const auto add = [&text](const char* name, const std::optional<std::string>& value) {
        text += value ? std::string(" ") + name + " " + shellWord(*value) : "";
    };
    const auto addNumber = [&text](const char* name, std::int64_t value, std::int64_t unsaid) {
        text += value != unsaid ? std::string(" ") + name + " " + std::to_string(value) : "";
    };
    add("--stragglers", stragglers);
    add("--jitter", jitter);
    addNumber("--steps", steps, 0);
    text += failures ? " --failures" : "";
    addNumber("--spares", spares, -1);
    add("--repair", repair);
    addNumber("--runs", runs, 0);
    addNumber("--seed", seed, -1);
    return text;
}

void addRunFlags(CLI::App& command, RunFlags& flags) {
    command
        .add_option("--stragglers",
                    flags.stragglers,
                    "what takes 1.3 times as long: 1.3 (a GPU in the busiest stage), 1.3@stage0, "
                    "1.3@node0/nic2-leaf4 (a link), 1.3@stage0/1h/5min (it comes and goes)")
        ->option_text("LIST")
        ->group(kGroup);
    command
        .add_option(
            "--jitter", flags.jitter, "by how much a GPU's kernels vary from step to step: 1%")
        ->option_text("SHARE")
        ->group(kGroup);
    addWhole(command, "--steps", flags.steps, {1, kMostSteps})
        ->description("runs of so many steps; or as many as --tokens needs")
        ->group(kGroup);
    command
        .add_flag("--failures", flags.failures, "GPUs fail, as often as the site or --mtbf says")
        ->group(kGroup);
    addWhole(command, "--spares", flags.spares, {0, kMostSpares})
        ->description("nodes that stand by; without it there is always one")
        ->group(kGroup);
    command.add_option("--repair", flags.repair, "until a node that is out is back: 1d (site)")
        ->option_text("TIME")
        ->group(kGroup);
    addWhole(command, "--runs", flags.runs, {1, kMostRuns})
        ->description("how many runs (200)")
        ->group(kGroup);
    addWhole(command, "--seed", flags.seed, {0, std::numeric_limits<std::int64_t>::max()})
        ->description("other random numbers (1)")
        ->group(kGroup);
}

Result<bool> asksForRun(const RunFlags& flags, const ScenarioFlags& scenario) {
    std::vector<Straggler> stragglers;
    if (flags.stragglers) {
        FABRICAST_ASSIGN(stragglers, stragglersOf(*flags.stragglers));
    }
    const bool comesAndGoes = std::ranges::any_of(
        stragglers, [](const Straggler& slow) { return slow.every.has_value(); });
    const bool run = flags.steps > 0 || flags.failures || flags.jitter || comesAndGoes ||
                     scenario.tokens.has_value();
    const std::array ofFailures = {Said{"--mtbf", scenario.mtbf.has_value()},
                                   Said{"--spares", flags.spares >= 0},
                                   Said{"--repair", flags.repair.has_value()}};
    const std::array ofRuns = {
        Said{"--runs", flags.runs > 0},
        Said{"--seed", flags.seed >= 0},
        Said{"--site", scenario.site.has_value()},
        Said{"--checkpoint", scenario.checkpoint.has_value()},
        Said{"--checkpoint-interval", scenario.checkpointInterval.has_value()}};
    for (const Said& said : ofFailures) {
        if (!flags.failures) {
            FABRICAST_TRY(refuse(said, "nothing fails without --failures", "--failures"));
        }
    }
    for (const Said& said : ofRuns) {
        if (!run) {
            FABRICAST_TRY(
                refuse(said, "is of runs, and this is one step", "--steps 100000 --failures"));
        }
    }
    FABRICAST_TRY(refuse({"--tokens", scenario.tokens && flags.steps > 0},
                         "says how long the run is, and so does --steps",
                         "only one of them"));
    return run;
}

}  // namespace fabricast
