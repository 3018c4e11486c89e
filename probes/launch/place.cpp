#include "probes/launch/place.h"

#include "probes/launch/launchers.h"

#include <unistd.h>

#include <charconv>
#include <string_view>

namespace fabricast::probe {

namespace {

/// "[::1]:29500" and "node01:29500".
Done takeRendezvous(const std::string& text, Place& place) {
    const std::size_t colon = text.rfind(':');
    const Answer<int> port = colon == std::string::npos
                                 ? Answer<int>(Trouble{"no port"})
                                 : wholeVariable("--rendezvous", text.substr(colon + 1), 1, 65535);
    std::string host = text.substr(0, std::min(colon, text.size()));
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    if (!port || host.empty()) {
        return Trouble{"--rendezvous: '" + text + "' is no HOST:PORT, such as node01:29500"};
    }
    place.host = host;
    place.port = static_cast<std::uint16_t>(*port);
    return std::monostate();
}

void applyFlags(const PlaceFlags& flags, Place& place) {
    place.rank = flags.rank.value_or(place.rank);
    place.world = flags.world.value_or(place.world);
    place.localRank = flags.localRank ? flags.localRank : place.localRank;
    place.localSize = flags.localSize ? flags.localSize : place.localSize;
}

Done checkPlace(const Place& place) {
    const auto is = [](const char* name, int value) {
        return std::string(name) + " " + std::to_string(value);
    };
    if (place.world < 1) {
        return Trouble{is("world size", place.world) + " is less than 1"};
    }
    if (place.rank < 0 || place.rank >= place.world) {
        return Trouble{is("rank", place.rank) + " is not within a world of " +
                       std::to_string(place.world) + "; ranks begin at 0"};
    }
    if (place.localSize && (*place.localSize < 1 || *place.localSize > place.world)) {
        return Trouble{is("local size", *place.localSize) + " is not within a world of " +
                       std::to_string(place.world)};
    }
    const int localSize = place.localSize.value_or(place.world);
    if (place.localRank && (*place.localRank < 0 || *place.localRank >= localSize)) {
        return Trouble{is("local rank", *place.localRank) + " is not within " +
                       std::to_string(localSize) + " ranks of a host"};
    }
    return std::monostate();
}

Done setPort(const Environment& environment, Place& place) {
    const std::string chosen = variableOf(environment, "FABRICAST_PROBE_PORT");
    if (chosen.empty()) {
        return std::monostate();
    }
    const Answer<int> port = wholeVariable("FABRICAST_PROBE_PORT", chosen, 1, 65535);
    if (!port) {
        return port.trouble();
    }
    place.port = static_cast<std::uint16_t>(*port);
    return std::monostate();
}

/// Whoever starts all ranks can open the port before them, and hand the socket to rank 0.
Done setListener(const Environment& environment, Place& place) {
    const std::string given = variableOf(environment, "FABRICAST_PROBE_LISTENER");
    if (given.empty() || place.rank != 0) {
        return std::monostate();
    }
    constexpr int kMostHandles = 1 << 20;
    const Answer<int> handle = wholeVariable("FABRICAST_PROBE_LISTENER", given, 3, kMostHandles);
    if (!handle) {
        return handle.trouble();
    }
    place.listener = *handle;
    return std::monostate();
}

/// A rank and a world on the command line need no launcher.
Answer<Place> launchedPlace(const PlaceFlags& flags, const Environment& environment) {
    if (flags.rank && flags.world) {
        return Place{.launcher = "flags"};
    }
    Answer<Place> place = launcherPlace(environment);
    if (place && place->launcher == "alone" && (flags.rank || flags.world)) {
        return Trouble{flags.rank ? "--rank needs --world-size too, as no launcher has set it"
                                  : "--world-size needs --rank too, as no launcher has set it"};
    }
    return place;
}

}  // namespace

Answer<bool> takePlaceFlag(const std::string& flag, const std::string& value, PlaceFlags& flags) {
    const auto take = [&](std::optional<int>& into) -> Answer<bool> {
        const Answer<int> number = wholeVariable("", value, 0, kMostRanks);
        if (!number) {
            return number.trouble();
        }
        into = *number;
        return true;
    };
    if (flag == "--rank") {
        return take(flags.rank);
    }
    if (flag == "--world-size") {
        return take(flags.world);
    }
    if (flag == "--local-rank") {
        return take(flags.localRank);
    }
    if (flag == "--local-size") {
        return take(flags.localSize);
    }
    if (flag == "--rendezvous") {
        flags.rendezvous = value;
        return true;
    }
    return false;
}

std::string placeHelp() {
    return "  --rank N --world-size N  this process and how many there are, where no launcher says "
           "so;\n"
           "                         torchrun, mpirun, srun and mpiexec do\n"
           "  --local-rank N --local-size N  the same on this host\n"
           "  --rendezvous HOST:PORT where rank 0 waits for the others\n";
}

Answer<Place> placeOf(const PlaceFlags& flags, const Environment& environment) {
    Answer<Place> place = launchedPlace(flags, environment);
    if (!place) {
        return place;
    }
    applyFlags(flags, *place);
    Done done = setPort(environment, *place);
    if (done && !flags.rendezvous.empty()) {
        done = takeRendezvous(flags.rendezvous, *place);
    }
    if (done) {
        done = checkPlace(*place);
    }
    if (done) {
        done = setListener(environment, *place);
    }
    if (!done) {
        return done.trouble();
    }
    if (place->world == 1) {
        place->host.clear();
        place->port = 0;
        return place;
    }
    if (place->host.empty() || place->port == 0) {
        return Trouble{place->launcher == "flags" || place->launcher == "alone"
                           ? std::string("--rendezvous HOST:PORT is missing: where rank 0 waits "
                                         "for the others")
                           : place->launcher +
                                 " does not say where rank 0 runs: give --rendezvous HOST:PORT"};
    }
    return place;
}

Environment processEnvironment() {
    Environment environment;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos) {
            environment.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return environment;
}

std::string variableOf(const Environment& environment, const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
}

}  // namespace fabricast::probe
