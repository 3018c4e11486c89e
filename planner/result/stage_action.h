#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fabricast {

/// One of the computations of a pipeline stage for a microbatch. A full backward is the two
/// gradients in one; schedules that split it run the weight gradient later.
enum class Pass : std::uint8_t { Forward, Backward, InputGradient, WeightGradient };
inline constexpr std::size_t kPasses = 4;
constexpr char letterOf(Pass pass) {
    return std::string_view("FBIW")[static_cast<std::size_t>(pass)];
}

/// This is one entry of what a pipeline rank runs: "3F0" is the forward of stage 3 for microbatch
/// 0, "3F0&2B1" the same overlapped with a backward: two entries, the first `paired`.
struct StageAction {
    std::int32_t stage = 0;  ///< from 0, in the order that a microbatch goes through them
    std::int32_t microBatch = 0;
    Pass pass = Pass::Forward;
    bool paired = false;  ///< runs paired with the next entry

    friend bool operator==(const StageAction&, const StageAction&) = default;
};
using StageActions = std::vector<StageAction>;

}  // namespace fabricast
