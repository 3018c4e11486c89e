#include "simulator/faults/play_run.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

/// How far a run has come.
struct Progress {
    std::int64_t steps = 0;
    Seconds work;  ///< that these steps took
};

/// The spare nodes, and those in repair.
class NodePool {
public:
    explicit NodePool(const RunFailures& failures)
        : repair_(failures.detection + failures.repair), free_(failures.spares) {}

    void fail(Seconds now) {
        if (free_) {
            ++missing_;
            back_.push_back(now + repair_);
        }
    }
    /// How long the run waits until it has all its nodes.
    Seconds replace(Seconds now) {
        Seconds ready = now;
        for (; missing_ > 0; --missing_) {
            while (!back_.empty() && back_.front() <= ready) {
                back_.pop_front();
                ++*free_;
            }
            if (*free_ > 0) {
                --*free_;
            } else {
                ready = back_.front();
                back_.pop_front();
            }
        }
        return ready - now;
    }

private:
    Seconds repair_;
    std::optional<std::int64_t> free_;
    std::int64_t missing_ = 0;
    std::deque<Seconds> back_;  ///< when nodes come back, the earliest first
};

class Player {
public:
    Player(const RunPlan& plan, StepClock& clock, const NextFailure& nextFailure)
        : plan_(plan),
          clock_(clock),
          nextFailure_(nextFailure),
          next_(nextFailure()),
          nodes_(plan.failures) {}

    std::optional<RunTimes> play(const std::function<bool()>& stopped) {
        while (at_.steps < plan_.steps) {
            if (stopped && stopped()) {
                return std::nullopt;
            }
            const std::int64_t steps = std::min(plan_.saving.every, plan_.steps - at_.steps);
            const Seconds work = clock_.take(steps);
            if (next_.after < work + plan_.saving.blocking) {
                fail(work);
            } else {
                save(steps, work);
            }
        }
        times_.useful = plan_.useful();
        const Seconds slower = at_.work - times_.useful;
        // What the sums of both leave over is nothing.
        constexpr double kRounding = 1e-9;
        times_.slower =
            std::abs(slower.count()) < kRounding * times_.useful.count() ? Seconds() : slower;
        return times_;
    }

private:
    /// A copy on its way to storage.
    struct Write {
        Progress copy;
        Seconds left;
    };

    /// Time in which nothing fails.
    void pass(Seconds time) {
        times_.wall += time;
        next_.after = next_.after - time;
        if (write_) {
            write_->left = write_->left - time;
            if (write_->left <= Seconds()) {
                stored_ = write_->copy;
                write_.reset();
            }
        }
    }

    void save(std::int64_t steps, Seconds work) {
        pass(work + plan_.saving.blocking);
        times_.saving += plan_.saving.blocking;
        at_.steps += steps;
        at_.work += work;
        memory_ = at_;
        if (at_.steps / plan_.saving.every % plan_.saving.storedEvery != 0 || write_) {
            return;
        }
        if (plan_.saving.lag > Seconds()) {
            write_ = Write{at_, plan_.saving.lag};
        } else {
            stored_ = at_;
        }
    }

    /// In steps that would have taken `work`, or in the checkpoint after them.
    void fail(Seconds work) {
        const Seconds done = next_.after;
        pass(done);
        at_.work += std::min(done, work);
        times_.saving += std::max(Seconds(), done - work);
        bool load = false;
        while (true) {
            const Failure failure = std::exchange(next_, nextFailure_());
            ++times_.failures;
            load = goBack(failure) || load;
            if (failure.hardware) {
                nodes_.fail(times_.wall);
            }
            if (!recovers(plan_.failures.detection)) {
                continue;
            }
            const Seconds waited = nodes_.replace(times_.wall);
            times_.waiting += waited;
            times_.wall += waited;
            if (recovers(plan_.failures.restart + (load ? plan_.failures.load : Seconds()))) {
                return;
            }
        }
    }

    /// To what is left of the run; whether it has to be read from storage.
    bool goBack(const Failure& failure) {
        const bool kept = plan_.saving.inMemory && failure.oneHost;
        const Progress before = at_;
        write_.reset();
        at_ = kept ? memory_ : stored_;
        memory_ = at_;
        times_.lost += before.work - at_.work;
        return !kept;
    }

    /// False where it fails again before that.
    bool recovers(Seconds time) {
        const bool fails = next_.after < time;
        const Seconds done = fails ? next_.after : time;
        pass(done);
        times_.recovery += done;
        return !fails;
    }

    const RunPlan& plan_;
    StepClock& clock_;
    const NextFailure& nextFailure_;
    Failure next_;
    NodePool nodes_;
    RunTimes times_;
    Progress at_;
    Progress memory_;
    Progress stored_;
    std::optional<Write> write_;
};

}  // namespace

NextFailure randomFailures(const RunFailures& failures, std::uint64_t seed, std::uint64_t run) {
    return [failures, random = RandomStream(seed, run, RandomUse::Failures)]() mutable {
        Failure failure{.after = Seconds(random.exponential(failures.mtbf.count()))};
        // What takes a node down stops one host only: one number decides both.
        const double kind = random.uniform();
        failure.oneHost = kind < failures.oneHostShare;
        failure.hardware = kind < failures.hardwareShare;
        return failure;
    };
}

std::optional<RunTimes> playRun(const RunPlan& plan,
                                StepClock& clock,
                                const NextFailure& nextFailure,
                                const std::function<bool()>& stopped) {
    return Player(plan, clock, nextFailure).play(stopped);
}

}  // namespace fabricast
