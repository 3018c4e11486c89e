#include "planner/estimate/comm_lines.h"

#include "planner/comm/comm_names.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

double share(double part, double all) {
    return all > 0 ? part / all : 0.0;
}

TimePart partOf(CommUse use) {
    switch (use) {
        case CommUse::ParameterGather:
        case CommUse::GradientReduce:
        case CommUse::Bookkeeping:
            return TimePart::Shard;
        case CommUse::KeyValue:
            return TimePart::Context;
        case CommUse::Dispatch:
        case CommUse::Routing:
            return TimePart::Expert;
        case CommUse::StageExchange:
            return TimePart::Stage;
        default:
            return TimePart::Tensor;
    }
}

/// Of a call's seconds, those that its chunk's pass waits for.
double passShare(const StageTime& stage, const CommCall& call) {
    double CommSeconds::*const sum = sumOf(call);
    const auto chunk = static_cast<std::size_t>(call.chunk);
    if (sum == nullptr || chunk >= stage.chunks.size()) {
        return 0.0;
    }
    const ChunkTime& time = stage.chunks[chunk];
    const PassComm& pass = call.phase == CommPhase::Forward ? time.forwardComm : time.backwardComm;
    return share(pass.exposed.*sum, pass.moved.*sum);
}

/// Of a call once a step, the seconds that the step's end waits for.
double tailShare(const EndingStage& ending, const CommCall& call) {
    switch (call.use) {
        case CommUse::ParameterGather:
            return share(ending.tail.gather, ending.time->parameterGather);
        case CommUse::GradientReduce:
            return share(ending.tail.reduce, ending.time->gradientReduce);
        default:
            return 1.0;
    }
}

class LineList {
public:
    explicit LineList(CommClock& clock) : clock_(clock) {}

    [[nodiscard]] double secondsOf(const CommCall& call) const {
        return clock_.seconds(call) * static_cast<double>(call.count());
    }

    void add(std::size_t stage, const CommCall& call, TimePart part, double exposedShare) {
        const GroupShape& where = clock_.shapeOf(call);
        if (where.ranks <= 1 || call.elements <= 0) {
            return;
        }
        const double seconds = secondsOf(call);
        const CommLine line{.stage = static_cast<std::int64_t>(stage),
                            .axis = nameOf(call.group),
                            .collective = nameOf(call.op),
                            .use = nameOf(call.use),
                            .part = part,
                            .betweenNodes = where.nodes > 1,
                            .sites = where.sites,
                            .groupSize = where.ranks,
                            .bytes = Bytes(call.bytes()),
                            .count = call.count(),
                            .seconds = seconds,
                            .exposed = seconds * exposedShare};
        const auto alike = std::ranges::find_if(lines_, [&line](const CommLine& other) {
            return line.stage == other.stage && line.axis == other.axis &&
                   line.collective == other.collective && line.use == other.use &&
                   line.part == other.part && line.bytes == other.bytes;
        });
        if (alike == lines_.end()) {
            lines_.push_back(line);
            return;
        }
        alike->count += line.count;
        alike->seconds += line.seconds;
        alike->exposed += line.exposed;
    }

    /// What adds most first.
    std::vector<CommLine> take() && {
        std::ranges::stable_sort(lines_, [](const CommLine& a, const CommLine& b) {
            return std::pair(a.exposed, a.seconds) > std::pair(b.exposed, b.seconds);
        });
        return std::move(lines_);
    }

private:
    CommClock& clock_;
    std::vector<CommLine> lines_;
};

}  // namespace

std::vector<CommLine> commLines(CommClock& clock,
                                const DecidingStage& deciding,
                                const EndingStage& ending) {
    LineList lines(clock);
    double handedOver = 0.0;
    for (const CommCall& call : deciding.time->calls) {
        handedOver += call.use == CommUse::StageExchange ? lines.secondsOf(call) : 0.0;
    }
    for (const CommCall& call : deciding.time->calls) {
        if (call.use == CommUse::StageExchange) {
            lines.add(deciding.stage, call, TimePart::Stage, share(deciding.exchange, handedOver));
        } else if (isPerMicroBatch(clock.scenario(), call)) {
            lines.add(deciding.stage, call, partOf(call.use), passShare(*deciding.time, call));
        }
    }
    for (const CommCall& call : ending.time->calls) {
        if (call.use != CommUse::StageExchange && !isPerMicroBatch(clock.scenario(), call)) {
            lines.add(ending.stage, call, TimePart::Shard, tailShare(ending, call));
        }
    }
    return std::move(lines).take();
}

}  // namespace fabricast
