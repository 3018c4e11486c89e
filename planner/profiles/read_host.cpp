#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_profile.h"
#include "planner/profiles/read_records.h"
#include "planner/profiles/sourced_json.h"

#include <array>
#include <string_view>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 12> kHostFileKeys = {"schema",
                                                            "name",
                                                            "aliases",
                                                            "title",
                                                            "socket_bandwidth",
                                                            "deepspeed_share",
                                                            "torch_share",
                                                            "copy_share",
                                                            "drive",
                                                            "drive_read",
                                                            "drive_write",
                                                            "drive_writes"};

/// A number that must be there, above 0 and at most 1.
Result<Sourced<double>> share(const JsonValue& root, std::string_view key) {
    FABRICAST_ASSIGN(Sourced<double> number, requireSourced<double>(root, key));
    const double value = number.value.value_or(0.0);
    if (!(value > 0.0 && value <= 1.0)) {
        return tl::unexpected(root.find(key)->problem("must be a share above 0 and at most 1"));
    }
    return number;
}

/// A quantity that must be there and above 0.
template <class T>
Result<Sourced<T>> positive(const JsonValue& root, std::string_view key) {
    FABRICAST_ASSIGN(Sourced<T> number, requireSourced<T>(root, key));
    if (!(number.value && *number.value > T(0))) {
        return tl::unexpected(root.find(key)->problem("must be above 0"));
    }
    return number;
}

}  // namespace

Result<HostProfile> readHostProfile(const JsonValue& root) {
    FABRICAST_TRY(root.onlyKeys(kHostFileKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "host"));
    HostProfile host{.name = header.name, .title = header.title};
    FABRICAST_ASSIGN(host.socketBandwidth, positive<BytesPerSecond>(root, "socket_bandwidth"));
    FABRICAST_ASSIGN(host.deepspeedShare, share(root, "deepspeed_share"));
    FABRICAST_ASSIGN(host.torchShare, share(root, "torch_share"));
    FABRICAST_ASSIGN(host.copyShare, share(root, "copy_share"));
    FABRICAST_ASSIGN(host.drive, positive<Bytes>(root, "drive"));
    FABRICAST_ASSIGN(host.driveRead, positive<BytesPerSecond>(root, "drive_read"));
    FABRICAST_ASSIGN(host.driveWrite, positive<BytesPerSecond>(root, "drive_write"));
    FABRICAST_ASSIGN(host.driveWrites, positive<double>(root, "drive_writes"));
    return host;
}

Result<HostProfile> ProfileStore::host(std::string_view name) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Host, name));
    return parsed(file, &readHostProfile);
}

}  // namespace fabricast
