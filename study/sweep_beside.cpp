#include "planner/base/words.h"
#include "study/sweep_rows.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Keys that say the same in another way.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kSame = {
    {{"cluster.nodes", "cluster.gpus"}, {"cluster.name", "cluster.gpu"}}};

bool saysTheSame(std::string_view a, std::string_view b) {
    return a == b || std::ranges::any_of(kSame, [&](const auto& same) {
               return (a == same.first && b == same.second) ||
                      (a == same.second && b == same.first);
           });
}

}  // namespace

std::string stoppedText(const SweepAnswer& answer, const std::string& file) {
    return "stopped: " + std::to_string(answer.done()) + " of " +
           std::to_string(answer.lines.size()) + " points are done; " +
           (file.empty() ? "--out points.jsonl keeps them, and goes on from them"
                         : "the same command goes on from " + file);
}

std::string shardText(const SweepAnswer& answer, const SweepStore& store) {
    const std::size_t ranks = store.shard.count;
    std::vector<std::string> missing;
    for (std::size_t rank = 0; rank < std::min(ranks, answer.lines.size()); ++rank) {
        bool isWhole = true;
        for (std::size_t i = rank; i < answer.lines.size(); i += ranks) {
            isWhole = isWhole && !answer.lines[i].empty();
        }
        if (!isWhole) {
            missing.push_back(shardFile(store.file, {rank, ranks}));
        }
    }
    if (missing.empty()) {
        return {};
    }
    constexpr std::size_t kMostNamed = 3;
    const std::size_t left = missing.size() - std::min(missing.size(), kMostNamed);
    missing.resize(missing.size() - left);
    return "part " + std::to_string(store.shard.index + 1) + " of " + std::to_string(ranks) + ": " +
           std::to_string(answer.done()) + " of " + std::to_string(answer.lines.size()) +
           " points are done; the others are to come in " + joined(missing, ", ") +
           (left > 0 ? " and " + std::to_string(left) + " more" : "");
}

Error sweptTwice(const std::string& flag, const std::string& key) {
    return {Error::Code::BadInput,
            flag,
            "says what --sweep " + key + " says at every point",
            "leave out one of the two"};
}

Result<void> checkSaidBeside(const Question& question, const std::vector<SweepAxis>& axes) {
    for (const Edit& edit : question.edits) {
        if (edit.path == "search.top") {
            return fail(Error::Code::BadInput,
                        edit.origin,
                        "a sweep keeps the best of each point",
                        "leave it out, or ask about one point without --sweep");
        }
        for (const SweepAxis& axis : axes) {
            if (saysTheSame(edit.path, axis.key)) {
                return tl::unexpected(sweptTwice(edit.origin, axis.key));
            }
        }
    }
    return {};
}

}  // namespace fabricast
