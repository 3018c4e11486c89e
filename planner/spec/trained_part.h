#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

/// Which of the model's weights are trained where there are no adapters: all of them, the last
/// layers with the final norm and the head, the norms alone, or all but the tables in front. A head
/// that is the embedding's table is frozen with it.
///     trainedPart("last:4")  →  the last four layers, the final norm and the head
struct TrainedPart {
    enum class Kind { All, Last, Norms, NoEmbedding };
    Kind kind = Kind::All;
    std::int64_t layers = 0;  ///< Kind::Last

    [[nodiscard]] bool all() const { return kind == Kind::All; }
    friend bool operator==(const TrainedPart&, const TrainedPart&) = default;
};

/// "all", "last:4", "norms" or "no_embedding".
std::string trainedText(const TrainedPart& part);
/// The same, read; empty for anything else.
std::optional<TrainedPart> trainedPart(std::string_view text);

}  // namespace fabricast
