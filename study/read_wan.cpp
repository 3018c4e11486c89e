#include "study/read_wan.h"

#include "planner/base/quantity_text.h"

namespace fabricast {
namespace {

constexpr BytesPerSecond kSlowestWan(1.0);
constexpr BytesPerSecond kFastestWan(1e15);
constexpr Seconds kLongestWan(3600.0);

}  // namespace

Result<WanTier> readWan(std::int64_t sites,
                        const std::string& bandwidth,
                        const std::string& latency) {
    WanTier wan{.sites = sites};
    if (sites == 1) {
        const char* const unused = !bandwidth.empty() ? "--wan"
                                   : !latency.empty() ? "--wan-latency"
                                                      : nullptr;
        if (unused != nullptr) {
            return fail(Error::Code::BadInput,
                        unused,
                        "there is one site, so nothing uses it",
                        "--sites 2 --wan '400 Gbps'");
        }
        return wan;
    }
    if (bandwidth.empty()) {
        return fail(Error::Code::BadInput,
                    "--sites",
                    "the rate between the sites is not given",
                    "--wan '400 Gbps'");
    }
    FABRICAST_ASSIGN(wan.bandwidth, parseQuantity<BytesPerSecond>(bandwidth, "--wan"));
    if (wan.bandwidth < kSlowestWan || wan.bandwidth > kFastestWan) {
        return fail(
            Error::Code::BadInput, "--wan", "must be from 1 B/s to 1 PB/s", "--wan '400 Gbps'");
    }
    if (!latency.empty()) {
        FABRICAST_ASSIGN(wan.latency, parseQuantity<Seconds>(latency, "--wan-latency"));
    }
    if (wan.latency < Seconds() || wan.latency > kLongestWan) {
        return fail(
            Error::Code::BadInput, "--wan-latency", "must be from 0 to 1 h", "--wan-latency 10ms");
    }
    return wan;
}

}  // namespace fabricast
