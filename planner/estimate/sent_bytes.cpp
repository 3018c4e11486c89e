#include "planner/estimate/chunk_comm.h"
#include "planner/estimate/moved_bytes.h"

namespace fabricast {
namespace {

/// Sums of calls, with what the greatest of them is.
class SentSum {
public:
    void add(const CommCall& call, double count, CommClock& clock) {
        const double bytes = clock.sentBytes(call) * count;
        sum_.bytes += bytes;
        sum_.seconds += clock.seconds(call) * count;
        if (bytes > most_) {
            most_ = bytes;
            sum_.group = call.group;
            sum_.op = call.op;
        }
    }
    [[nodiscard]] const SentBytes& sum() const { return sum_; }

private:
    SentBytes sum_;
    double most_ = 0.0;
};

struct PassSums {
    SentSum tensor;
    SentSum context;
    SentSum expert;
    SentSum shard;

    /// Null for what passes do not wait for.
    SentSum* of(CommUse use) {
        switch (use) {
            case CommUse::Activation:
            case CommUse::Loss:
            case CommUse::InputRegather:
                return &tensor;
            case CommUse::KeyValue:
                return &context;
            case CommUse::Dispatch:
            case CommUse::Routing:
                return &expert;
            case CommUse::ParameterGather:
            case CommUse::GradientReduce:
                return &shard;
            default:
                return nullptr;
        }
    }
    [[nodiscard]] PassSent sent() const {
        return {tensor.sum(), context.sum(), expert.sum(), shard.sum()};
    }
};

struct StageSums {
    std::vector<std::array<PassSums, 2>> chunks;
    SentSum reduce;
    SentSum gather;
    SentSum handOver;

    void add(const CommCall& call, CommClock& clock) {
        const auto count = static_cast<double>(call.count());
        const auto chunk = static_cast<std::size_t>(call.chunk);
        if (call.use == CommUse::StageExchange) {
            if (call.op == CommOp::Send && handOver.sum().bytes <= 0.0) {
                handOver.add(call, 1.0, clock);
            }
        } else if (isPerMicroBatch(clock.scenario(), call) && chunk < chunks.size()) {
            const bool forward = call.phase == CommPhase::Forward;
            if (SentSum* sum = chunks[chunk][forward ? 0 : 1].of(call.use)) {
                sum->add(call, count, clock);
            }
        } else if (call.use == CommUse::GradientReduce) {
            reduce.add(call, count, clock);
        } else if (call.use == CommUse::ParameterGather) {
            gather.add(call, count, clock);
        }
    }
};

}  // namespace

StageSent stageSent(const StageTime& stage, CommClock& clock) {
    StageSums sums;
    sums.chunks.resize(stage.chunks.size());
    for (const CommCall& call : stage.calls) {
        sums.add(call, clock);
    }
    StageSent sent{.chunks = {},
                   .reduce = sums.reduce.sum(),
                   .gather = sums.gather.sum(),
                   .handOver = sums.handOver.sum()};
    for (const auto& [forward, backward] : sums.chunks) {
        sent.chunks.push_back({forward.sent(), backward.sent()});
    }
    return sent;
}

}  // namespace fabricast
