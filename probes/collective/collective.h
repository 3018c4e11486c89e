#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast::probe {

/// What several ranks do together.
enum class GroupCall { AllReduce, AllGather, ReduceScatter, AllToAll, Broadcast, SendRecv };

inline constexpr std::array kGroupCalls = {GroupCall::AllReduce,
                                           GroupCall::AllGather,
                                           GroupCall::ReduceScatter,
                                           GroupCall::AllToAll,
                                           GroupCall::Broadcast,
                                           GroupCall::SendRecv};

/// "all_reduce", as points call it.
std::string_view nameOf(GroupCall call);
std::optional<GroupCall> groupCallNamed(std::string_view name);
/// "all_reduce, all_gather, …", for whoever typed another.
std::string groupCallNames();

/// Whether it adds up what the ranks give.
bool isReduction(GroupCall call);
/// Whether its result may take the place of what was sent.
bool hasInPlace(GroupCall call);

/// What a rate in bytes over time is multiplied with to get the rate at which a link carries them:
/// all-reduce 2 (n-1)/n; all-gather, reduce-scatter, all-to-all (n-1)/n; broadcast, send_recv 1.
double busFactor(GroupCall call, int ranks);

/// A type of element, under the name that nccl-tests prints.
struct CollectiveType {
    std::string_view name;
    int bytes = 4;
    std::int64_t exact = 0;  ///< the largest n with all of 0…n exact, when added in any order
    bool isFloat = false;
};

/// "float", "bfloat16", "int8" and so on; fp32, bf16 and fp16 are understood as well.
std::optional<CollectiveType> collectiveTypeNamed(std::string_view name);
std::string collectiveTypeNames();

/// The bytes of a whole number of this type, the least first. Not for more than `exact`.
std::array<char, 8> encoded(const CollectiveType& type, std::int64_t value);

}  // namespace fabricast::probe
