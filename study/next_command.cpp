#include "study/next_command.h"

#include "planner/report/advice_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/time_report.h"
#include "study/typed_plan.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// What makes the nearest layout fit; nothing where none of its changes does.
std::vector<Edit> editsThatFit(const Plan& nearest) {
    for (const Rejection& rejection : nearest.memory.rejections) {
        for (const Fix& fix : rejection.fixes) {
            if (fix.verdict == Verdict::Fits) {
                return fix.edits;
            }
        }
    }
    return {};
}

/// The first way out that fits; nothing where none does.
const Fix* firstWayOut(const OomAnswer& answer) {
    for (const Verdict verdict : {Verdict::Fits, Verdict::Likely}) {
        for (const Rejection& rejection : answer.forecast->rejections) {
            const auto fits = std::ranges::find(rejection.fixes, verdict, &Fix::verdict);
            if (fits != rejection.fixes.end()) {
                return &*fits;
            }
        }
    }
    return nullptr;
}

}  // namespace

std::string nextLine(const char* command, const Question& question, const std::string& more) {
    const std::string arguments = typed(question);
    return std::string("\nnext: fabricast ") + command + (arguments.empty() ? "" : " ") +
           arguments + more + "\n";
}

Result<std::string> nextAfterPlans(const Question& question, const PlanReport& report) {
    const std::vector<Plan>& shown = report.plans.empty() ? report.misses : report.plans;
    if (shown.empty()) {
        return "";
    }
    FABRICAST_ASSIGN(const Question about,
                     questionAbout(question, report.question, shown.front().scenario));
    const bool isMemoryAlone = report.plans.empty() && report.isNotModelled();
    FABRICAST_ASSIGN(
        const Question asked,
        with(about, isMemoryAlone ? editsThatFit(shown.front()) : std::vector<Edit>()));
    return nextLine("explain", asked);
}

Result<std::string> nextAfterAdvice(const Question& question, const Advice& advice) {
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
    return nextLine("explain", advised, " --section all");
}

Result<std::string> nextAfterExplanation(const Explanation& answer,
                                         const Question& question,
                                         bool isOfCost) {
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
        const std::string log = message == "-" ? "" : " --message " + message;
        return "\nnext: fabricast oom SCENARIO" + log +
               "   (with the run's scenario or flags: what is larger than forecast, and the ways "
               "out with their numbers)\n";
    }
    const Fix* const way = firstWayOut(answer);
    FABRICAST_ASSIGN(const Question changed,
                     with(*run, way == nullptr ? std::vector<Edit>() : way->edits));
    return nextLine("explain", changed);
}

}  // namespace fabricast
