#include "tests/programs/schedule_rows/rendezvous.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace fabricast {
namespace {

constexpr std::int64_t kNotPosted = -1;

/// When either side of each transfer was posted.
struct Transfer {
    std::int64_t sent = kNotPosted;
    std::int64_t received = kNotPosted;
};

/// The number of each transfer: both sides of it find the same.
class TransferNumbers {
public:
    std::size_t numberOf(std::int64_t rank, std::int64_t ranks, const PeerTransfer& op) {
        const bool up = op.send == op.forward;  // towards the next rank of the ring
        const std::int64_t ring = (rank + (up ? 1 : ranks - 1)) % ranks;
        const std::int64_t peer = op.stage < 0 ? ring : op.peer;
        const std::int64_t from = op.send ? rank : peer;
        const std::int64_t to = op.send ? peer : rank;
        std::int64_t turn = -1;
        if (op.stage < 0) {  // in order, by kind
            turn = turns_[{from, to, op.forward, op.send}]++;
        }
        const Key key{from, to, op.forward, op.stage, op.microBatch, turn};
        return numbers_.emplace(key, numbers_.size()).first->second;
    }
    [[nodiscard]] std::size_t count() const { return numbers_.size(); }

private:
    using Key =
        std::tuple<std::int64_t, std::int64_t, bool, std::int32_t, std::int32_t, std::int64_t>;
    std::map<Key, std::size_t> numbers_;
    std::map<std::tuple<std::int64_t, std::int64_t, bool, bool>, std::int64_t> turns_;
};

/// A step with its transfers' numbers.
struct NumberedStep {
    const CommStep* step = nullptr;
    std::vector<std::size_t> transfers{};
};

/// One rank on its way.
struct Runner {
    std::vector<NumberedStep> steps;
    std::size_t next = 0;
    bool posted = false;  ///< the step's own transfers, while it waits
    std::int64_t free = 0;
    std::int64_t busy = 0;
};

class Replay {
public:
    Replay(const CommProgram& program, std::span<const std::int64_t> passes, std::int64_t handOver)
        : passes_(passes), handOver_(handOver) {
        TransferNumbers numbers;
        for (std::size_t rank = 0; rank < program.size(); ++rank) {
            runners_.push_back({.steps = numbered(program, rank, numbers)});
        }
        transfers_.resize(numbers.count());
    }

    Result<PipelineSpan<std::int64_t>> run() {
        for (bool moved = true; moved;) {
            moved = false;
            for (Runner& runner : runners_) {
                while (runner.next < runner.steps.size() && advance(runner, moved)) {
                    ++runner.next;
                    runner.posted = false;
                    moved = true;
                }
            }
        }
        PipelineSpan<std::int64_t> span;
        for (std::size_t rank = 0; rank < runners_.size(); ++rank) {
            const Runner& runner = runners_[rank];
            if (runner.next < runner.steps.size()) {
                return fail(Error::Code::BadInput,
                            "schedule",
                            "deadlock: rank " + std::to_string(rank) + " never completes " +
                                programText({*runner.steps[runner.next].step}));
            }
            span.busy.push_back(runner.busy);
            span.end.push_back(runner.free);
            span.makespan = std::max(span.makespan, runner.free);
        }
        return span;
    }

private:
    static std::vector<NumberedStep> numbered(const CommProgram& program,
                                              std::size_t rank,
                                              TransferNumbers& numbers) {
        std::vector<NumberedStep> steps;
        std::map<std::int32_t, std::vector<std::size_t>> posts;
        for (const CommStep& step : program[rank]) {
            NumberedStep numberedStep{.step = &step};
            if (step.kind == CommStep::Kind::Wait) {
                const std::vector<std::size_t>& post = posts[step.handle];
                const auto which = static_cast<std::size_t>(step.which);
                numberedStep.transfers =
                    step.which < 0 ? post : std::vector<std::size_t>{post.at(which)};
            } else {
                for (const PeerTransfer& op : step.ops) {
                    numberedStep.transfers.push_back(
                        numbers.numberOf(static_cast<std::int64_t>(rank),
                                         static_cast<std::int64_t>(program.size()),
                                         op));
                }
            }
            if (step.kind == CommStep::Kind::Post) {
                posts[step.handle] = numberedStep.transfers;
            }
            steps.push_back(std::move(numberedStep));
        }
        return steps;
    }

    void post(Runner& runner, const NumberedStep& step) {
        for (std::size_t i = 0; i < step.transfers.size(); ++i) {
            Transfer& transfer = transfers_[step.transfers[i]];
            (step.step->ops[i].send ? transfer.sent : transfer.received) = runner.free;
        }
        runner.posted = true;
    }

    /// Whether the runner's step is over; `moved` when it did something at least.
    bool advance(Runner& runner, bool& moved) {
        const NumberedStep& step = runner.steps[runner.next];
        if (step.step->kind == CommStep::Kind::Compute) {
            const std::int64_t time = passes_[timeIndex(
                static_cast<std::size_t>(step.step->action.stage), step.step->action.pass)];
            runner.free += time;
            runner.busy += time;
            return true;
        }
        if (step.step->kind != CommStep::Kind::Wait && !runner.posted) {
            post(runner, step);
            moved = true;
        }
        if (step.step->kind == CommStep::Kind::Post) {
            return true;
        }
        std::int64_t end = runner.free;
        for (const std::size_t number : step.transfers) {
            const Transfer& transfer = transfers_[number];
            if (transfer.sent == kNotPosted || transfer.received == kNotPosted) {
                return false;
            }
            end = std::max(end, std::max(transfer.sent, transfer.received) + handOver_);
        }
        runner.free = end;
        return true;
    }

    std::span<const std::int64_t> passes_;
    std::int64_t handOver_;
    std::vector<Runner> runners_;
    std::vector<Transfer> transfers_;
};

}  // namespace

Result<PipelineSpan<std::int64_t>> replay(const CommProgram& program,
                                          std::span<const std::int64_t> passes,
                                          std::int64_t handOver) {
    return Replay(program, passes, handOver).run();
}

}  // namespace fabricast
