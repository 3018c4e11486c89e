#pragma once
#include "planner/measured/measurements.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace fabricast {

// A CPU cluster of four hosts that follows its equations exactly: pairs and threes were measured.
inline constexpr double kStep = 40e-6;     // of a ring, before its first byte
inline constexpr double kRate = 118e6;     // of a link
inline constexpr double kProducts = 90e9;  // flop/s of endless products
inline constexpr double kCopy = 8e9;

/// What a ring of n takes for S bytes.
inline double ringSeconds(const std::string& what, double bytes, double ranks) {
    const double steps = (what == "all_reduce" ? 2.0 : 1.0) * (ranks - 1.0);
    return steps * (kStep + bytes / ranks / kRate);
}

inline RecordedPoint pointOf(const std::string& what,
                             std::map<std::string, std::string> settings,
                             double seconds) {
    RecordedPoint point{.what = what, .settings = std::move(settings), .unit = "s"};
    point.text = what;
    for (const auto& [key, value] : point.settings) {
        point.text += " " + key + "=" + value;
    }
    point.median = seconds;
    point.samples = {seconds};
    return point;
}

inline void addRings(int ranks, MergedMeasurements& record) {
    for (const char* what : {"all_reduce", "all_gather", "reduce_scatter"}) {
        for (std::int64_t bytes = 1 << 14; bytes <= 1 << 26; bytes *= 4) {
            const auto n = std::to_string(ranks);
            record.points.push_back(
                pointOf(what,
                        {{"bytes", std::to_string(bytes)}, {"ranks", n}, {"nodes", n}},
                        ringSeconds(what, static_cast<double>(bytes), ranks)));
        }
    }
}

/// A product as a CPU whose inner loops take 20 steps to begin would run it.
inline double productSeconds(double m, double n, double k) {
    return 2.0 * m * n * (k + 20.0) / kProducts;
}

inline void addProducts(MergedMeasurements& record) {
    for (const int m : {64, 256, 1024}) {
        for (const int k : {128, 512, 1024}) {
            for (const auto& [layout, factor] :
                 {std::pair("tn", 1.0), std::pair("nn", 1.1), std::pair("nt", 1.05)}) {
                RecordedPoint point = pointOf("gemm",
                                              {{"dtype", "fp32"},
                                               {"layout", layout},
                                               {"m", std::to_string(m)},
                                               {"n", "512"},
                                               {"k", std::to_string(k)}},
                                              factor * productSeconds(m, 512, k));
                point.facts["flop"] = 2.0 * m * 512 * k;
                record.points.push_back(std::move(point));
            }
        }
    }
}

inline MergedMeasurements madeUpRecord() {
    MergedMeasurements record;
    record.machine = {{"cpu", "Made-Up CPU \"9\""},
                      {"mpi", "Open MPI v4"},
                      {"ranks", "4"},
                      {"nodes", "4"},
                      {"memory_bytes", "8589934592"}};
    record.sittings = {{.source = "made_up.jsonl",
                        .program = "fabricast-probe-mpi",
                        .begun = "2026-11-22T10:00:00Z"}};
    addRings(2, record);
    addRings(3, record);
    addProducts(record);
    RecordedPoint copy = pointOf("memory", {{"op", "copy"}, {"bytes", "64M"}}, (1 << 26) / kCopy);
    copy.facts["bytes"] = 1 << 26;
    record.points.push_back(copy);
    RecordedPoint both = pointOf("overlap", {{"ranks", "4"}}, 1.0);
    both.facts["contention"] = 0.2;
    record.points.push_back(both);
    return record;
}

}  // namespace fabricast
