#include "planner/stack/bytes_per_parameter.h"

#include <array>
#include <charconv>

namespace fabricast {
namespace {

std::string number(double value) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), end.ptr};
}

std::string joined(const std::vector<StatePart>& parts, StatePlace place, bool sharded) {
    std::string text;
    for (const StatePart& part : parts) {
        if (part.place == place && part.sharded == sharded) {
            text += (text.empty() ? "" : " + ") + number(part.bytes) + " " + std::string(part.name);
        }
    }
    return text;
}

std::string formulaOf(const std::vector<StatePart>& parts, StatePlace place) {
    std::string everywhere = joined(parts, place, false);
    const std::string split = joined(parts, place, true);
    if (split.empty()) {
        return everywhere;
    }
    return everywhere + (everywhere.empty() ? "" : " + ") + "(" + split + ")/d";
}

double sum(const std::vector<StatePart>& parts, StatePlace place, bool sharded) {
    double bytes = 0;
    for (const StatePart& part : parts) {
        if (part.place == place && part.sharded == sharded) {
            bytes += part.bytes;
        }
    }
    return bytes;
}

}  // namespace

double BytesPerParameter::replicated(StatePlace place) const {
    return sum(parts, place, false);
}
double BytesPerParameter::sharded(StatePlace place) const {
    return sum(parts, place, true);
}
double BytesPerParameter::whole(StatePlace place) const {
    return replicated(place) + sharded(place);
}
double BytesPerParameter::perRank(double ranks, StatePlace place) const {
    return replicated(place) + sharded(place) / ranks;
}

double BytesPerParameter::of(std::string_view name) const {
    double bytes = 0;
    for (const StatePart& part : parts) {
        bytes += part.name == name ? part.bytes : 0.0;
    }
    return bytes;
}

std::string BytesPerParameter::formula() const {
    std::string text = formulaOf(parts, StatePlace::Device);
    const std::string host = formulaOf(parts, StatePlace::Host);
    const std::string nvme = formulaOf(parts, StatePlace::Nvme);
    text += host.empty() ? "" : "; on the host " + host;
    text += nvme.empty() ? "" : "; on NVMe " + nvme;
    return text;
}

std::string BytesPerParameter::shortFormula() const {
    if (sharded() == 0) {
        return number(replicated());
    }
    const std::string split = number(sharded()) + "/d";
    return replicated() == 0 ? split : number(replicated()) + " + " + split;
}

}  // namespace fabricast
