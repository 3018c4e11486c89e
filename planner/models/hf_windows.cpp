#include "planner/models/hf_decoder.h"

#include <string>

namespace fabricast {
namespace {

using Windows = std::vector<std::int64_t>;

template <class Rule>
Windows windowed(std::int64_t layers, std::int64_t size, Rule rule) {
    Windows windows;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        windows.push_back(rule(layer) ? size : 0);
    }
    return windows;
}

/// `layer_types`, one of "full_attention", "sliding_attention", "chunked_attention" for each layer.
Result<Windows> fromLayerTypes(const JsonValue& types, std::int64_t layers, std::int64_t size) {
    FABRICAST_TRY(types.expect(JsonValue::Kind::Array));
    if (static_cast<std::int64_t>(types.items().size()) != layers) {
        return tl::unexpected(types.problem("has " + std::to_string(types.items().size()) +
                                                " entries for " + std::to_string(layers) +
                                                " layers",
                                            "one entry for each layer"));
    }
    Windows windows;
    for (const JsonValue& item : types.items()) {
        FABRICAST_ASSIGN(const std::string type, item.text());
        const bool cut = type == "sliding_attention" || type == "chunked_attention";
        if (!cut && type != "full_attention") {
            return tl::unexpected(
                item.problem("is " + item.shown() + ", which is not a supported kind of attention",
                             "known: full_attention, sliding_attention, chunked_attention"));
        }
        windows.push_back(cut ? size : 0);
    }
    return windows;
}

/// Qwen 2 and 3 have full attention in their first max_window_layers layers.
Result<Windows> whenUsed(const HfDecoder& family,
                         const HfReader& config,
                         std::int64_t layers,
                         std::int64_t size) {
    FABRICAST_ASSIGN(const std::int64_t full, config.count({"max_window_layers"}, 28));
    return windowed(layers, size, [&](std::int64_t layer) {
        switch (family.window) {
            case HfWindow::WhenUsedEveryLayer:
                return true;
            case HfWindow::WhenUsedAlternate:
                return layer % 2 == 0 && layer < full;
            default:
                return layer >= full;
        }
    });
}

Result<Windows> pattern(const HfReader& config, std::int64_t layers, std::int64_t size) {
    FABRICAST_ASSIGN(const std::int64_t step,
                     config.size({"sliding_window_pattern", "_sliding_window_pattern"}, 6));
    return windowed(layers, size, [&](std::int64_t layer) { return (layer + 1) % step != 0; });
}

/// Llama 4: layers with rotary positions attend within chunks; every fourth has none and sees all.
Result<Windows> chunked(const HfReader& config, std::int64_t layers, std::int64_t size) {
    FABRICAST_ASSIGN(const std::int64_t interval, config.size({"no_rope_layer_interval"}, 4));
    FABRICAST_ASSIGN(const Windows rotary, config.countList("no_rope_layers"));
    if (!rotary.empty() && static_cast<std::int64_t>(rotary.size()) < layers) {
        return tl::unexpected(config.problem({"no_rope_layers"},
                                             "has " + std::to_string(rotary.size()) +
                                                 " entries for " + std::to_string(layers) +
                                                 " layers",
                                             "one entry for each layer"));
    }
    return windowed(layers, size, [&](std::int64_t layer) {
        return rotary.empty() ? (layer + 1) % interval != 0
                              : rotary[static_cast<std::size_t>(layer)] != 0;
    });
}

bool hasSwitch(HfWindow window) {
    return window == HfWindow::WhenUsed || window == HfWindow::WhenUsedAlternate ||
           window == HfWindow::WhenUsedEveryLayer;
}

}  // namespace

Result<std::vector<std::int64_t>> readWindows(const HfDecoder& family,
                                              const HfReader& config,
                                              std::int64_t layers) {
    if (family.window == HfWindow::None) {
        return Windows{};
    }
    if (hasSwitch(family.window)) {
        FABRICAST_ASSIGN(const bool used, config.flag("use_sliding_window", false));
        if (!used) {
            return Windows{};
        }
    }
    const bool inChunks = family.window == HfWindow::Chunked;
    FABRICAST_ASSIGN(
        const std::int64_t size,
        config.countOrNull(
            {inChunks ? "attention_chunk_size" : "sliding_window"}, family.windowSize, 0));
    if (size == 0) {
        return Windows{};
    }
    if (config.has("layer_types")) {
        return fromLayerTypes(*config.config().find("layer_types"), layers, size);
    }
    switch (family.window) {
        case HfWindow::Alternate:
            return windowed(layers, size, [](std::int64_t layer) { return layer % 2 == 0; });
        case HfWindow::ThreeOfFour:
            return windowed(layers, size, [](std::int64_t layer) { return (layer + 1) % 4 != 0; });
        case HfWindow::Pattern:
            return pattern(config, layers, size);
        case HfWindow::Chunked:
            return chunked(config, layers, size);
        case HfWindow::EveryLayer:
            return Windows(static_cast<std::size_t>(layers), size);
        default:
            return whenUsed(family, config, layers, size);
    }
}

}  // namespace fabricast
