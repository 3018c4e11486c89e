#pragma once
#include "planner/spec/layout.h"
#include "planner/spec/model_spec.h"
#include "planner/spec/settings.h"

#include <array>
#include <cstdint>

namespace fabricast {

/// Parameters of some layers, as bounds count them.
struct WeightCount {
    double own = 0.0;
    double experts = 0.0;  ///< routed
};

/// How many parameters the layers and the ends of a model have: never more than any stack's.
class ModelWeightCounts {
public:
    explicit ModelWeightCounts(const ModelSpec& model);

    [[nodiscard]] WeightCount ofLayers(std::int64_t dense, std::int64_t sparse) const;
    [[nodiscard]] double embedding() const { return embedding_; }
    [[nodiscard]] double head() const { return head_; }
    /// What a rank of the mean pipeline stage holds.
    [[nodiscard]] WeightCount ofMeanRank(const Layout& layout, ModelCode code) const;
    /// What tensor and expert parallelism leave a rank.
    static WeightCount local(const WeightCount& weights, const Layout& layout, ModelCode code);
    /// Over how many ranks a shard group splits the experts that a rank holds.
    static std::int64_t expertShards(const Layout& layout, ModelCode code);

private:
    std::array<double, 2> ofLayer_{};  ///< of a layer without experts, and of one with
    double expertsOfLayer_ = 0.0;
    double embedding_ = 0.0;
    double head_ = 0.0;
    WeightCount all_;
};

}  // namespace fabricast
