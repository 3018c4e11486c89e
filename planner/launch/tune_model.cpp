#include "planner/launch/torchtune.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace fabricast {
namespace {

/// "llama3_1" is llama3.1, and "code_llama2" code-llama2.
std::string dotted(std::string_view words) {
    std::string text(words);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool isBetween = i > 0 && i + 1 < text.size() &&
                               std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0 &&
                               std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
        if (text[i] == '_') {
            text[i] = isBetween ? '.' : '-';
        }
    }
    return text;
}

/// "llama-2" of "llama2".
std::string withHyphen(std::string name) {
    const auto digit =
        std::ranges::find_if(name, [](unsigned char letter) { return std::isdigit(letter) != 0; });
    if (digit != name.end() && digit != name.begin() && *(digit - 1) != '-') {
        name.insert(digit, '-');
    }
    return name;
}

std::string_view without(std::string_view text, std::string_view end) {
    return text.ends_with(end) ? text.substr(0, text.size() - end.size()) : text;
}

/// Of the names that a built-in model may have, the one that one has.
std::string knownName(std::string_view family, std::string_view size, const ImportContext& from) {
    const std::string name = dotted(family);
    const std::string behind = "-" + dotted(size);
    for (const std::string& one : {name + behind, withHyphen(name) + behind}) {
        if (from.layers && from.layers(one)) {
            return one;
        }
    }
    return "";
}

}  // namespace

TuneModel tuneModel(std::string_view component, const ImportContext& context) {
    const std::size_t last = component.rfind('.');
    const std::size_t before =
        last == std::string_view::npos ? last : component.rfind('.', last - 1);
    if (before == std::string_view::npos) {
        return {};
    }
    const std::string_view family = component.substr(before + 1, last - before - 1);
    std::string_view builder = component.substr(last + 1);
    const bool quantizes = builder.starts_with("qlora_");
    const bool adapts = quantizes || builder.starts_with("lora_");
    builder.remove_prefix(adapts ? builder.find('_') + 1 : 0);
    TuneModel model{.name = "", .adapts = adapts, .quantizes = quantizes};
    const std::string begin = std::string(family) + "_";
    if (builder.starts_with(begin)) {
        const std::string_view size =
            without(without(builder.substr(begin.size()), "_instruct"), "_base");
        model.name = knownName(family, size, context);
    }
    return model;
}

}  // namespace fabricast
