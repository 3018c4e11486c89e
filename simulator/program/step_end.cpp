#include "planner/estimate/offload_time.h"
#include "simulator/program/pipeline_program.h"

#include <algorithm>

namespace fabricast {
namespace {

class StepEnd {
public:
    StepEnd(const StepPieces& pieces, StageOpWriter& writer) : pieces_(pieces), writer_(writer) {}

    /// Something that every rank of a stage does next; nothing where it takes no time.
    void add(std::size_t stage,
             SimKind kind,
             SimStream stream,
             double seconds,
             std::uint32_t flow = kNoFlow) {
        const SimTime duration = simTime(Seconds(seconds));
        if (duration > SimTime(0)) {
            const SimOp op{.duration = duration, .kind = kind, .stream = stream, .flow = flow};
            writer_.follow(stage, writer_.add(stage, op));
        }
    }

    void addCollective(std::size_t stage, SimKind kind, double seconds) {
        if (simTime(Seconds(seconds)) > SimTime(0)) {
            const StageSent& sent = pieces_.sent[stage];
            const SentBytes& bytes = kind == SimKind::Gather ? sent.gather : sent.reduce;
            join(stage, writer_.meet(stage, GroupKind::DataContext, writer_.last(stage)));
            add(stage,
                kind,
                SimStream::Data,
                seconds,
                writer_.flows().collective(stage, SimStream::Data, bytes));
        }
    }

    /// What the stage does next also waits for these.
    void join(std::size_t stage, const StageOps& also) {
        if (also.empty() || also == writer_.last(stage)) {
            return;
        }
        const StageOps both =
            writer_.add(stage, {.kind = SimKind::Meeting, .stream = SimStream::Pipeline});
        writer_.wait(both, also);
        writer_.follow(stage, both);
    }

    /// The first stage and the last hold the same embedding.
    void joinEnds() {
        const std::size_t last = pieces_.stages.size() - 1;
        const auto shares = [this](std::size_t stage) {
            return std::ranges::any_of(pieces_.stages[stage].calls, [](const CommCall& call) {
                return call.use == CommUse::SharedGradient && call.group == GroupKind::Embedding;
            });
        };
        if (last > 0 && shares(0) && shares(last)) {
            const StageOps first = writer_.last(0);
            join(0, writer_.last(last));
            join(last, first);
        }
    }

    /// Every rank waits for the others where all sum up a norm.
    void joinAll() {
        if (!std::ranges::all_of(pieces_.stages,
                                 [](const StageTime& stage) { return stage.bookkeeping > 0.0; })) {
            return;
        }
        std::vector<OpIndex> ready;
        for (std::size_t stage = 0; stage < pieces_.stages.size(); ++stage) {
            const StageOps& theirs = writer_.last(stage);
            ready.insert(ready.end(), theirs.begin(), theirs.end());
        }
        if (ready.size() > 1) {
            const OpIndex meeting = writer_.meetAll(ready);
            for (std::size_t stage = 0; stage < pieces_.stages.size(); ++stage) {
                join(stage, StageOps(writer_.last(stage).size(), meeting));
            }
        }
    }

private:
    const StepPieces& pieces_;
    StageOpWriter& writer_;
};

}  // namespace

void addStepEnd(const Scenario& scenario,
                const StepPieces& pieces,
                StageOpWriter& writer,
                const StepTransfers& transfers) {
    StepEnd end(pieces, writer);
    const TailOverlap hidden = transfers.hidden();
    const std::size_t stages = pieces.stages.size();
    for (std::size_t stage = 0; stage < stages; ++stage) {
        end.join(stage, writer.handedOver(stage));  // a schedule ends when its sends have
        end.join(stage, transfers.reduced(stage));
        if (!hidden.reduce) {
            end.addCollective(stage, SimKind::Reduce, pieces.stages[stage].gradientReduce);
        }
    }
    end.joinEnds();
    for (std::size_t stage = 0; stage < stages; ++stage) {
        end.add(
            stage, SimKind::SharedGradient, SimStream::Data, pieces.stages[stage].sharedGradients);
    }
    end.joinAll();
    const auto microBatches =
        static_cast<double>(std::max<std::int64_t>(1, scenario.microBatches()));
    const double loop =
        pieces.software.step.count() + microBatches * pieces.software.microBatch.count();
    const SimStream stepper = stepsOnHost(scenario) ? SimStream::Host : SimStream::Compute;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        const StageTime& time = pieces.stages[stage];
        end.add(stage, SimKind::Bookkeeping, SimStream::Data, time.bookkeeping);
        end.add(stage, SimKind::Optimizer, stepper, pieces.optimizer[stage]);
        if (!hidden.gather) {
            end.addCollective(stage, SimKind::Gather, time.parameterGather);
        }
        end.add(stage, SimKind::Gather, SimStream::Data, time.gatherCopies);
        end.add(stage, SimKind::Loop, SimStream::Host, loop);
    }
}

}  // namespace fabricast
