#pragma once
#include "planner/base/result.h"
#include "study/size.h"
#include "study/size_line.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// So much of a line: it may be searched.
struct SizeCandidate {
    std::size_t line = 0;  ///< of the catalogue
    SizeAmount amount;
    SizeBound bound;
};

/// All clusters that are compared, and those that are not, with the reason.
struct SizeCatalogue {
    /// What they are judged by: the fewest GPUs where no aim was said and no line has a price.
    SizeAsk ask;
    std::string whyNoMoney;  ///< then
    std::vector<SizeLine> lines;
    std::vector<SizeCandidate> candidates;  ///< in the order of the lines, then by nodes
    std::vector<LeftOut> leftOut;
    std::vector<std::string> jobs;  ///< what is trained, in words
    bool hasTokens = false;         ///< every job has
};

/// What was named on every network named or, where nothing was, one kind of node for each GPU that
/// has a price: that of the first cluster profile by name. Clusters beyond the limits of the ask
/// are left out, and those of which a limit or the aim needs a number that is not known.
Result<SizeCatalogue> sizeCatalogue(std::span<const Question> jobs,
                                    const SizeAsk& asked,
                                    const Workbench& bench);

/// Numbers of nodes of clusters as they are usually built, up to 4096.
std::vector<std::int64_t> usualNodes();

/// Whether no counts were asked for, so that those are compared that are of use.
bool hasOpenCounts(const SizeAsk& ask);

/// What is aimed at where nothing was said and there are prices.
SizeAim aimOf(const SizeAsk& ask);

}  // namespace fabricast
