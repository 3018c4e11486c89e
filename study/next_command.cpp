#include "study/next_command.h"

#include "planner/base/words.h"
#include "planner/launch/launch_targets.h"
#include "planner/load/load_question.h"
#include "planner/report/advice_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/time_report.h"
#include "planner/text/shell_text.h"
#include "study/typed_plan.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// The first way out that surely fits, or else may; nothing where none does.
const Fix* firstWayOut(const std::vector<Rejection>& rejections) {
    for (const Verdict verdict : {Verdict::Fits, Verdict::Likely}) {
        for (const Rejection& rejection : rejections) {
            const auto fits = std::ranges::find(rejection.fixes, verdict, &Fix::verdict);
            if (fits != rejection.fixes.end()) {
                return &*fits;
            }
        }
    }
    return nullptr;
}

/// The same message with the run's flags, of which the message tells the GPU where only one has as
/// much memory. Words in capitals are the reader's to fill in.
std::string nextOfRun(const OomAnswer& answer, const std::string& message) {
    const bool isOne = answer.gpusAlike.size() == 1;
    const std::string gpu = isOne ? answer.gpusAlike.front() : "GPU";
    const std::string alike = answer.gpusAlike.empty() || isOne
                                  ? std::string()
                                  : "; GPUs with as much memory: " + joined(answer.gpusAlike, ", ");
    return "\nnext: fabricast oom -m MODEL --gpu " + gpu +
           " --gpus N --stack STACK --seq N --message " +
           (message == "-" ? std::string("JOB.LOG") : shellWord(message)) +
           "   (or the run's scenario: what is larger than forecast, and the ways out with their "
           "numbers" +
           alike + ")\n";
}

/// What makes the nearest layout fit; nothing where none of its changes does.
std::vector<Edit> editsThatFit(const Plan& nearest) {
    const Fix* const fix = firstWayOut(nearest.memory.rejections);
    return fix == nullptr ? std::vector<Edit>() : fix->edits;
}

/// Whether ways out were looked for, and with none of them it would fit.
bool hasNoWayOut(const MemoryBreakdown& memory) {
    const auto stays = [](const Rejection& rejection) {
        return std::ranges::all_of(rejection.fixes, [](const Fix& fix) {
            return fix.verdict != Verdict::Fits && fix.verdict != Verdict::Likely;
        });
    };
    return memory.verdict == Verdict::DoesNotFit && !memory.rejections.empty() &&
           std::ranges::all_of(memory.rejections, stays);
}

/// The question without its layout, which a search looks for.
Result<std::string> searchOfLayouts(const Question& question) {
    Question open = question;
    std::erase_if(open.edits, [](const Edit& edit) { return edit.path.starts_with("layout."); });
    if (!open.file.empty() && says(open, "layout")) {
        const std::vector<Edit> edits = {{"layout", "null", "--set"}};
        FABRICAST_ASSIGN(open, with(std::move(open), edits));
    }
    return "\nof these ways out none is enough: plan looks at all layouts" + nextLine("plan", open);
}

/// Where the stack's own files cannot say what is trained: those of another one that runs the same
/// layers. Empty where they can, and where that one does not take the layout.
Result<std::string> emitLine(const Question& question,
                             const Scenario& asked,
                             Scenario plan,
                             const Workbench& bench) {
    const std::string writer = whoWrites(plan);
    if (writer == plan.stack) {
        return std::string();
    }
    const std::string own = std::exchange(plan.stack, writer);
    FABRICAST_ASSIGN(const Question about, questionAbout(question, asked, plan));
    return loadScenario(about.root, bench.profiles(), about.folders)
               ? "no files of " + own + " say what is trained, those of " + writer +
                     " do: fabricast emit " + typed(about) + "\n"
               : std::string();
}

}  // namespace

std::string nextLine(const char* command, const Question& question, const std::string& more) {
    const std::string arguments = typed(question);
    return std::string("\nnext: fabricast ") + command + (arguments.empty() ? "" : " ") +
           arguments + more + "\n";
}

Result<std::string> nextAfterPlans(const Question& question,
                                   const PlanReport& report,
                                   const Workbench& bench) {
    const std::vector<Plan>& shown = report.plans.empty() ? report.misses : report.plans;
    if (shown.empty()) {
        return "";
    }
    FABRICAST_ASSIGN(const Question about,
                     questionAbout(question, report.question, shown.front().scenario));
    FABRICAST_ASSIGN(
        const Question asked,
        with(about, report.plans.empty() ? editsThatFit(shown.front()) : std::vector<Edit>()));
    FABRICAST_ASSIGN(const std::string emit,
                     report.plans.empty()
                         ? Result<std::string>(std::string())
                         : emitLine(question, report.question, shown.front().scenario, bench));
    return nextLine("explain", asked) + emit;
}

Result<std::string> nextAfterAdvice(const Question& question,
                                    const Advice& advice,
                                    const Workbench& bench) {
    const AdviceStep* step = advice.recommended ? &advice.steps[*advice.recommended]
                             : advice.most      ? cheapestStep(advice)
                                                : nullptr;
    if (!advice.otherBatch.empty()) {
        return std::string();
    }
    if (step == nullptr) {
        return nextLine("plan", question, " --objective memory");
    }
    Question about = question;
    std::erase_if(about.edits, [](const Edit& edit) { return edit.path.starts_with("search."); });
    FABRICAST_ASSIGN(const Question advised, with(std::move(about), step->edits));
    const Scenario& plan = step->plan->scenario;
    FABRICAST_ASSIGN(const std::string emit, emitLine(advised, plan, plan, bench));
    return nextLine("explain", advised, " --section all") + emit;
}

Result<std::string> nextAfterExplanation(const Explanation& answer,
                                         const Question& question,
                                         bool isOfCost) {
    if (answer.memory && hasNoWayOut(*answer.memory)) {
        return searchOfLayouts(question);
    }
    if (answer.faster) {
        FABRICAST_ASSIGN(const Question faster, with(question, answer.faster->edits));
        return "\nfaster: " + fasterText(*answer.step, *answer.faster) +
               nextLine("explain", faster, " --section time");
    }
    if (isOfCost) {
        return nextLine(
            "explain",
            question,
            answer.basis.tokens ? " --why cost.goodput" : " --section cost --tokens 1T");
    }
    const std::string largest = answer.memory ? largestTerm(*answer.memory) : "time.step";
    return largest.empty() ? "" : nextLine("explain", question, " --why " + largest);
}

Result<std::string> nextAfterOom(const OomAnswer& answer,
                                 const std::optional<Question>& run,
                                 const std::string& message) {
    if (!answer.forecast || !run) {
        return nextOfRun(answer, message);
    }
    if (answer.message.isOfHost() && answer.forecast->host.perNode > Bytes()) {
        return nextLine("explain", *run, " --why host");
    }
    const Fix* const way = firstWayOut(answer.forecast->rejections);
    FABRICAST_ASSIGN(const Question changed,
                     with(*run, way == nullptr ? std::vector<Edit>() : way->edits));
    return nextLine("explain", changed);
}

}  // namespace fabricast
