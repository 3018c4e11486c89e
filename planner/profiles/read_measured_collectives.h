#pragma once
#include "planner/base/result.h"
#include "planner/evidence/measured_collectives.h"
#include "planner/profiles/read_profile.h"
#include "planner/text/json_document.h"

namespace fabricast {

/// A file of hardware_profiles/collectives with "curves", and the machine it names.
struct MeasuredFile {
    MeasuredCollectives measured;
    ProfileReference machine;
};
Result<MeasuredFile> readMeasuredCollectives(const JsonValue& root);

/// Which of the two kinds of file that folder holds.
bool isMeasured(const JsonValue& root);

}  // namespace fabricast
