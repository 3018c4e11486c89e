#pragma once
#include "simulator/engine/sim_program.h"

#include <algorithm>
#include <cmath>
#include <iterator>
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

    /// Links that the op shares with others; none for most.
    [[nodiscard]] std::vector<ResourceUse> usesOf(OpIndex op) const {
        const bool shares = ops_[op].flow != kNoFlow && !program_.flows().empty();
        return shares && ops_[op].duration > SimTime(0) ? program_.flows()[ops_[op].flow].uses
                                                        : std::vector<ResourceUse>{};
    }

    void startAll(std::int64_t now) {
        for (OpIndex op = 0; op < ops_.size(); ++op) {
            if (start[op] < 0 && ready(op)) {
                start[op] = now;
                if (ops_[op].slowed || !usesOf(op).empty()) {
                    changing_[op] = {static_cast<double>(ops_[op].duration.count()), now, -1.0};
                } else {
                    ends_.emplace(now + ops_[op].duration.count(), op);
                }
                replan(now);
            }
        }
    }

    struct Changing {
        double left = 0.0;
        std::int64_t since = 0;
        double rate = -1.0;
    };

    [[nodiscard]] double kernelRate(OpIndex op) const {
        for (OpIndex other = 0; other < ops_.size(); ++other) {
            if (running(other) && ops_[other].slows && ops_[other].actor == ops_[op].actor) {
                return 1.0 - program_.setting().contention;
            }
        }
        return 1.0;
    }

    /// Weighted max-min fair: the level of all that still rise is where the next link is full, or
    /// the next of them at its full speed.
    [[nodiscard]] std::map<OpIndex, double> transferRates() const {
        std::vector<OpIndex> rising;
        for (const auto& [op, unused] : changing_) {
            if (running(op) && !ops_[op].slowed) {
                rising.push_back(op);
            }
        }
        std::map<OpIndex, double> rates;
        std::map<ResourceIndex, double> room;
        while (!rising.empty()) {
            std::map<ResourceIndex, double> slope;
            double level = INFINITY;
            for (const OpIndex op : rising) {
                const double weight = program_.flows()[ops_[op].flow].weight;
                level = std::min(level, 1.0 / weight);
                for (const ResourceUse use : usesOf(op)) {
                    room.try_emplace(use.resource, 1.0);
                    slope[use.resource] += use.share * weight;
                }
            }
            for (const auto& [link, sum] : slope) {
                level = std::min(level, room[link] / sum);
            }
            const auto stops = [&](OpIndex op) {
                const auto full = [&](ResourceUse use) {
                    return room[use.resource] / slope[use.resource] <= level * (1.0 + 1e-12);
                };
                return 1.0 / program_.flows()[ops_[op].flow].weight <= level ||
                       std::ranges::any_of(usesOf(op), full);
            };
            std::vector<OpIndex> stopped;
            std::ranges::copy_if(rising, std::back_inserter(stopped), stops);
            for (const OpIndex op : stopped) {
                rates[op] = std::min(1.0, program_.flows()[ops_[op].flow].weight * level);
                for (const ResourceUse use : usesOf(op)) {
                    room[use.resource] -= use.share * rates[op];
                }
                std::erase(rising, op);
            }
        }
        return rates;
    }

    /// Moves the ends of what is faster or slower now.
    void replan(std::int64_t now) {
        const std::map<OpIndex, double> rates = transferRates();
        for (auto& [op, changing] : changing_) {
            if (!running(op)) {
                continue;
            }
            const double rate = ops_[op].slowed ? kernelRate(op) : rates.at(op);
            if (std::abs(rate - changing.rate) < 1e-12) {
                continue;
            }
            const double past = static_cast<double>(now - changing.since);
            changing.left = std::max(0.0, changing.left - std::max(0.0, changing.rate) * past);
            changing.since = now;
            changing.rate = rate;
            std::erase_if(ends_, [op = op](const auto& planned) { return planned.second == op; });
            ends_.emplace(now + std::llround(changing.left / rate), op);
        }
    }

    std::multimap<std::int64_t, OpIndex> ends_;
    std::map<OpIndex, Changing> changing_;
};

}  // namespace fabricast
