#pragma once
#include "simulator/links/step_flows.h"
#include "simulator/program/pass_pieces.h"
#include "simulator/program/stage_ranks.h"

#include <vector>

namespace fabricast {

/// One op of each member of a stage, in the members' order.
using StageOps = std::vector<OpIndex>;

/// Writes what all ranks of a stage have in common, and what they wait for: the last thing that
/// they did, and further dependencies.
class StageOpWriter {
public:
    StageOpWriter(SimProgram& program, const StageRanks& ranks, StepFlows& flows)
        : program_(program),
          ranks_(ranks),
          flows_(flows),
          last_(ranks.stages()),
          handedOver_(ranks.stages()) {}

    /// The op of every member. It waits for nothing but its stream. Its flow is that of the first
    /// member, whose transfers represent all if the flows are not by rank.
    StageOps add(std::size_t stage, const SimOp& op);
    void wait(const StageOps& ops, const StageOps& after);
    /// After what the members did last, whatever `ops` also wait for; they are the last thing now.
    void follow(std::size_t stage, const StageOps& ops);
    /// What comes once every member of the groups has ended its own; the same where there are none.
    StageOps meet(std::size_t stage, GroupKind group, const StageOps& ready);
    /// What comes once all of these have ended.
    OpIndex meetAll(const std::vector<OpIndex>& ready);

    /// The pieces of a pass one after the other, the first after `inputs`; what ended last.
    StageOps pass(std::size_t stage,
                  const SimOp& what,
                  const PassPieces& pieces,
                  const std::vector<StageOps>& inputs);

    [[nodiscard]] const StageOps& last(std::size_t stage) const { return last_[stage]; }
    /// The stage's last transfer; empty if there was none.
    void handOver(std::size_t stage, const StageOps& ops) { handedOver_[stage] = ops; }
    [[nodiscard]] const StageOps& handedOver(std::size_t stage) const { return handedOver_[stage]; }
    [[nodiscard]] SimProgram& program() { return program_; }
    [[nodiscard]] const StageRanks& ranks() const { return ranks_; }
    [[nodiscard]] StepFlows& flows() { return flows_; }

private:
    SimProgram& program_;
    [[nodiscard]] std::uint32_t flowOf(const SimOp& op, std::size_t member) const;
    /// A transfer concurrent with what follows, once its group is ready.
    StageOps beside(std::size_t stage, SimOp op, const PassPiece& piece);

    const StageRanks& ranks_;
    StepFlows& flows_;
    std::vector<StageOps> last_;  ///< by stage; empty before it did anything
    std::vector<StageOps> handedOver_;
};

}  // namespace fabricast
