#include "probes/mpi/wire.h"

#include "probes/mpi/mpi_checks.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace fabricast::probe {

namespace {

enum Tag { kData = 1, kText = 2, kNumber = 3 };

template <std::size_t Most>
void awaitAll(std::array<MPI_Request, Most>& requests, int count) {
    await([&] {
        int done = 0;
        MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE);
        return done != 0;
    });
}

void awaitOne(MPI_Request request) {
    std::array<MPI_Request, 1> requests = {request};
    awaitAll(requests, 1);
}

/// Large messages are sent in pieces that MPI sends at once (btl_tcp_eager_limit, less a header).
/// A longer one waits for the receiver's word, which stands behind what the receiver itself is
/// sending: two ranks that send to each other would take turns.
constexpr std::size_t kPiece = 15 * 1024;
/// Pieces on their way at a time, each way.
constexpr std::size_t kInFlight = 16;

std::size_t piecesOf(std::size_t elements) {
    return (elements + kPiece - 1) / kPiece;
}

template <class Value>
std::span<Value> pieceOf(std::span<Value> all, std::size_t piece) {
    return all.subspan(piece * kPiece, std::min(kPiece, all.size() - piece * kPiece));
}

/// The pieces of one direction.
template <class Start>
class Lane {
public:
    Lane(std::size_t pieces, Start start) : pieces_(pieces), start_(std::move(start)) {
        requests_.fill(MPI_REQUEST_NULL);
    }

    /// Starts what may start, and answers whether all pieces are through.
    bool moved() {
        for (int there = 1; done_ < started_ && there != 0;) {
            MPI_Test(&requests_[done_ % kInFlight], &there, MPI_STATUS_IGNORE);
            done_ += there != 0 ? 1U : 0U;
        }
        for (; started_ < pieces_ && started_ - done_ < kInFlight; ++started_) {
            requests_[started_ % kInFlight] = start_(started_);
        }
        return done_ == pieces_;
    }

private:
    std::size_t pieces_;
    Start start_;
    std::array<MPI_Request, kInFlight> requests_{};
    std::size_t started_ = 0;
    std::size_t done_ = 0;
};

/// Ranks that can share memory are on one node.
std::vector<int> nodesOfRanks(int rank, int size) {
    MPI_Comm near = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &near);
    int first = rank;
    MPI_Bcast(&first, 1, MPI_INT, 0, near);
    MPI_Comm_free(&near);
    std::vector<int> nodes(static_cast<std::size_t>(size));
    MPI_Allgather(&first, 1, MPI_INT, nodes.data(), 1, MPI_INT, MPI_COMM_WORLD);
    // From the first rank of each node to its number.
    std::vector<int> firsts = nodes;
    std::ranges::sort(firsts);
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    for (int& node : nodes) {
        node = static_cast<int>(std::ranges::find(firsts, node) - firsts.begin());
    }
    return nodes;
}

}  // namespace

Wire::Wire() {
    // Where MPI itself waits it lets others run.
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    nodes_ = nodesOfRanks(rank_, size);
}

Wire::~Wire() {
    MPI_Finalize();
}

int Wire::nodeCount() const {
    return *std::ranges::max_element(nodes_) + 1;
}

void Wire::exchange(int to, std::span<const float> sent, int from, std::span<float> received) {
    Lane arrives(piecesOf(from < 0 ? 0 : received.size()), [&](std::size_t piece) {
        const std::span<float> part = pieceOf(received, piece);
        MPI_Request request = MPI_REQUEST_NULL;
        const int count = static_cast<int>(part.size());
        MPI_Irecv(part.data(), count, MPI_FLOAT, from, kData, MPI_COMM_WORLD, &request);
        return request;
    });
    Lane leaves(piecesOf(to < 0 ? 0 : sent.size()), [&](std::size_t piece) {
        const std::span<const float> part = pieceOf(sent, piece);
        MPI_Request request = MPI_REQUEST_NULL;
        const int count = static_cast<int>(part.size());
        MPI_Isend(part.data(), count, MPI_FLOAT, to, kData, MPI_COMM_WORLD, &request);
        return request;
    });
    await([&] {
        const bool arrived = arrives.moved();
        const bool left = leaves.moved();
        return arrived && left;
    });
}

void Wire::sendText(int to, const std::string& text) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(
        text.data(), static_cast<int>(text.size()), MPI_CHAR, to, kText, MPI_COMM_WORLD, &request);
    awaitOne(request);
}

std::string Wire::receiveText(int from) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    await([&] {
        int there = 0;
        MPI_Improbe(from, kText, MPI_COMM_WORLD, &there, &message, &status);
        return there != 0;
    });
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    std::string text(static_cast<std::size_t>(length), ' ');
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Imrecv(text.data(), length, MPI_CHAR, &message, &request);
    awaitOne(request);
    return text;
}

void Wire::sendNumber(int to, double number) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&number, 1, MPI_DOUBLE, to, kNumber, MPI_COMM_WORLD, &request);
    awaitOne(request);
}

double Wire::receiveNumber(int from) {
    double number = 0.0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&number, 1, MPI_DOUBLE, from, kNumber, MPI_COMM_WORLD, &request);
    awaitOne(request);
    return number;
}

std::span<float> Wire::room(int which, std::size_t elements) {
    std::vector<float>& room = rooms_.at(static_cast<std::size_t>(which));
    room.resize(std::max(room.size(), elements));
    return std::span(room).first(elements);
}

std::string Wire::libraryVersion() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::string version(text.data());
    return version.substr(0, version.find(", ident"));
}

}  // namespace fabricast::probe
