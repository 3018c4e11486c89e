#include "cli/command.h"
#include "cli/open_profiles.h"
#include "cli/percent_flag.h"
#include "cli/scenario_flags.h"
#include "planner/budget/cost_of.h"
#include "planner/estimate/estimate_step.h"
#include "planner/io/comparison_json.h"
#include "planner/io/json_builder.h"
#include "planner/load/load_budget.h"
#include "planner/load/load_scenario.h"
#include "planner/load/load_timing.h"
#include "planner/memory/estimate_memory.h"
#include "planner/report/comparison_report.h"
#include "planner/whatif/compare_sides.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostSides = 8;

struct CompareFlags {
    ScenarioFlags scenario;
    std::vector<std::string> files;
    std::vector<std::string> changes;  ///< of the first scenario, a side each
    std::string baseline = "A";
    std::string leastChange = "1%";
    bool all = false;
};

/// What answers are worked out with.
struct Bench {
    ProfileStore profiles;
    TimingProfiles timing;
};

std::string letterOf(std::size_t side) {
    return {static_cast<char>('A' + side)};
}

/// A question before it is answered.
struct AskedSide {
    JsonValue root;
    std::string source;
    Folders folders;
};

Result<AskedSide> askedOf(const CompareFlags& flags,
                          const GlobalOptions& options,
                          const std::optional<std::string>& file) {
    ScenarioFlags said = flags.scenario;
    said.file = file;
    FABRICAST_ASSIGN(JsonValue root, scenarioOf(said, options));
    const std::filesystem::path path = file ? options.at(*file) : "";
    return AskedSide{std::move(root),
                     file.value_or("as typed"),
                     {.file = path.parent_path().string(), .typed = options.directory}};
}

/// The first question with the keys of one --with said anew. A batch that followed from the layout
/// stays what it was.
Result<AskedSide> changedBy(const AskedSide& first,
                            const ComparedSide& answer,
                            const std::string& changes) {
    AskedSide asked = first;
    asked.source = "A with " + changes;
    const JsonValue* workload = first.root.find("workload");
    if (workload == nullptr || workload->find("global_batch") == nullptr) {
        const std::int64_t batch = answer.scenario.workload.globalBatch;
        const JsonBuilder build("--with");
        FABRICAST_ASSIGN(asked.root,
                         build.with(std::move(asked.root),
                                    "workload.global_batch",
                                    build.integer(batch, std::to_string(batch))));
    }
    std::istringstream words(changes);
    for (std::string word; words >> word;) {
        FABRICAST_ASSIGN(asked.root, withAssignment(std::move(asked.root), "--with", word));
    }
    return asked;
}

Result<ComparedSide> answered(const AskedSide& asked, const Bench& bench, std::size_t place) {
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(asked.root, bench.profiles, asked.folders));
    ComparedSide side{
        .name = letterOf(place), .source = asked.source, .scenario = std::move(loaded.scenario)};
    Result<MemoryBreakdown> memory = judgeMemory(side.scenario);
    if (!memory) {
        return tl::unexpected(located(std::move(memory).error(), asked.root));
    }
    side.memory = *std::move(memory);
    if (Result<StepEstimate> step = estimateStep(side.scenario, bench.timing)) {
        side.step = *std::move(step);
        FABRICAST_ASSIGN(const BudgetFacts facts,
                         loadBudget(asked.root, bench.profiles, asked.folders));
        side.cost = costOf(side.scenario, costedStep(side.scenario, *side.step), facts);
    } else {
        side.whyNoStep = step.error().why;
    }
    return side;
}

Result<std::vector<ComparedSide>> sidesOf(const CompareFlags& flags,
                                          const GlobalOptions& options,
                                          const Bench& bench) {
    std::vector<std::optional<std::string>> files(flags.files.begin(), flags.files.end());
    if (files.empty()) {
        files.emplace_back(std::nullopt);
    }
    const std::size_t count = files.size() + flags.changes.size();
    if (count < 2 || count > kMostSides) {
        return fail(Error::Code::BadInput,
                    "compare",
                    count < 2 ? "there is only one side"
                              : "there are more than " + std::to_string(kMostSides) + " sides",
                    "two scenario files, or one and --with layout.recompute=full");
    }
    std::vector<ComparedSide> sides;
    std::optional<AskedSide> first;
    for (const std::optional<std::string>& file : files) {
        FABRICAST_ASSIGN(AskedSide asked, askedOf(flags, options, file));
        FABRICAST_ASSIGN(ComparedSide side, answered(asked, bench, sides.size()));
        sides.push_back(std::move(side));
        first = first ? std::move(first) : std::optional(std::move(asked));
    }
    for (const std::string& changes : flags.changes) {
        FABRICAST_ASSIGN(const AskedSide asked, changedBy(*first, sides.front(), changes));
        FABRICAST_ASSIGN(ComparedSide side, answered(asked, bench, sides.size()));
        sides.push_back(std::move(side));
    }
    return sides;
}

/// A side by its letter, or by its file.
Result<std::size_t> baselineOf(const std::string& typed, const std::vector<ComparedSide>& sides) {
    for (std::size_t place = 0; place < sides.size(); ++place) {
        if (sides[place].name == typed || sides[place].source == typed) {
            return place;
        }
    }
    return fail(Error::Code::BadInput,
                "--baseline",
                "no side is called \"" + typed + "\"",
                "A to " + sides.back().name + ", in the order typed");
}

Result<Answer> runCompare(const CompareFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const double least, percentOf(flags.leastChange, "--min-change"));
    FABRICAST_ASSIGN(ProfileStore profiles, openProfiles(options));
    FABRICAST_ASSIGN(TimingProfiles timing, loadTiming(profiles));
    const Bench bench{std::move(profiles), std::move(timing)};
    FABRICAST_ASSIGN(std::vector<ComparedSide> sides, sidesOf(flags, options, bench));
    FABRICAST_ASSIGN(const std::size_t baseline, baselineOf(flags.baseline, sides));
    const Comparison comparison = compareSides(std::move(sides), baseline);
    const ComparisonView view{.leastChange = least, .all = flags.all};
    switch (options.format) {
        case Format::Json:
            return Answer{.text = comparisonJson(comparison, least, FABRICAST_VERSION)};
        case Format::Csv:
            return Answer{.text = comparisonCsv(comparison)};
        case Format::Markdown:
            return Answer{.text = comparisonMarkdown(comparison, view)};
        case Format::Text:
            break;
    }
    return Answer{.text = comparisonText(comparison, view)};
}

}  // namespace

Command compareCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app = program.add_subcommand(
        "compare", "Two or more layouts side by side, and what makes the difference");
    const auto flags = std::make_shared<CompareFlags>();
    app->footer(
        "examples:\n"
        "  fabricast compare base.json other.json\n"
        "  fabricast compare base.json --with layout.recompute=full\n"
        "  fabricast compare base.json --with cluster.fabric=roce-100 --with \"layout.tp=4 "
        "layout.pp=2\"\n"
        "Flags and --set say a key of every file anew; each --with is one more side.");
    app->add_option("files", flags->files, "scenarios, or answers of explain -f json")
        ->option_text("[FILE...]");
    addScenarioFlags(*app, flags->scenario, {"scenario"});
    app->add_option("--with", flags->changes, "one more side: the first with keys said anew")
        ->option_text("PATH=VALUE")
        ->allow_extra_args(false)
        ->group("The comparison");
    app->add_option("--baseline", flags->baseline, "the side that the others differ from (A)")
        ->option_text("NAME")
        ->group("The comparison");
    app->add_option("--min-change", flags->leastChange, "leave out what changes less (1%)")
        ->option_text("SHARE")
        ->group("The comparison");
    app->add_flag("--all", flags->all, "leave out nothing")->group("The comparison");
    return {app, [flags, &options] { return runCompare(*flags, options); }};
}

}  // namespace fabricast
