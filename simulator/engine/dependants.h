#pragma once
#include "simulator/engine/sim_program.h"

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace fabricast {

/// Which ops wait for each op, as the program states; without the order of streams.
class Dependants {
public:
    explicit Dependants(const SimProgram& program)
        : ops_(program.edges().size()), first_(program.ops().size() + 1) {
        for (const SimProgram::Edge& edge : program.edges()) {
            ++first_[edge.after + std::size_t{1}];
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        std::vector<std::uint32_t> free(first_.begin(), first_.end() - 1);
        for (const SimProgram::Edge& edge : program.edges()) {
            ops_[free[edge.after]++] = edge.op;
        }
    }

    [[nodiscard]] std::span<const OpIndex> of(OpIndex op) const {
        return std::span(ops_).subspan(first_[op], first_[op + std::size_t{1}] - first_[op]);
    }

private:
    std::vector<OpIndex> ops_;
    std::vector<std::uint32_t> first_;  ///< by op, into ops_
};

}  // namespace fabricast
