#pragma once
#include "probes/launch/place.h"

namespace fabricast::probe {

constexpr int kMostRanks = 1 << 20;

/// What the launcher says of this process, before any flag: its host and port stay empty where it
/// does not know. "alone" without a launcher.
Answer<Place> launcherPlace(const Environment& environment);

/// A whole number within bounds; trouble names the variable.
Answer<int> wholeVariable(const std::string& name, const std::string& text, int least, int most);

/// A port of the range that nobody has reserved and the kernel does not hand out, the same for all
/// that belong to one job.
std::uint16_t portOfJob(const std::string& job);

}  // namespace fabricast::probe
