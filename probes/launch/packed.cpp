#include "probes/launch/packed.h"

namespace fabricast::probe {

std::string packedReals(const std::vector<double>& values) {
    Packer packer;
    for (const double value : values) {
        packer.real(value);
    }
    return packer.text();
}

std::vector<double> unpackedReals(std::string_view packed) {
    std::vector<double> values;
    for (Unpacker unpacker(packed); unpacker.left() >= sizeof(double);) {
        values.push_back(unpacker.real());
    }
    return values;
}

std::string packedTexts(const std::vector<std::string>& texts) {
    Packer packer;
    for (const std::string& text : texts) {
        packer.text(text);
    }
    return packer.text();
}

std::vector<std::string> unpackedTexts(std::string_view packed) {
    std::vector<std::string> texts;
    for (Unpacker unpacker(packed); unpacker.left() > 0 && unpacker.ok();) {
        texts.push_back(unpacker.text());
    }
    return texts;
}

}  // namespace fabricast::probe
