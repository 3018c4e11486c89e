#include "tests/probes/null_device/null_device.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

// The library is the state of a machine, so it has globals, as a machine has.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
namespace fabricast::null_device {

namespace {

struct Deferred {
    std::string key;
    std::function<void()> whole;
    PartialWork part;
};

std::map<cudaStream_t, double>& clocks() {
    static std::map<cudaStream_t, double> all;
    return all;
}

std::vector<Deferred>& deferred() {
    static std::vector<Deferred> all;
    return all;
}

std::set<std::string>& keys() {
    static std::set<std::string> all;
    return all;
}

double hostTime = 0.0;
std::atomic<bool> legacyBusy = false;
std::atomic<bool> broken = false;

/// Whether this work is new.
bool isNew(const std::string& key) {
    return keys().insert(key).second;
}

}  // namespace

long setting(const char* name, long otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::strtol(text, nullptr, 10) : otherwise;
}

bool computes() {
    const char* const text = std::getenv("FABRICAST_NULL_RESULTS");
    return text == nullptr || std::strcmp(text, "wrong") != 0;
}

double timeOf(cudaStream_t stream) {
    return std::max(clocks()[stream], hostTime);
}

void breakDown() {
    broken = true;
}

bool isBroken() {
    return broken;
}

void legacyBegins() {
    legacyBusy = true;
}

void legacyEnds() {
    legacyBusy = false;
}

void spend(cudaStream_t stream, double seconds) {
    if (stream != nullptr && legacyBusy) {
        std::fputs("null device: a stream begins before a copy on the legacy stream has ended\n",
                   stderr);
        constexpr int kRaces = 99;
        _exit(kRaces);
    }
    if (!countCaptured(stream, seconds)) {
        clocks()[stream] = timeOf(stream) + seconds;
    }
}

void waitFor(cudaStream_t stream) {
    const long slow = setting("FABRICAST_NULL_SLOW", 0);
    if (slow > 0) {
        usleep(static_cast<useconds_t>(slow) * 1000);
    }
    hostTime = timeOf(stream);
}

void holdUntil(cudaStream_t stream, double time) {
    clocks()[stream] = std::max(timeOf(stream), time);
}

void defer(const std::string& key, std::function<void()> work) {
    if (computes() && isNew(key)) {
        deferred().push_back({key, std::move(work), {}});
    }
}

void deferPart(const std::string& key, PartialWork work) {
    if (computes() && isNew(key)) {
        deferred().push_back({key, {}, std::move(work)});
    }
}

void settle(const void* place, std::size_t bytes) {
    std::vector<Deferred> parts;
    for (Deferred& one : std::exchange(deferred(), {})) {
        if (one.whole) {
            one.whole();
        } else {
            one.part(const_cast<char*>(static_cast<const char*>(place)), bytes);
            parts.push_back(std::move(one));
        }
    }
    deferred() = std::move(parts);
    keys().clear();
    for (const Deferred& one : deferred()) {
        keys().insert(one.key);
    }
}

void forget() {
    deferred().clear();
    keys().clear();
}

}  // namespace fabricast::null_device
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)
