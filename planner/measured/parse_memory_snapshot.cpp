#include "planner/measured/parse_memory_snapshot.h"

#include "planner/measured/plain_values.h"

#include <algorithm>
#include <map>
#include <optional>

namespace fabricast {
namespace {

using SnapshotValue = PlainValues::Value;

constexpr std::int64_t kMostSnapshotBytes = 1'000'000'000'000'000;

struct DeviceMemory {
    std::int64_t reserved = 0;
    std::int64_t allocated = 0;
    std::int64_t largestFree = 0;
    std::int64_t inPools = 0;  ///< allocated in private pools
    std::int64_t segments = 0;
    bool isExpandable = false;
    std::int64_t peak = 0;
    bool hasHistory = false;
    std::optional<std::int64_t> tried;  ///< of the last allocation, if it failed
    std::optional<std::int64_t> free;
};

class SnapshotReader {
public:
    /// A part that is in very many places is not walked in each: what is looked at is in the file.
    SnapshotReader(const PlainValues& values, std::size_t bytes, const std::string& source)
        : values_(values), source_(source), mostLooks_(bytes) {}

    Result<std::map<std::int64_t, DeviceMemory>> read() {
        SnapshotValue segments = values_.root;
        SnapshotValue traces{};
        if (values_.root.kind == PlainValues::Kind::Map) {
            segments = {};
            FABRICAST_TRY(each(values_.root, [&](std::string_view key, SnapshotValue value) {
                segments = key == "segments" ? value : segments;
                traces = key == "device_traces" ? value : traces;
            }));
        }
        if (segments.kind != PlainValues::Kind::List) {
            return problem("has no list of segments");
        }
        for (const SnapshotValue& segment : values_.parts(segments)) {
            FABRICAST_TRY(addSegment(segment));
        }
        std::int64_t device = 0;
        for (const SnapshotValue& trace : values_.parts(traces)) {
            if (const auto found = devices_.find(device); found != devices_.end()) {
                FABRICAST_TRY(addTrace(trace, found->second));
            }
            ++device;
        }
        return devices_;
    }

private:
    [[nodiscard]] tl::unexpected<Error> problem(const std::string& what) const {
        return fail(Error::Code::BadInput,
                    source_,
                    "a memory snapshot that " + what,
                    "a file of torch.cuda.memory._dump_snapshot, whole and as it was written");
    }

    /// Hands on the members of a map.
    template <typename Take>
    Result<void> each(SnapshotValue map, const Take& take) {
        const std::span<const SnapshotValue> parts = map.kind == PlainValues::Kind::Map
                                                         ? values_.parts(map)
                                                         : std::span<const SnapshotValue>();
        looks_ += 1 + parts.size();
        if (looks_ > mostLooks_) {
            return problem("has the same parts in more places than can be looked at");
        }
        for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
            take(values_.text(parts[i]), parts[i + 1]);
        }
        return {};
    }

    /// A size, or what is not one.
    static std::int64_t sizeIn(SnapshotValue value) {
        const std::int64_t size = PlainValues::integer(value).value_or(-1);
        return size > kMostSnapshotBytes ? -1 : size;
    }

    struct Block {
        std::int64_t size = -1;
        std::string_view state;
    };

    Result<void> addBlocks(SnapshotValue blocks, DeviceMemory& segment) {
        for (const SnapshotValue& one : values_.parts(blocks)) {
            Block block;
            FABRICAST_TRY(each(one, [&](std::string_view key, SnapshotValue value) {
                block.size = key == "size" ? sizeIn(value) : block.size;
                block.state = key == "state" ? values_.text(value) : block.state;
            }));
            if (block.size < 0) {
                return problem("has a block without a size");
            }
            if (block.state == "active_allocated") {
                segment.allocated += block.size;
            } else if (block.state == "inactive") {
                segment.largestFree = std::max(segment.largestFree, block.size);
            }
            if (segment.allocated > segment.reserved || segment.largestFree > segment.reserved) {
                return problem("has blocks larger than their segment");
            }
        }
        return {};
    }

    Result<void> addSegment(SnapshotValue value) {
        DeviceMemory segment{.reserved = -1};
        SnapshotValue blocks{};
        std::int64_t device = 0;
        bool isPrivate = false;
        FABRICAST_TRY(each(value, [&](std::string_view key, SnapshotValue part) {
            if (key == "total_size") {
                segment.reserved = sizeIn(part);
            } else if (key == "device") {
                device = PlainValues::integer(part).value_or(0);
            } else if (key == "blocks") {
                blocks = part;
            } else if (key == "is_expandable") {
                segment.isExpandable = part.content != 0;
            } else if (key == "segment_pool_id") {
                const std::span<const SnapshotValue> id = values_.parts(part);
                isPrivate = id.size() == 2 && (id[0].content != 0 || id[1].content != 0);
            }
        }));
        if (segment.reserved < 0) {
            return problem("has a segment without a size");
        }
        FABRICAST_TRY(addBlocks(blocks, segment));
        DeviceMemory& all = devices_[device];
        all.reserved += segment.reserved;
        all.allocated += segment.allocated;
        all.largestFree = std::max(all.largestFree, segment.largestFree);
        all.inPools += isPrivate ? segment.allocated : 0;
        all.isExpandable = all.isExpandable || segment.isExpandable;
        all.segments += 1;
        return all.reserved > kMostSnapshotBytes ? Result<void>(problem("is larger than any GPU"))
                                                 : Result<void>();
    }

    struct Event {
        std::string_view action;
        std::int64_t size = -1;
        std::int64_t free = -1;
    };

    /// From what is allocated now back to the first event that was kept.
    Result<void> addTrace(SnapshotValue trace, DeviceMemory& device) {
        std::int64_t held = device.allocated;
        device.peak = held;
        bool isLast = true;
        const std::span<const SnapshotValue> events = values_.parts(trace);
        for (std::size_t i = events.size(); i-- > 0;) {
            Event event;
            FABRICAST_TRY(each(events[i], [&](std::string_view key, SnapshotValue value) {
                event.action = key == "action" ? values_.text(value) : event.action;
                event.size = key == "size" ? sizeIn(value) : event.size;
                event.free = key == "device_free" ? sizeIn(value) : event.free;
            }));
            if (event.size < 0) {
                continue;
            }
            if (event.action == "oom" && isLast) {
                device.tried = event.size;
                device.free = event.free < 0 ? std::nullopt : std::optional(event.free);
            }
            const bool isTaken = event.action == "alloc";
            isLast = isLast && !isTaken && event.action != "oom";
            held += isTaken ? -event.size : event.action == "free_requested" ? event.size : 0;
            held = std::clamp<std::int64_t>(held, 0, kMostSnapshotBytes);
            device.peak = std::max(device.peak, held);
            device.hasHistory = true;
        }
        return {};
    }

    const PlainValues& values_;
    const std::string& source_;
    std::map<std::int64_t, DeviceMemory> devices_;
    std::size_t mostLooks_;
    std::size_t looks_ = 0;
};

MemoryMessage messageFrom(std::int64_t number, const DeviceMemory& device) {
    MemoryMessage message{.kind = device.tried ? MemoryMessage::Kind::OutOfMemory
                                               : MemoryMessage::Kind::Snapshot};
    message.allocated = Bytes(device.allocated);
    message.unallocated = Bytes(device.reserved - device.allocated);
    message.maxAllocated = Bytes(std::max(device.peak, device.allocated));
    message.maxReserved = Bytes(device.reserved);
    if (device.inPools > 0) {
        message.privatePools = Bytes(device.inPools);
    }
    if (device.tried) {
        message.tried = Bytes(*device.tried);
    }
    if (device.free) {
        message.free = Bytes(*device.free);
    }
    message.snapshot = MemoryMessage::Snapshot{.device = number,
                                               .segments = device.segments,
                                               .largestFree = Bytes(device.largestFree),
                                               .isExpandable = device.isExpandable,
                                               .hasHistory = device.hasHistory};
    return message;
}

bool isPickle(std::string_view bytes) {
    constexpr char kNewestProtocol = 5;
    return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= kNewestProtocol;
}

}  // namespace

bool isMemorySnapshot(std::string_view bytes) {
    if (isPickle(bytes)) {
        return true;
    }
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    const bool isJson =
        first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '[');
    const auto has = [bytes](const char* key) { return bytes.find(key) != std::string_view::npos; };
    return isJson && ((has("\"total_size\"") && has("\"blocks\"")) ||
                      (has("\"segments\"") && has("\"device_traces\"")));
}

Result<MemoryMessage> parseMemorySnapshot(std::string_view bytes, const std::string& source) {
    FABRICAST_ASSIGN(const PlainValues values,
                     isPickle(bytes) ? readPickle(bytes, source) : readPlainJson(bytes, source));
    FABRICAST_ASSIGN(const auto devices, SnapshotReader(values, bytes.size(), source).read());
    if (devices.empty()) {
        return fail(Error::Code::BadInput,
                    source,
                    "a memory snapshot without segments: PyTorch held nothing when it was taken",
                    "torch.cuda.memory._dump_snapshot before the tensors are gone");
    }
    const auto fullest = std::ranges::max_element(devices, {}, [](const auto& one) {
        return std::max(one.second.peak, one.second.allocated);
    });
    MemoryMessage message = messageFrom(fullest->first, fullest->second);
    message.others = devices.size() - 1;
    return message;
}

}  // namespace fabricast
