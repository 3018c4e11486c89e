#pragma once
#include "planner/base/result.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace fabricast {

/// What to do about a log of which a part is missing.
inline constexpr const char* kWholeLog =
    "use the whole output of one run, from its list of ranks on";

/// A process has a rank for each GPU of each of its threads; 1 where it does not say so.
std::int64_t ranksPerProcess(std::optional<std::int64_t> threads, std::optional<std::int64_t> gpus);

/// The list of ranks that nccl-tests writes above its table. It counts them from 0 over all groups;
/// of a log that was cut or mixed with another one, some are missing or there twice.
class NcclTestsRanks {
public:
    /// An error where the rank was listed before.
    Result<void> add(std::int64_t group, std::int64_t rank, const std::string& where);
    /// How many each process has, as the header says.
    void sayPerProcess(std::int64_t ranks) { perProcess_ = ranks; }
    /// An error unless they are 0 to n - 1, of whole processes.
    [[nodiscard]] Result<void> checkWhole() const;

private:
    std::set<std::pair<std::int64_t, std::int64_t>> listed_;  ///< group and rank
    std::set<std::int64_t> numbers_;
    std::string where_;            ///< of the first one
    std::int64_t perProcess_ = 1;  ///< ranks
};

}  // namespace fabricast
