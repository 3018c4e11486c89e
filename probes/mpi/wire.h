#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fabricast::probe {

/// The processes that mpirun started, and messages between them. Only wire.cpp and
/// library_collectives.cpp know MPI. One thread at a time may use it.
///
/// Waits look for progress without pause at first, then sleep ever longer between two looks, so
/// that ranks that share cores leave them to those that compute. None lasts longer than the
/// deadline that is set around it (deadline.h).
class Wire {
public:
    /// Joins the others. Once in a process; the last one leaves.
    Wire();
    ~Wire();
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }
    /// The number of each rank's node, from 0, in the order of ranks.
    [[nodiscard]] const std::vector<int>& nodes() const { return nodes_; }
    [[nodiscard]] int nodeCount() const;

    /// Sends and receives at once; a side whose rank is negative is left out.
    void exchange(int to, std::span<const float> sent, int from, std::span<float> received);
    /// Small messages beside those.
    void sendText(int to, const std::string& text);
    [[nodiscard]] std::string receiveText(int from);
    void sendNumber(int to, double number);
    [[nodiscard]] double receiveNumber(int from);

    /// Room for what arrives, kept from one collective to the next; `which` is 0 or 1.
    std::span<float> room(int which, std::size_t elements);

    /// "Open MPI v4.1.4, …"
    static std::string libraryVersion();

private:
    int rank_ = 0;
    std::vector<int> nodes_;
    std::array<std::vector<float>, 2> rooms_;
};

}  // namespace fabricast::probe
