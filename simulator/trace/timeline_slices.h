#pragma once
#include "simulator/engine/simulate.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fabricast {

/// What a stretch of a timeline is drawn as.
enum class Paint : std::uint8_t {
    Forward,
    Backward,
    InputGradient,
    WeightGradient,
    Tensor,
    Expert,
    Data,
    HandOver,
    Optimizer,
    Copy,
    Host,
    Count_
};
inline constexpr std::size_t kPaints = static_cast<std::size_t>(Paint::Count_);

/// In a legend.
constexpr std::string_view wordsFor(Paint paint) {
    constexpr std::array<std::string_view, kPaints> kWords = {"forward",
                                                              "backward",
                                                              "input gradient",
                                                              "weight gradient",
                                                              "tensor parallel",
                                                              "context, experts",
                                                              "data parallel",
                                                              "hand-over",
                                                              "optimizer",
                                                              "copy",
                                                              "host"};
    return kWords[static_cast<std::size_t>(paint)];
}

/// Where an op is drawn: the rank's sequence of work, its concurrent transfers, and
/// stage transfers to it.
enum class TimelineRow : std::uint8_t { Main, Beside, HandOver };
inline constexpr std::size_t kTimelineRows = 3;

/// A stretch of a row, in hundredths of a pixel from the step's start.
struct TimelineSlice {
    std::int64_t left = 0;
    std::int64_t right = 0;
    Paint paint = Paint::Forward;
    std::int32_t microBatch = -1;  ///< -1: no single one
};

struct ActorSlices {
    std::array<std::vector<TimelineSlice>, kTimelineRows> rows;
    std::vector<TimelineSlice> critical;  ///< stretches of the critical path
};

/// The ops of some actors on a picture of a width in hundredths of a pixel. Neighbours narrower
/// than half a pixel are drawn as one, in the colour of what takes most of it; one that stands
/// alone is widened.
struct TimelineSlices {
    std::vector<ActorSlices> actors;  ///< in the order asked for
    std::size_t merged = 0;           ///< ops that are not drawn by themselves
};
TimelineSlices timelineSlices(const SimProgram& program,
                              const SimRun& run,
                              const std::vector<OpIndex>& critical,
                              const std::vector<ActorIndex>& actors,
                              std::int64_t width);

/// Hundredths of a pixel at a time.
std::int64_t placeOf(SimTime at, SimTime makespan, std::int64_t width);

}  // namespace fabricast
