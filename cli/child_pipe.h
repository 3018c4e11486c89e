#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>

namespace fabricast {

/// Both ends of a pipe; what is still open is closed.
class ChildPipe {
public:
    ChildPipe() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
            ends_ = {-1, -1};
        }
    }
    ChildPipe(const ChildPipe&) = delete;
    ChildPipe& operator=(const ChildPipe&) = delete;
    ~ChildPipe() {
        closeEnd(0);
        closeEnd(1);
    }
    [[nodiscard]] int end(std::size_t which) const { return ends_.at(which); }
    void closeEnd(std::size_t which) {
        if (ends_.at(which) >= 0) {
            ::close(ends_.at(which));
            ends_.at(which) = -1;
        }
    }

private:
    std::array<int, 2> ends_{};
};

}  // namespace fabricast
