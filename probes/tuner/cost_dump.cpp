#include "probes/tuner/cost_dump.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <type_traits>

namespace fabricast::probe {
namespace {

/// A job that never sends the same size twice would fill memory and disk.
constexpr std::size_t kMostLines = 16'384;

void say(NcclLog log, int level, const std::string& what) {
    if (log != nullptr) {
        log(level, kNcclLogTuning, __FILE__, __LINE__, "fabricast: %s", what.c_str());
    }
}

/// All that a line is made of, as bytes: cheaper to compare than the line is to write.
std::string keyOf(const NcclCosts& costs) {
    std::string key;
    const auto put = [&](const auto& value) {
        static_assert(std::is_trivially_copyable_v<std::decay_t<decltype(value)>>);
        key.append(reinterpret_cast<const char*>(&value), sizeof(value));
    };
    put(costs.collective);
    put(costs.bytes);
    put(costs.ranks);
    put(costs.nodes);
    put(costs.operations);
    put(costs.registered);
    for (const float time : costs.table) {
        put(time);
    }
    return key;
}

/// Of the NCCL that this process runs, where its symbols can be seen: "2.28.9".
std::string ncclVersion() {
    using GetVersion = int (*)(int*);
    void* const symbol = ::dlsym(RTLD_DEFAULT, "ncclGetVersion");
    int code = 0;
    if (symbol == nullptr || reinterpret_cast<GetVersion>(symbol)(&code) != kNcclSuccess) {
        return "";
    }
    constexpr int kMajor = 10'000;
    constexpr int kMinor = 100;
    return std::to_string(code / kMajor) + "." + std::to_string(code % kMajor / kMinor) + "." +
           std::to_string(code % kMinor);
}

}  // namespace

std::shared_ptr<CostDump> CostDump::ofProcess(NcclLog log) {
    static std::mutex mutex;
    static std::weak_ptr<CostDump> shared;
    const std::lock_guard lock(mutex);
    if (std::shared_ptr<CostDump> one = shared.lock()) {
        return one;
    }
    const char* const path = std::getenv(kDumpVariable);  // NOLINT(concurrency-mt-unsafe)
    if (path == nullptr || *path == '\0') {
        return nullptr;
    }
    CostFile::Opened opened = CostFile::open(path);
    if (!opened.file) {
        say(log, kNcclLogWarning, opened.trouble + "; NCCL's costs are not written");
        return nullptr;
    }
    say(log, kNcclLogInfo, "NCCL's costs are written to " + opened.file->path());
    auto one = std::make_shared<CostDump>(std::move(opened.file));
    shared = one;
    return one;
}

void CostDump::add(const NcclCosts& costs, NcclLog log) {
    const std::lock_guard lock(mutex_);
    if (!file_ || !seen_.insert(keyOf(costs)).second) {
        return;
    }
    if (seen_.size() == 1) {
        write(costHead(ncclVersion()), log);
    }
    if (seen_.size() > kMostLines) {
        say(log,
            kNcclLogWarning,
            file_->path() + ": has " + std::to_string(kMostLines) + " lines; no more are written");
        file_.reset();
        return;
    }
    write(costLine(costs), log);
}

void CostDump::write(const std::string& line, NcclLog log) {
    const std::string trouble = file_ ? file_->add(line) : "";
    if (!trouble.empty()) {
        say(log, kNcclLogWarning, trouble + "; no more of NCCL's costs are written");
        file_.reset();
    }
}

}  // namespace fabricast::probe
