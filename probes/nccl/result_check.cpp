// Patterns are made and judged on the host, piece by piece: no kernel of ours can be wrong too.
#include "probes/nccl/result_check.h"

#include "probes/nccl/nccl_trouble.h"

#include <algorithm>
#include <vector>

namespace fabricast::probe {

namespace {

/// Divides by every element's size.
constexpr std::int64_t kPieceBytes = std::int64_t{8} << 20;

/// For each piece: its first element, and its bytes in host memory.
Done inPieces(ControlChannel& channel,
              std::int64_t elements,
              int elementBytes,
              const std::function<Done(std::int64_t first, std::span<char> piece)>& each) {
    const std::int64_t most = kPieceBytes / elementBytes;
    std::vector<char> piece(static_cast<std::size_t>(std::min(elements, most) * elementBytes));
    for (std::int64_t first = 0; first < elements; first += most) {
        const auto bytes =
            static_cast<std::size_t>(std::min(most, elements - first) * elementBytes);
        Done done = each(first, {piece.data(), bytes});
        if (!done) {
            return channel.fail(done.trouble().why);
        }
        done = channel.watch();
        if (!done) {
            return done;
        }
    }
    return std::monostate();
}

}  // namespace

Done sendPattern(ControlChannel& channel,
                 const CheckPattern& pattern,
                 std::int64_t elements,
                 int elementBytes,
                 int place,
                 char* device) {
    return inPieces(
        channel, elements, elementBytes, [&](std::int64_t first, std::span<char> piece) {
            pattern.fill(piece, first, place);
            return doneBy(cudaMemcpy(device + first * elementBytes,
                                     piece.data(),
                                     piece.size(),
                                     cudaMemcpyHostToDevice),
                          "cudaMemcpy");
        });
}

Answer<std::int64_t> wrongElements(ControlChannel& channel,
                                   const CheckPattern& pattern,
                                   std::int64_t elements,
                                   int elementBytes,
                                   int place,
                                   const char* device) {
    std::int64_t wrong = 0;
    const Done done =
        inPieces(channel, elements, elementBytes, [&](std::int64_t first, std::span<char> piece) {
            Done copied = doneBy(cudaMemcpy(piece.data(),
                                            device + first * elementBytes,
                                            piece.size(),
                                            cudaMemcpyDeviceToHost),
                                 "cudaMemcpy");
            wrong += copied ? pattern.wrong(piece, first, place) : 0;
            return copied;
        });
    return done ? Answer<std::int64_t>(wrong) : done.trouble();
}

}  // namespace fabricast::probe
