#pragma once
#include <functional>
#include <thread>

namespace fabricast::probe {

/// While it lives, a request to stop (see interrupted()) ends the process in the midst of a point:
/// half a second is the time that the point has to end by itself. The last words run first, in
/// another thread, and answer the exit code. Once it is gone nothing ends the process: what is done
/// with a finished point is done whole.
///     const EndInMidPoint end([] { return kInterrupted; });
class EndInMidPoint {
public:
    explicit EndInMidPoint(std::function<int()> lastWords);

private:
    std::jthread watcher_;
};

}  // namespace fabricast::probe
