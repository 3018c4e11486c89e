#include "simulator/topology/nccl_devices.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

namespace fabricast {

tl::unexpected<Error> NcclDevices::wrong(const XmlElement& at, std::string why) const {
    return fail(Error::Code::BadInput, source + ":" + std::to_string(at.line), std::move(why));
}

Result<std::string> NcclDevices::textOf(const XmlElement& at, std::string_view name) const {
    if (const std::string* said = at.find(name)) {
        return *said;
    }
    return wrong(at, "<" + at.name + "> has no \"" + std::string(name) + "\"");
}

Result<double> NcclDevices::numberOf(const XmlElement& at,
                                     std::string_view name,
                                     double least,
                                     double most) const {
    FABRICAST_ASSIGN(const std::string text, textOf(at, name));
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool rest = end != text.data() + text.size() && *end != ' ';
    if (error != std::errc() || rest || !(value >= least && value <= most)) {
        return wrong(at,
                     "\"" + std::string(name) + "\" of <" + at.name + "> cannot be \"" +
                         text.substr(0, 40) + "\"");
    }
    return value;
}

Result<DeviceIndex> NcclDevices::add(const XmlElement& at,
                                     Host& host,
                                     DeviceKind kind,
                                     std::int32_t slot) {
    Result<DeviceIndex> made =
        builder.add({.name = "node" + std::to_string(host.number) + "/" +
                             std::string(deviceKindName(kind)) + std::to_string(slot),
                     .kind = kind,
                     .node = host.number,
                     .slot = slot});
    return made ? made : wrong(at, made.error().why);
}

Result<void> NcclDevices::join(const XmlElement& at, NetworkLink link) {
    const Result<LinkIndex> made = builder.join(link);
    return made ? Result<void>() : wrong(at, made.error().why);
}

std::string lowerCase(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return text;
}

}  // namespace fabricast
