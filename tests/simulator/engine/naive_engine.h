#pragma once
#include "simulator/engine/sim_program.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace fabricast {

/// Simulates a program in the slowest and plainest way: a sorted list of what ends when, and a look
/// at every op after each of them. Ops that never start keep a start of -1.
class NaiveEngine {
public:
    explicit NaiveEngine(const SimProgram& program)
        : program_(program), ops_(program.ops()), start(ops_.size(), -1), end(ops_.size(), -1) {
        startAll(0);
        while (!ends_.empty()) {
            const std::int64_t now = ends_.begin()->first;
            const OpIndex op = ends_.begin()->second;
            ends_.erase(ends_.begin());
            end[op] = now;
            replan(now);
            startAll(now);
        }
    }

private:
    const SimProgram& program_;
    const std::vector<SimOp>& ops_;

public:
    std::vector<std::int64_t> start;
    std::vector<std::int64_t> end;

private:
    [[nodiscard]] bool running(OpIndex op) const { return start[op] >= 0 && end[op] < 0; }

    [[nodiscard]] bool ready(OpIndex op) const {
        for (const SimProgram::Edge& edge : program_.edges()) {
            if (edge.op == op && end[edge.after] < 0) {
                return false;
            }
        }
        for (OpIndex before = 0; before < op; ++before) {
            if (ops_[before].actor == ops_[op].actor && ops_[before].stream == ops_[op].stream &&
                ops_[op].stream != SimStream::Pipeline && end[before] < 0) {
                return false;
            }
        }
        return true;
    }

    void startAll(std::int64_t now) {
        for (OpIndex op = 0; op < ops_.size(); ++op) {
            if (start[op] < 0 && ready(op)) {
                start[op] = now;
                if (ops_[op].slowed) {
                    kernels_[op] = {static_cast<double>(ops_[op].duration.count()), now, -1.0};
                } else {
                    ends_.emplace(now + ops_[op].duration.count(), op);
                }
                replan(now);
            }
        }
    }

    struct Kernel {
        double left = 0.0;
        std::int64_t since = 0;
        double rate = -1.0;
    };

    /// Moves the ends of kernels whose actor runs more or less beside them now.
    void replan(std::int64_t now) {
        for (auto& [op, kernel] : kernels_) {
            double rate = 1.0;
            for (OpIndex other = 0; other < ops_.size(); ++other) {
                if (running(other) && ops_[other].slows && ops_[other].actor == ops_[op].actor) {
                    rate = 1.0 - program_.setting().contention;
                }
            }
            if (!running(op) || rate == kernel.rate) {
                continue;
            }
            const double past = static_cast<double>(now - kernel.since);
            kernel.left = std::max(0.0, kernel.left - std::max(0.0, kernel.rate) * past);
            kernel.since = now;
            kernel.rate = rate;
            std::erase_if(ends_, [op = op](const auto& planned) { return planned.second == op; });
            ends_.emplace(now + std::llround(kernel.left / rate), op);
        }
    }

    std::multimap<std::int64_t, OpIndex> ends_;
    std::map<OpIndex, Kernel> kernels_;
};

}  // namespace fabricast
