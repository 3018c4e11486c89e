#pragma once
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/io/read_profile.h"
#include "planner/spec/measured_collectives.h"

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
