#include "probes/host/page_memory.h"

#include "probes/host/system_files.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace fabricast::probe {

PageMemory::PageMemory(void* pages, std::size_t bytes)
    : pages_(pages, [bytes](void* begin) { munmap(begin, bytes); }), bytes_(bytes) {}

Answer<PageMemory> PageMemory::of(std::size_t bytes) {
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        return Trouble{std::to_string(bytes >> 20) + " MiB of memory: " + std::strerror(errno)};
    }
    // Fewer, larger pages where the kernel has them; without, the measurement is right too.
    (void)madvise(pages, bytes, MADV_HUGEPAGE);
    return PageMemory(pages, bytes);
}

std::int64_t spareMemory() {
    const std::string text = SystemFiles("/").text("proc/meminfo");
    constexpr std::int64_t kKibi = 1024;
    return leadingWhole(valueAfter(text, "MemAvailable")).value_or(0) * kKibi / 2;
}

}  // namespace fabricast::probe
