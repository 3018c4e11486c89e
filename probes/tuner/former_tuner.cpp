#include "probes/tuner/former_tuner.h"

#include <dlfcn.h>

#include <cstdlib>

namespace fabricast::probe {
namespace {

std::string environmentText(const char* name) {
    const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return text == nullptr ? "" : text;
}

/// NCCL takes a file, or the last word of its name.
void addNamed(std::vector<std::string>& names, const std::string& given, const std::string& kind) {
    if (!given.empty()) {
        names.push_back(given);
        names.push_back("libnccl-" + kind + "-" + given + ".so");
    }
}

/// The library's own address tells this plugin from others.
bool isThisPlugin(const void* symbol) {
    Dl_info other{};
    Dl_info own{};
    return dladdr(symbol, &other) != 0 &&
           dladdr(reinterpret_cast<const void*>(&formerTunerNames), &own) != 0 &&
           other.dli_fbase == own.dli_fbase;
}

struct Found {
    const TunerVersion5* latest = nullptr;
    const TunerVersion4* older = nullptr;
};

/// A library stays open: NCCL, too, keeps it.
Found foundIn(const std::string& name, int version) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    Found found;
    if (library != nullptr) {
        if (version >= 5) {
            found.latest = static_cast<const TunerVersion5*>(dlsym(library, "ncclTunerPlugin_v5"));
        }
        found.older = static_cast<const TunerVersion4*>(dlsym(library, "ncclTunerPlugin_v4"));
    }
    const bool own = (found.latest != nullptr && isThisPlugin(found.latest)) ||
                     (found.older != nullptr && isThisPlugin(found.older));
    return own ? Found{} : found;
}

}  // namespace

std::vector<std::string> formerTunerNames() {
    std::vector<std::string> names;
    addNamed(names, environmentText(kNextVariable), "tuner");
    names.emplace_back("libnccl-tuner.so");
    addNamed(names, environmentText("NCCL_NET_PLUGIN"), "net");
    names.emplace_back("libnccl-net.so");
    return names;
}

std::unique_ptr<FormerTuner> FormerTuner::begin(const TunerStart& start) {
    Found found;
    for (const std::string& name : formerTunerNames()) {
        if (found.latest == nullptr && found.older == nullptr) {
            found = foundIn(name, start.version);
        }
    }
    void* context = nullptr;
    int begun = kNcclSuccess + 1;
    if (found.latest != nullptr) {
        begun = found.latest->begin(&context,
                                    start.communicator,
                                    start.ranks,
                                    start.nodes,
                                    start.log,
                                    start.nvlinkDomains,
                                    start.constants);
    } else if (found.older != nullptr) {
        begun = found.older->begin(start.ranks, start.nodes, start.log, &context);
    }
    if (begun != kNcclSuccess) {
        return nullptr;
    }
    std::unique_ptr<FormerTuner> former(new FormerTuner);
    former->context_ = context;
    former->choose_ =
        found.latest != nullptr ? found.latest->getCollInfo : found.older->getCollInfo;
    former->end_ = found.latest != nullptr ? found.latest->end : found.older->end;
    return former;
}

}  // namespace fabricast::probe
