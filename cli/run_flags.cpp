#include "cli/run_flags.h"

#include "flags/command_line.h"
#include "planner/base/quantity_text.h"
#include "planner/text/shell_text.h"
#include "study/percent.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kRunGroup = "Runs with failures";
constexpr std::int64_t kMostSteps = 1'000'000'000;
constexpr std::int64_t kMostRuns = 1'000'000;
constexpr std::int64_t kMostSpares = 1'000'000;

using Said = std::pair<std::string_view, bool>;

Result<void> refuse(const Said& said, const char* why, const char* hint) {
    return said.second ? fail(Error::Code::BadInput, std::string(said.first), why, hint)
                       : Result<void>();
}

Result<void> checkFlags(const RunFlags& flags, const QuestionArguments& question, bool run) {
    const std::array ofFailures = {Said{"--mtbf", question.says("--mtbf")},
                                   Said{"--spares", flags.spares >= 0},
                                   Said{"--repair", flags.repair.has_value()}};
    const std::array ofRuns = {
        Said{"--runs", flags.runs > 0},
        Said{"--seed", flags.seed >= 0},
        Said{"--site", question.says("--site")},
        Said{"--checkpoint", question.says("--checkpoint")},
        Said{"--checkpoint-interval", question.says("--checkpoint-interval")}};
    for (const Said& said : ofFailures) {
        if (!flags.failures) {
            FABRICAST_TRY(refuse(said, "has no effect without --failures", "--failures"));
        }
    }
    for (const Said& said : ofRuns) {
        if (!run) {
            FABRICAST_TRY(
                refuse(said, "applies to runs, and this is one step", "--steps 100000 --failures"));
        }
    }
    return refuse({"--tokens", question.says("--tokens") && flags.steps > 0},
                  "sets the length of the run, and so does --steps",
                  "use only one of them");
}

/// A part that takes longer is not repaired.
Result<Seconds> repairOf(const std::string& typed) {
    constexpr Seconds kLongest(3650.0 * 86400.0);
    FABRICAST_ASSIGN(const Seconds repair, parseQuantity<Seconds>(typed, "--repair"));
    return repair >= Seconds(0) && repair <= kLongest ? Result<Seconds>(repair)
                                                      : fail(Error::Code::BadInput,
                                                             "--repair",
                                                             "\"" + typed + "\" is out of range",
                                                             "from 0s to 3650d: --repair 1d");
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

void addRunFlags(const FlagSet& command, RunFlags& flags) {
    command
        .add("--stragglers",
             flags.stragglers,
             "slowdown: 1.3 (a GPU in the busiest stage), 1.3@stage0, "
             "1.3@node0/nic2-leaf4 (a link), 1.3@stage0/1h/5min (intermittent)")
        .takes("LIST", "1.3@stage0")
        .group(kRunGroup);
    command.add("--jitter", flags.jitter, "variation of a GPU's kernel times from step to step: 1%")
        .takes("SHARE", "1%")
        .group(kRunGroup);
    command.add("--steps", flags.steps, {1, kMostSteps})
        .describe("number of steps of a run (default: from --tokens)")
        .group(kRunGroup);
    command
        .add("--failures", flags.failures, "simulate failures at the rate of the site or of --mtbf")
        .group(kRunGroup);
    command.add("--spares", flags.spares, {0, kMostSpares})
        .describe("number of spare nodes (default: unlimited)")
        .group(kRunGroup);
    command.add("--repair", flags.repair, "time to repair a failed node: 1d (default: site)")
        .takes("TIME", "1d")
        .group(kRunGroup);
    command.add("--runs", flags.runs, {1, kMostRuns})
        .describe("number of runs (default: 200)")
        .group(kRunGroup);
    command.add("--seed", flags.seed, {0, std::numeric_limits<std::int64_t>::max()})
        .describe("seed of the random numbers (default: 1)")
        .group(kRunGroup);
}

Result<std::optional<RunsAsk>> runsAskOf(const RunFlags& flags,
                                         const QuestionArguments& question,
                                         const std::vector<Straggler>& stragglers) {
    const bool comesAndGoes = std::ranges::any_of(
        stragglers, [](const Straggler& slow) { return slow.every.has_value(); });
    const bool run = flags.steps > 0 || flags.failures || flags.jitter || comesAndGoes ||
                     question.says("--tokens");
    FABRICAST_TRY(checkFlags(flags, question, run));
    if (!run) {
        return std::optional<RunsAsk>();
    }
    RunsAsk ask{.steps = flags.steps, .failures = flags.failures};
    if (flags.spares >= 0) {
        ask.spares = flags.spares;
    }
    if (flags.repair) {
        FABRICAST_ASSIGN(ask.repair, repairOf(*flags.repair));
    }
    if (flags.jitter) {
        FABRICAST_ASSIGN(ask.jitter, percentOf(*flags.jitter, "--jitter"));
    }
    ask.runs = flags.runs > 0 ? flags.runs : ask.runs;
    ask.seed = flags.seed >= 0 ? static_cast<std::uint64_t>(flags.seed) : ask.seed;
    return std::optional(std::move(ask));
}

}  // namespace fabricast
