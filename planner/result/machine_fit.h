#pragma once
#include "planner/evidence/machine_correction.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What the runs on one kind of GPU say about the machine they were measured on.
struct MachineFit {
    std::string gpu;       ///< profile
    std::size_t rows = 0;  ///< of the table
    std::size_t runs = 0;  ///< of these, with a forecast
    std::optional<MachineCorrection> correction;
    std::string
        why;  ///< there is none: the profiles are as good as these runs can tell, or too few
    std::string leftOut;                ///< what runs that are left out together share: "model"
    std::vector<std::string> remarks;   ///< on what was counted: "3 copies of run a-1 are one run"
    std::vector<std::string> disagree;  ///< runs that no speed of the machine explains
    std::string next;                   ///< the one measurement that would help most
};

}  // namespace fabricast
