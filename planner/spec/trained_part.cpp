#include "planner/spec/trained_part.h"

#include <array>
#include <charconv>
#include <system_error>

namespace fabricast {

namespace {

constexpr std::string_view kLastLayers = "last:";
constexpr std::int64_t kMostLayersTrained = 1'000'000;

struct NamedPart {
    TrainedPart::Kind kind;
    std::string_view name;
};
constexpr std::array kNamedParts = {NamedPart{TrainedPart::Kind::All, "all"},
                                    NamedPart{TrainedPart::Kind::Norms, "norms"},
                                    NamedPart{TrainedPart::Kind::NoEmbedding, "no_embedding"}};

}  // namespace

std::string trainedText(const TrainedPart& part) {
    for (const auto& [kind, name] : kNamedParts) {
        if (kind == part.kind) {
            return std::string(name);
        }
    }
    return std::string(kLastLayers) + std::to_string(part.layers);
}

std::optional<TrainedPart> trainedPart(std::string_view text) {
    if (text.starts_with(kLastLayers)) {
        text.remove_prefix(kLastLayers.size());
        std::int64_t layers = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, trouble] = std::from_chars(text.data(), end, layers);
        const bool whole = trouble == std::errc() && stop == end;
        return whole && layers >= 1 && layers <= kMostLayersTrained
                   ? std::optional(TrainedPart{TrainedPart::Kind::Last, layers})
                   : std::nullopt;
    }
    for (const auto& [kind, name] : kNamedParts) {
        if (name == text) {
            return TrainedPart{kind};
        }
    }
    return std::nullopt;
}

}  // namespace fabricast
