#include "probes/cuda/zoo_products.h"

#include <algorithm>
#include <array>

namespace fabricast::probe {

namespace {

/// The widths of a published model.
struct ZooModel {
    std::int64_t hidden;
    std::int64_t inner;    ///< of the MLP
    std::int64_t queries;  ///< heads times their width
    std::int64_t keys;     ///< the same of keys
    std::int64_t vocabulary;
    bool gated;
};

constexpr std::array<ZooModel, 8> kZoo = {{
    {4096, 14336, 4096, 1024, 128256, true},     // Llama 3 8B, Mistral 7B
    {8192, 28672, 8192, 1024, 128256, true},     // Llama 3 70B
    {16384, 53248, 16384, 1024, 128256, true},   // Llama 3 405B
    {5120, 13824, 5120, 5120, 32000, true},      // Llama 2 13B
    {3584, 18944, 3584, 512, 152064, true},      // Qwen 2 7B
    {5120, 25600, 8192, 1024, 151936, true},     // Qwen 3 32B
    {2048, 8192, 2048, 512, 128256, true},       // Llama 3.2 1B
    {12288, 49152, 12288, 12288, 51200, false},  // GPT-3 175B
}};

/// A layer's product: outputs and inputs of its weight.
struct WeightShape {
    std::int64_t outputs;
    std::int64_t inputs;
};

std::vector<WeightShape> weightsOf(const ZooModel& model, std::int64_t split) {
    return {{(model.gated ? 2 : 1) * model.inner / split, model.hidden},
            {model.hidden, model.inner / split},
            {(model.queries + 2 * model.keys) / split, model.hidden},
            {model.hidden, model.queries / split},
            {model.vocabulary / split, model.hidden}};
}

Point productPoint(const char* layout, std::int64_t m, std::int64_t n, std::int64_t k) {
    Point point{"gemm",
                {{"dtype", "bf16"},
                 {"layout", layout},
                 {"m", std::to_string(m)},
                 {"n", std::to_string(n)},
                 {"k", std::to_string(k)}}};
    if (point.settings.at("layout") == "nt") {
        point.settings["accumulate"] = "1";
    }
    return point;
}

void addPasses(std::vector<Point>& points,
               const WeightShape& weight,
               std::int64_t tokens,
               bool allPasses) {
    points.push_back(productPoint("tn", tokens, weight.outputs, weight.inputs));
    if (allPasses) {
        points.push_back(productPoint("nn", tokens, weight.inputs, weight.outputs));
        points.push_back(productPoint("nt", weight.outputs, weight.inputs, tokens));
    }
}

}  // namespace

std::vector<Point> zooProducts(const ZooRange& range) {
    std::vector<Point> points;
    for (std::size_t model = 0; model < std::min(range.models, kZoo.size()); ++model) {
        for (const std::int64_t tokens : range.tokens) {
            for (const std::int64_t split : range.splits) {
                for (const WeightShape& weight : weightsOf(kZoo[model], split)) {
                    addPasses(points, weight, tokens, range.allPasses);
                }
            }
        }
    }
    return points;
}

}  // namespace fabricast::probe
