#pragma once
#include "simulator/trace/timeline_slices.h"

#include <string_view>

namespace fabricast {

/// The class that slices of a paint have in the picture.
std::string_view paintClass(Paint paint);

/// The style sheet: a colour-blind safe palette (Okabe and Ito), on a
/// light page or, where the reader's screen is dark, a dark one.
std::string_view timelineStyle();

}  // namespace fabricast
