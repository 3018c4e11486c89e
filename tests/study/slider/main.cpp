// What a window does with a slider: ask, change one value, cancel half way, undo. Once the
// Workbench is open no file is read: the program may not open one any more.
#include "study/plan.h"

#include <sys/resource.h>

#include <cstdio>
#include <stop_token>
#include <vector>

namespace {

using namespace fabricast;

#ifdef __SANITIZE_ADDRESS__
// Sanitizers look at memory by pipes.
constexpr rlimit kNoMoreFiles{.rlim_cur = 64, .rlim_max = 64};
#else
constexpr rlimit kNoMoreFiles{.rlim_cur = 0, .rlim_max = 0};
#endif

Result<bool> slide() {
    FABRICAST_ASSIGN(const Workbench bench, Workbench::open({}));
    if (::setrlimit(RLIMIT_NOFILE, &kNoMoreFiles) != 0) {
        return fail(Error::Code::Environment, "RLIMIT_NOFILE", "cannot be lowered");
    }
    const std::vector<Edit> asked = {{"model", "gpt2", "start"},
                                     {"cluster.name", "8x-rtx-4090", "start"},
                                     {"workload.global_batch", "64", "start"}};
    FABRICAST_ASSIGN(const Question empty, readQuestion("", ""));
    FABRICAST_ASSIGN(const Question question, with(empty, asked));
    FABRICAST_ASSIGN(const PlanReport first, plan(question, {}, bench, {}));

    const std::vector<Edit> slider = {{"workload.sequence", "512", "slider"}};
    FABRICAST_ASSIGN(const Question moved, with(question, slider));
    std::stop_source stop;
    const Watch watch{.stop = stop.get_token(),
                      .progress = [&stop](std::size_t, std::size_t) { stop.request_stop(); }};
    const Result<PlanReport> cancelled = plan(moved, {}, bench, watch);
    FABRICAST_ASSIGN(const PlanReport second, plan(moved, {}, bench, {}));

    FABRICAST_ASSIGN(const PlanReport undone, plan(question, {}, bench, {}));
    const auto step = [](const PlanReport& report) { return report.plans.at(0).step.step.value; };
    return !cancelled && cancelled.error().code == Error::Code::Stopped &&
           step(second) < step(first) && step(undone) == step(first);
}

}  // namespace

int main() {
    const Result<bool> done = slide();
    std::puts(done ? (*done ? "ok" : "another answer") : done.error().text().c_str());
    return done && *done ? 0 : 1;
}
