#pragma once
#include "simulator/faults/play_run.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace fabricast {

/// Plays a run in the plainest way: step by step on one clock, with a list of every checkpoint that
/// was ever taken and when storage had it. No jitter, no spells.
class NaiveRun {
public:
    NaiveRun(const RunPlan& plan, std::vector<Failure> failures)
        : plan_(plan), failures_(std::move(failures)) {
        for (std::int64_t spare = 0; spare < plan.failures.spares.value_or(0); ++spare) {
            nodes_.push_back(0.0);
        }
        failsAt_ = failures_.empty() ? kNever : failures_[0].after.count();
        while (steps_ < plan.steps) {
            if (runs(plan.step.count(), lost_)) {
                ++steps_;
                if (steps_ % plan.saving.every == 0 || steps_ == plan.steps) {
                    if (runs(plan.saving.blocking.count(), saving_)) {
                        save();
                        continue;
                    }
                    recover();
                }
            } else {
                recover();
            }
        }
    }

    [[nodiscard]] double wall() const { return clock_; }
    [[nodiscard]] double lost() const { return lost_ - plan_.useful().count(); }
    [[nodiscard]] double saving() const { return saving_; }
    [[nodiscard]] double recovery() const { return recovery_; }
    [[nodiscard]] double waiting() const { return waiting_; }
    [[nodiscard]] std::size_t failed() const { return failed_; }

private:
    static constexpr double kNever = std::numeric_limits<double>::infinity();

    struct Saved {
        std::int64_t steps = 0;
        double stored = kNever;
    };

    /// Whether this time passes without a failure.
    bool runs(double time, double& part) {
        const double until = std::min(time, failsAt_ - clock_);
        clock_ += until;
        part += until;
        return until == time;
    }

    void save() {
        const bool goes = steps_ / plan_.saving.every % plan_.saving.storedEvery == 0;
        saved_.push_back({steps_, goes ? clock_ + plan_.saving.lag.count() : kNever});
    }

    void recover() {
        bool load = false;
        while (true) {
            const Failure failure = failures_.at(failed_++);
            failsAt_ =
                clock_ + (failed_ < failures_.size() ? failures_[failed_].after.count() : kNever);
            const bool memory = plan_.saving.inMemory && failure.oneHost;
            load = load || !memory;
            while (!saved_.empty() && !memory && saved_.back().stored > clock_) {
                saved_.pop_back();
            }
            for (Saved& saved : saved_) {
                saved.stored = saved.stored > clock_ ? kNever : saved.stored;
            }
            steps_ = saved_.empty() ? 0 : saved_.back().steps;
            if (failure.hardware && plan_.failures.spares) {
                ++needed_;
                nodes_.push_back(clock_ +
                                 (plan_.failures.detection + plan_.failures.repair).count());
            }
            if (!runs(plan_.failures.detection.count(), recovery_)) {
                continue;
            }
            for (; needed_ > 0; --needed_) {
                const auto first = std::ranges::min_element(nodes_);
                const double wait = std::max(0.0, *first - clock_);
                nodes_.erase(first);
                clock_ += wait;
                failsAt_ += wait;
                waiting_ += wait;
            }
            const Seconds back = plan_.failures.restart + (load ? plan_.failures.load : Seconds());
            if (runs(back.count(), recovery_)) {
                return;
            }
        }
    }

    const RunPlan& plan_;
    std::vector<Failure> failures_;
    std::vector<Saved> saved_;
    std::vector<double> nodes_;  ///< when the spare nodes are available
    double failsAt_ = kNever;
    double clock_ = 0.0;
    double lost_ = 0.0;
    double saving_ = 0.0;
    double recovery_ = 0.0;
    double waiting_ = 0.0;
    std::int64_t steps_ = 0;
    std::size_t failed_ = 0;
    int needed_ = 0;
};

}  // namespace fabricast
