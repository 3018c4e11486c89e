#pragma once
#include "probes/launch/control_channel.h"
#include "probes/launch/place.h"
#include "probes/record/answer.h"
#include "probes/record/statistics.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

/// The first host of a Slurm node list: "node01" of "node[01-04,7],login".
Answer<std::string> firstHost(std::string_view nodeList);

/// How many tasks each node has: {8, 8, 8, 4} of "8(x3),4".
Answer<std::vector<int>> tasksPerNode(std::string_view text);

/// Measures one point with all ranks at once; each comes to the same measurement.
using MeasureInLockstep = std::function<Answer<Measurement>(const Point&)>;

/// Rank 0: tells the others which point comes, and measures it with them.
Answer<Measurement> leadPoint(ControlChannel& channel,
                              const Point& point,
                              const MeasureInLockstep& measure);

/// Any other rank: measures what rank 0 says, until it says that this was all.
Done followPoints(ControlChannel& channel, const MeasureInLockstep& measure);

/// Rank 0: this was all.
void endPoints(ControlChannel& channel);

}  // namespace fabricast::probe
