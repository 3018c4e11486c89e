#include "study/size.h"

#include "cli/answer_forms.h"
#include "cli/run_sweep.h"
#include "flags/question_arguments.h"
#include "planner/base/quantity_text.h"
#include "planner/report/size_report.h"
#include "study/percent.h"
#include "study/sweep_rows.h"

#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostYears = 20;
constexpr std::int64_t kMostGpusAsked = 10'000'000;
constexpr std::array kAims = {Choice<std::optional<SizeAim>>{"cost", SizeAim::Cost},
                              Choice<std::optional<SizeAim>>{"time", SizeAim::Time},
                              Choice<std::optional<SizeAim>>{"power", SizeAim::Power},
                              Choice<std::optional<SizeAim>>{"gpus", SizeAim::Gpus}};

struct SizeFlags {
    QuestionArguments question;
    SizeAsk ask;
    std::vector<std::string> targets;
    std::vector<std::string> nodes;
    std::vector<std::string> gpus;
    std::vector<std::string> jobs;
    TypedSweep sweep;
    std::string powerCap;
    std::string mustFitIn;
    std::string utilisation;
    std::int64_t mostGpus = 0;
    std::int64_t years = 0;
};

Result<SizeAsk> sizeAskOf(const SizeFlags& flags) {
    SizeAsk ask = flags.ask;
    FABRICAST_ASSIGN(ask.targets, readSizeTargets(flags.targets));
    FABRICAST_ASSIGN(ask.nodes, readCounts(flags.nodes, "-n"));
    FABRICAST_ASSIGN(ask.parts, readCounts(flags.gpus, "--gpus"));
    if (!flags.powerCap.empty()) {
        FABRICAST_ASSIGN(ask.powerCap, parseQuantity<Watts>(flags.powerCap, "--power-cap"));
    }
    if (!flags.mustFitIn.empty()) {
        FABRICAST_ASSIGN(ask.racks, readRacks(flags.mustFitIn));
    }
    if (!flags.utilisation.empty()) {
        FABRICAST_ASSIGN(ask.utilisation, percentAbove0(flags.utilisation, "--utilisation"));
    }
    ask.mostGpus = flags.mostGpus > 0 ? std::optional(flags.mostGpus) : std::nullopt;
    ask.years = flags.years > 0 ? std::optional(static_cast<double>(flags.years)) : std::nullopt;
    return ask;
}

/// The question as typed, or that of each job with every flag over it.
Result<std::vector<Question>> jobsOf(const SizeFlags& flags, const GlobalOptions& options) {
    if (!flags.jobs.empty() && !flags.question.files.empty()) {
        return fail(Error::Code::BadInput,
                    "--job",
                    "there is a scenario beside the jobs",
                    "--job " + flags.question.files.front());
    }
    std::vector<std::vector<std::string>> runs;
    for (const std::string& file : flags.jobs) {
        runs.push_back({file});
    }
    return questionsOf(flags.question, runs, options);
}

using SizeForm = AnswerForm<SizeAnswer>;
constexpr std::array kSizeForms = {
    SizeForm{"text", &sizeReport},
    SizeForm{"json", [](const SizeAnswer& found) { return sizeJson(found, FABRICAST_VERSION); }},
    SizeForm{"csv", &sizeCsv},
    SizeForm{"md", &sizeMarkdown}};

Result<Answer> runSizeSweep(const std::vector<Question>& jobs,
                            const SizeAsk& ask,
                            const TypedSweep& flags,
                            const GlobalOptions& options) {
    FABRICAST_ASSIGN(const std::vector<SweepAxis> axes, readSweep(flags.axes));
    for (const SweepAxis& axis : axes) {
        if (const std::string flag = askedBeside(axis.key, ask); !flag.empty()) {
            return tl::unexpected(sweptTwice(flag, axis.key));
        }
    }
    for (const Question& job : jobs) {
        FABRICAST_TRY(checkSaidBeside(job, axes));
    }
    return runSweep(sizePoints(jobs, ask), axes, flags.file, options);
}

Result<Answer> runSize(const SizeFlags& flags, const GlobalOptions& options) {
    if (!flags.sweep.isAsked() && !flags.sweep.file.empty()) {
        return fail(
            Error::Code::BadInput, "--out", "keeps a sweep", "--sweep target.days=10,20,30");
    }
    FABRICAST_ASSIGN(const SizeAsk ask, sizeAskOf(flags));
    FABRICAST_ASSIGN(const std::vector<Question> jobs, jobsOf(flags, options));
    if (flags.sweep.isAsked()) {
        return runSizeSweep(jobs, ask, flags.sweep, options);
    }
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(SizeAnswer answer, size(jobs, ask, bench, options.watch()));
    if (options.quiet) {
        answer.notes.clear();
    }
    Answer printed = answerIn(options.format, answer, kSizeForms);
    printed.leanOn(answer.notes);
    if (printed.report && answer.pick && !options.quiet) {
        printed.report->add("\nnext: fabricast explain " + answer.pickTyped + " --section cost\n");
    }
    printed.code = answer.stopped ? ExitCode::Interrupted
                   : answer.pick  ? ExitCode::Ok
                                  : ExitCode::DoesNotFit;
    return printed;
}

void addHardwareFlags(const FlagSet& app, SizeFlags& flags) {
    constexpr const char* kGroup = "The hardware";
    app.add("-c,--cluster",
            flags.ask.clusters,
            "a cluster or node to choose from (default: all with a price)")
        .takes("NAME", "dgx-h100")
        .oneEach()
        .group(kGroup);
    app.add("--gpu", flags.ask.gpus, "nodes of this GPU to choose from")
        .takes("NAME", "h100-sxm5-80gb")
        .oneEach()
        .group(kGroup);
    app.add("--fabric", flags.ask.fabrics, "networks to choose from (default: each box's own)")
        .takes("NAMES", "ib-ndr")
        .separatedBy(',')
        .group(kGroup);
    app.add("-n,--nodes", flags.nodes, "numbers of nodes to choose from: 1,2,4,8")
        .takes("COUNTS", "1,2,4")
        .separatedBy(',')
        .group(kGroup);
    app.add("--gpus", flags.gpus, "numbers of GPUs to choose from, of one node or of whole ones")
        .takes("COUNTS", "8,16")
        .separatedBy(',')
        .group(kGroup);
    app.add("--max-gpus", flags.mostGpus, {1, kMostGpusAsked})
        .describe("at most so many GPUs (default: 2048)")
        .takes("N")
        .group(kGroup);
    app.add("--power-cap", flags.powerCap, "rated power of all nodes at most: 500kW")
        .takes("POWER", "500kW")
        .group(kGroup);
    app.add("--must-fit-in", flags.mustFitIn, "racks=2, of nodes whose profiles say what a rack is")
        .takes("WHAT", "racks=2")
        .group(kGroup);
}

}  // namespace

Command sizeCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("size", "Find the least hardware that trains a model in time and budget");
    const auto flags = std::make_shared<SizeFlags>();
    app.footer(
        "examples:\n"
        "  fabricast size -m llama-3.1-70b --seq 8192 --global-batch 1024 --tokens 1T --target "
        "days=30\n"
        "  fabricast size run.json -c dgx-h100 -c dgx-h200 -n 1,2,4,8 --target tokens-per-s=100k\n"
        "  fabricast size run.json --gpu h100-sxm5-80gb --fabric ib-ndr,roce-400 --target "
        "budget=2M\n"
        "  fabricast size --job pretrain.json --job finetune.json --target days=60\n"
        "Every cluster of an answer was searched as fabricast plan does; others cannot be better.\n"
        "Exit status 1 if no cluster reaches the targets (--no-fail: 0). Ctrl-C prints the best "
        "so\n"
        "far; exit status 130.");
    constexpr const char* kGroup = "The purchase";
    addScenarioArguments(app,
                         flags->question,
                         {"--stack",
                          "-c",
                          "-n",
                          "--gpus",
                          "--gpu",
                          "--fabric",
                          "--sites",
                          "--wan",
                          "--wan-latency"});
    addQuestionFlags(app, flags->question, searchFlags(), {"--top", "--objective"});
    addHardwareFlags(app, *flags);
    app.add("--target",
            flags->targets,
            "tokens-per-s, days, hours or budget (of the runs, in dollars)")
        .takes("METRIC=VALUE", "days=30")
        .oneOf({"tokens-per-s=", "days=", "hours=", "budget="})
        .oneEach()
        .group(kGroup);
    app.addChoice<std::optional<SizeAim>>("--minimize", flags->ask.aim, kAims)
        .describe("cost (default if a price is known), time, power or gpus")
        .takes("WHAT")
        .group(kGroup);
    app.add("--job", flags->jobs, "a scenario, repeatable: all are trained, one after another")
        .takes("FILE")
        .oneEach()
        .group(kGroup);
    app.add("--years", flags->years, {1, kMostYears})
        .describe("to compare renting and buying over (default: those of the price profile)")
        .takes("N")
        .group(kGroup);
    app.add("--utilisation",
            flags->utilisation,
            "share of these years in which it is used (default: 100%)")
        .takes("SHARE", "70%")
        .group(kGroup);
    addSweepFlags(app,
                  flags->sweep,
                  "the pick for each value of a key: target.days=10,20,30; repeatable",
                  "The search");
    return {app, [flags, &options] { return runSize(*flags, options); }, true};
}

}  // namespace fabricast
