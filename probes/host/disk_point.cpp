#include "probes/host/host_points.h"
#include "probes/host/page_memory.h"
#include "probes/record/run_points.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>

namespace fabricast::probe {

namespace {

constexpr std::size_t kBlock = std::size_t{8} << 20;
constexpr std::int64_t kAlignment = kLeastDiskBytes;
const SampleRule kDiskRule{.least = 3, .most = 20, .error = 0.02, .seconds = 5.0};

Trouble systemTrouble(const std::string& path, const char* what) {
    return Trouble{path + ": " + what + ": " + std::strerror(errno)};
}

/// A nameless file, or one that lost its name at once.
class ScratchFile {
public:
    static Answer<ScratchFile> in(const std::string& folder) {
        for (const int direct : {O_DIRECT, 0}) {
            const int number =
                ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | direct, 0600);
            if (number >= 0) {
                return ScratchFile(number, direct != 0);
            }
            if (errno != EINVAL && errno != EOPNOTSUPP && errno != EISDIR) {
                return systemTrouble(folder, "no file can be made here");
            }
        }
        std::string name = folder + "/.fabricast-probe-XXXXXX";
        const int number = ::mkostemp(name.data(), O_CLOEXEC);
        if (number < 0) {
            return systemTrouble(folder, "no file can be made here");
        }
        ::unlink(name.c_str());
        const bool direct = ::fcntl(number, F_SETFL, O_DIRECT) == 0;
        return ScratchFile(number, direct);
    }
    ScratchFile(ScratchFile&& other) noexcept
        : number_(std::exchange(other.number_, -1)), direct_(other.direct_) {}
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ScratchFile& operator=(ScratchFile&&) = delete;
    ~ScratchFile() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }

    [[nodiscard]] bool direct() const { return direct_; }

    /// The whole file once, from its beginning; false with errno set.
    [[nodiscard]] bool pass(bool writes, std::int64_t bytes, void* block) const {
        for (std::int64_t at = 0; at < bytes;) {
            const auto size = std::min(static_cast<std::int64_t>(kBlock), bytes - at);
            const ssize_t done = writes
                                     ? ::pwrite(number_, block, static_cast<std::size_t>(size), at)
                                     : ::pread(number_, block, static_cast<std::size_t>(size), at);
            if (done == 0) {
                errno = EIO;
                return false;
            }
            if (done < 0 && errno != EINTR) {
                return false;
            }
            at += std::max<ssize_t>(done, 0);
        }
        return !writes || ::fdatasync(number_) == 0;
    }
    void evict() const {
        ::fdatasync(number_);
        ::posix_fadvise(number_, 0, 0, POSIX_FADV_DONTNEED);
    }

private:
    ScratchFile(int number, bool direct) : number_(number), direct_(direct) {}

    int number_;
    bool direct_;
};

std::int64_t freeOn(const std::string& folder) {
    struct statvfs status {};
    return ::statvfs(folder.c_str(), &status) == 0 ? static_cast<std::int64_t>(status.f_bavail) *
                                                         static_cast<std::int64_t>(status.f_frsize)
                                                   : 0;
}

/// No disk that compresses or finds zeros gains by these.
void fillRandom(const PageMemory& block) {
    std::mt19937_64 numbers(20'260'701);
    const std::span<float> floats = block.floats();
    for (float& value : floats) {
        value = static_cast<float>(numbers());
    }
}

Answer<Measurement> measureIn(const std::string& folder,
                              bool writes,
                              std::int64_t bytes,
                              Measurement measurement) {
    const Answer<ScratchFile> file = ScratchFile::in(folder);
    if (!file) {
        measurement.refused = file.trouble().why;
        return measurement;
    }
    const Answer<PageMemory> block = PageMemory::of(kBlock);
    if (!block) {
        return block.trouble();
    }
    fillRandom(*block);
    if (!writes && !file->pass(true, bytes, block->data())) {
        return systemTrouble(folder, "cannot be written");
    }
    Answer<std::vector<double>> samples =
        sampled(kDiskRule, writes ? 1 : 0, [&]() -> Answer<double> {
            if (!writes && !file->direct()) {
                file->evict();
            }
            const auto begin = std::chrono::steady_clock::now();
            if (!file->pass(writes, bytes, block->data())) {
                return systemTrouble(folder, writes ? "cannot be written" : "cannot be read");
            }
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        });
    if (!samples) {
        return samples.trouble();
    }
    measurement.samples = *samples;
    measurement.facts["bytes"] = static_cast<double>(bytes);
    measurement.words["direct"] = file->direct() ? "yes" : "no";
    return measurement;
}

}  // namespace

Answer<Measurement> measureDisk(const Point& point) {
    const Answer<std::string> kind = wordOf(point, "kind");
    const Answer<std::string> folder = wordOf(point, "path");
    const Answer<std::int64_t> bytes = wholeOf(point, "bytes", kAlignment);
    if (!kind || !folder || !bytes) {
        return !kind ? kind.trouble() : !folder ? folder.trouble() : bytes.trouble();
    }
    if (*kind != "read" && *kind != "write") {
        return Trouble{"'" + textOf(point) + "': kind is read or write"};
    }
    Measurement measurement{.point = point};
    const std::int64_t whole = *bytes / kAlignment * kAlignment;
    const std::int64_t free = freeOn(*folder);
    if (free / 2 < whole) {
        measurement.refused = *folder + " has " + std::to_string(free >> 20) +
                              " MiB free; twice the bytes are wanted";
        return measurement;
    }
    return measureIn(*folder, *kind == "write", whole, std::move(measurement));
}

}  // namespace fabricast::probe
