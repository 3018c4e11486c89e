#include "study/sweep_rows.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

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
