#include "probes/cpu/layer_attention.h"
#include "probes/mpi/mpi_points.h"
#include "probes/mpi/timed_together.h"

#include <array>
#include <cmath>

namespace fabricast::probe {

namespace {

DecoderShape shapeOf(const Point& point) {
    const auto side = [&point](const char* name) {
        return static_cast<int>(*wholeOf(point, name, 1));
    };
    return {.hidden = side("heads") * DecoderShape::kHeadDim,
            .sequence = side("sequence"),
            .batch = side("batch")};
}

/// Equal values of equal keys: every output is a value.
bool isRight(const std::vector<float>& mixed) {
    return std::abs(mixed.front() - 1.0F) < 1e-3F && std::abs(mixed.back() - 1.0F) < 1e-3F;
}

}  // namespace

std::string attentionFault(const Point& point) {
    constexpr std::array kSides = {"batch", "heads", "sequence"};
    constexpr std::int64_t kMost = 1 << 14;
    constexpr double kMostScores = 1e9;
    double scores = 1.0;
    for (const char* name : kSides) {
        const Answer<std::int64_t> side = wholeOf(point, name, 1);
        if (!side || *side > kMost) {
            return !side ? side.trouble().why
                         : std::string(name) + "=" + std::to_string(*side) + ": at most " +
                               std::to_string(kMost);
        }
        scores *= static_cast<double>(*side) *
                  (std::string(name) == "sequence" ? static_cast<double>(*side) : 1.0);
    }
    const auto is = [&point](const char* name, const std::string& word) {
        return wordOr(point, name, word) == word;
    };
    const std::string pass = wordOr(point, "pass", "forward");
    if (pass != "forward" && pass != "backward") {
        return "pass=" + pass + " is neither forward nor backward";
    }
    if (!is("dtype", "fp32") || !is("dim", "64") || !is("causal", "1") ||
        !is("kv_heads", wordOr(point, "heads", ""))) {
        return "only causal attention in fp32, with heads of 64 and a key head for each";
    }
    return scores > kMostScores ? "more than 10^9 scores" : "";
}

Measurement measureAttention(Wire& wire, const RankGroup& group, const Point& point) {
    const DecoderShape shape = shapeOf(point);
    const std::size_t square =
        static_cast<std::size_t>(shape.sequence) * static_cast<std::size_t>(shape.sequence);
    const std::size_t tensor =
        static_cast<std::size_t>(shape.tokens()) * static_cast<std::size_t>(shape.hidden);
    const std::vector<float> ones(tensor, 1.0F);
    std::vector<float> probabilities(square *
                                     static_cast<std::size_t>(shape.batch * shape.heads()));
    std::vector<float> mixed(tensor);
    std::array<std::vector<float>, 3> gradients = {ones, ones, ones};
    std::vector<float> scores(square);
    const auto forward = [&] { attentionForward(shape, {ones, ones, ones}, probabilities, mixed); };
    forward();
    const auto backward = [&] {
        attentionBackward(shape,
                          {ones, ones, ones},
                          probabilities,
                          ones,
                          {gradients[0], gradients[1], gradients[2]},
                          scores);
    };
    const SampleRule rule{.least = 5, .most = 60, .error = 0.01, .seconds = 0.6};
    Measurement measurement{.point = point};
    measurement.samples = wordOr(point, "pass", "forward") == "forward"
                              ? timedTogether(wire, group, rule, 1, forward)
                              : timedTogether(wire, group, rule, 1, backward);
    measurement.facts["wrong"] = summed(wire, group, isRight(mixed) ? 0.0 : 1.0);
    return measurement;
}

}  // namespace fabricast::probe
