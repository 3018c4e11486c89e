#pragma once
#include "probes/record/answer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace fabricast::probe {

/// Memory straight from the kernel: no page of it is there before somebody writes to it, so that it
/// lies near the CPU that does.
class PageMemory {
public:
    static Answer<PageMemory> of(std::size_t bytes);

    [[nodiscard]] std::span<float> floats() const {
        return {static_cast<float*>(pages_.get()), bytes_ / sizeof(float)};
    }
    [[nodiscard]] void* data() const { return pages_.get(); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    PageMemory(void* pages, std::size_t bytes);

    std::shared_ptr<void> pages_;
    std::size_t bytes_;
};

/// What may be taken without driving the machine into its swap: half of what is free now.
std::int64_t spareMemory();

}  // namespace fabricast::probe
