#include "simulator/program/step_transfers.h"

namespace fabricast {

StepTransfers::StepTransfers(const Scenario& scenario,
                             const StepPieces& pieces,
                             StageOpWriter& writer)
    : scenario_(scenario),
      pieces_(pieces),
      writer_(writer),
      hidden_(tailOverlap(scenario)),
      reduced_(pieces.stages.size()) {}

double StepTransfers::layers(std::size_t stage) const {
    return layersOfChunk(scenario_, pieces_.stages[stage].chunks.size());
}

StageOps StepTransfers::transfer(std::size_t stage,
                                 SimKind kind,
                                 SimTime duration,
                                 const StageOps& ready) {
    const StageOps met = ready.empty() ? ready : writer_.meet(stage, GroupKind::DataContext, ready);
    const StageSent& sent = pieces_.sent[stage];
    const SentBytes& bytes = kind == SimKind::Gather ? sent.gather : sent.reduce;
    const StageOps ops =
        writer_.add(stage,
                    {.duration = duration,
                     .kind = kind,
                     .stream = SimStream::Data,
                     .slows = true,
                     .flow = writer_.flows().collective(stage, SimStream::Data, bytes)});
    writer_.wait(ops, met);
    return ops;
}

// Of a chunk's L layers the first is gathered before the forward begins, and the last before its
// last layer.
StageOps StepTransfers::firstForward(std::size_t stage,
                                     const SimOp& what,
                                     const PassPieces& pieces,
                                     const std::vector<StageOps>& inputs) {
    const StageTime& time = pieces_.stages[stage];
    if (!hidden_.gather || time.parameterGather <= 0.0) {
        return writer_.pass(stage, what, pieces, inputs);
    }
    const double count = layers(stage);
    const double each = time.parameterGather / static_cast<double>(time.chunks.size());
    const SimTime whole = simTime(Seconds(each));
    const SimTime one = simTime(Seconds(each / count));
    std::vector<StageOps> before = inputs;
    before.push_back(transfer(stage, SimKind::Gather, one, {}));
    const StageOps gathered = transfer(stage, SimKind::Gather, whole - one, {});
    const CutPass cut = cutPass(pieces, (count - 1.0) / count);
    writer_.pass(stage, what, cut.first, before);
    return writer_.pass(stage, what, cut.rest, {gathered});
}

// A backward goes through its L layers from the last to the first: the reduction of the last one
// begins after an L-th of it, that of the first one after all.
StageOps StepTransfers::lastGradient(std::size_t stage,
                                     const SimOp& what,
                                     const PassPieces& pieces,
                                     const std::vector<StageOps>& inputs) {
    const StageTime& time = pieces_.stages[stage];
    if (!hidden_.reduce || time.gradientReduce <= 0.0) {
        return writer_.pass(stage, what, pieces, inputs);
    }
    const double count = layers(stage);
    const double each = time.gradientReduce / static_cast<double>(time.chunks.size());
    const SimTime whole = simTime(Seconds(each));
    const SimTime one = simTime(Seconds(each / count));
    const CutPass cut = cutPass(pieces, 1.0 / count);
    const StageOps begun = writer_.pass(stage, what, cut.first, inputs);
    transfer(stage, SimKind::Reduce, whole - one, begun);
    const StageOps ended = writer_.pass(stage, what, cut.rest, {});
    reduced_[stage] = transfer(stage, SimKind::Reduce, one, ended);
    return ended;
}

}  // namespace fabricast
