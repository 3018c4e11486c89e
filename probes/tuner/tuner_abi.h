#pragma once
#include <cstddef>
#include <cstdint>

// What NCCL looks for in a tuner plugin, by its binary interface: versions 4 (NCCL 2.24 to 2.27)
// and 5 (from 2.28 on).

namespace fabricast::probe {

/// NCCL's codes; every other is a failure.
inline constexpr int kNcclSuccess = 0;

/// Writes into NCCL's own log, as far as NCCL_DEBUG lets it.
using NcclLog =
    void (*)(int level, unsigned long part, const char* file, int line, const char* format, ...);
inline constexpr int kNcclLogWarning = 2;
inline constexpr int kNcclLogInfo = 3;
inline constexpr unsigned long kNcclLogTuning = 0x40;

/// Asked before each collective, on every rank. `costs` is a table of floats, a row of `protocols`
/// for each of `algorithms`: microseconds, or less than 0 where NCCL cannot. What is written there,
/// and into `channels`, changes what NCCL does. `bytes` are of the whole collective.
using GetCollInfo = int (*)(void* context,
                            int collective,
                            std::size_t bytes,
                            int operations,
                            float** costs,
                            int algorithms,
                            int protocols,
                            int registered,
                            int* channels);

struct TunerVersion4 {
    const char* name;
    int (*begin)(std::size_t ranks, std::size_t nodes, NcclLog log, void** context);
    GetCollInfo getCollInfo;
    int (*end)(void* context);
};

struct TunerVersion5 {
    const char* name;
    /// `nvlinkDomains` and `constants` are NCCL's, and none of our business.
    int (*begin)(void** context,
                 std::uint64_t communicator,
                 std::size_t ranks,
                 std::size_t nodes,
                 NcclLog log,
                 void* nvlinkDomains,
                 void* constants);
    GetCollInfo getCollInfo;
    int (*end)(void* context);
};

}  // namespace fabricast::probe
