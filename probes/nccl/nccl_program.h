#pragma once
#include "probes/collective/nccl_tests_table.h"
#include "probes/launch/place.h"
#include "probes/nccl/nccl_bench.h"
#include "probes/record/probe_program.h"

#include <memory>

namespace fabricast::probe {

/// What the command line says beyond what all probes know.
struct NcclFlags {
    PlaceFlags place;
    SweepFlags sweep;
    double silence = 60.0;       ///< a rank that says nothing for so long is gone
    double joinSeconds = 120.0;  ///< how long ranks wait for each other at first
    bool shareGpu = false;
    std::string json;  ///< where to write nccl-tests' JSON
    std::string token;
};

/// fabricast-probe-nccl. `environment` is where a launcher says which rank this is.
class NcclProgram {
public:
    explicit NcclProgram(Environment environment) : environment_(std::move(environment)) {}

    /// The program as runProbe wants it; it refers to this object.
    ProbeProgram program(std::span<const char* const> arguments);

private:
    [[nodiscard]] Answer<Place> place() const { return placeOf(flags_.place, environment_); }
    Answer<std::vector<Point>> suite(const std::string& name);
    Answer<std::string> doctor() const;
    [[nodiscard]] Done ready() const;
    Done open();
    Done openBench();
    [[nodiscard]] JsonLine identity() const;
    Answer<Measurement> lead(const Point& point);
    Answer<Measurement> measure(const Point& point);
    Done follow();
    void close();

    Environment environment_;
    NcclFlags flags_;
    std::vector<std::string> arguments_;
    NcclTestsRun run_;
    NcclTestsTable table_;
    std::vector<Measurement> measured_;
    std::unique_ptr<ControlChannel> channel_;
    std::unique_ptr<NcclBench> bench_;
    bool failed_ = false;
};

}  // namespace fabricast::probe
