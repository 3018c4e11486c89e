// What ranks say to each other over a star.
#include "probes/launch/packed.h"
#include "probes/launch/star.h"

#include <algorithm>

namespace fabricast::probe {

std::string Star::taken(Peer& peer) {
    std::string bytes = std::move(peer.inbox.front());
    peer.inbox.erase(peer.inbox.begin());
    return bytes;
}

Answer<std::string> Star::broadcast(const std::string& bytes) {
    if (rank_ == 0) {
        for (Peer& peer : peers_) {
            peer.wire.say(frame::kData, bytes);
        }
        const Done said = watch();
        return said ? Answer<std::string>(bytes) : said.trouble();
    }
    const Done came = until([&] { return !peers_.front().inbox.empty(); });
    return came ? Answer<std::string>(taken(peers_.front())) : came.trouble();
}

Answer<std::vector<std::string>> Star::gather(const std::string& bytes) {
    if (rank_ != 0) {
        if (!peers_.empty()) {
            peers_.front().wire.say(frame::kData, bytes);
        }
        const Done said = watch();
        return said ? Answer<std::vector<std::string>>(std::vector<std::string>()) : said.trouble();
    }
    const Done came = until([&] {
        return std::none_of(
            peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.inbox.empty(); });
    });
    if (!came) {
        return came.trouble();
    }
    std::vector<std::string> all = {bytes};
    for (Peer& peer : peers_) {
        all.push_back(taken(peer));
    }
    return all;
}

Done Star::barrier() {
    const Answer<std::vector<std::string>> all = gather("");
    if (!all) {
        return all.trouble();
    }
    const Answer<std::string> told = broadcast("");
    return told ? Done(std::monostate()) : told.trouble();
}

Answer<std::vector<double>> Star::maxima(const std::vector<double>& values) {
    const Answer<std::vector<std::string>> all = gather(packedReals(values));
    if (!all) {
        return all.trouble();
    }
    std::vector<double> largest = values;
    for (const std::string& one : *all) {
        const std::vector<double> other = unpackedReals(one);
        if (other.size() != values.size()) {
            return fail("the ranks do not measure the same: " + std::to_string(values.size()) +
                        " values here, " + std::to_string(other.size()) + " elsewhere");
        }
        std::transform(other.begin(),
                       other.end(),
                       largest.begin(),
                       largest.begin(),
                       [](double left, double right) { return std::max(left, right); });
    }
    const Answer<std::string> told = broadcast(packedReals(largest));
    return told ? Answer<std::vector<double>>(unpackedReals(*told)) : told.trouble();
}

Answer<std::vector<std::vector<double>>> Star::shared(const std::vector<double>& values) {
    const Answer<std::vector<std::string>> all = gather(packedReals(values));
    if (!all) {
        return all.trouble();
    }
    const Answer<std::string> told = broadcast(packedTexts(*all));
    if (!told) {
        return told.trouble();
    }
    std::vector<std::vector<double>> ofRanks;
    for (const std::string& one : unpackedTexts(*told)) {
        ofRanks.push_back(unpackedReals(one));
    }
    return ofRanks;
}

}  // namespace fabricast::probe
