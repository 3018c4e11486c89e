#pragma once
#include "probes/launch/rendezvous.h"

#include <optional>
#include <string>
#include <string_view>

namespace fabricast::probe {

/// The kinds of frames.
namespace frame {
constexpr char kJoin = 'H';     ///< a rank comes to rank 0
constexpr char kReject = 'R';   ///< rank 0 has no place for it, or for anybody: why
constexpr char kWelcome = 'W';  ///< all are here: who
constexpr char kData = 'D';
constexpr char kBeat = 'B';   ///< still here, busy with something else
constexpr char kStop = 'S';   ///< somebody pressed Ctrl-C here
constexpr char kAbort = 'A';  ///< cannot go on: why
constexpr char kBye = 'Q';    ///< done
}  // namespace frame

/// What a rank says as it comes.
struct JoinMessage {
    std::string version;
    std::string token;
    std::string job;
    int world = 1;
    Member member;  ///< localRank is -1 where it does not know
};

JoinMessage joinMessageOf(const Place& place, const RendezvousRules& rules);
std::string packedJoinMessage(const JoinMessage& join);
/// Nothing where the bytes are not a join message.
std::optional<JoinMessage> unpackedJoinMessage(std::string_view packed);

std::string packedMembers(const std::vector<Member>& members);
std::optional<std::vector<Member>> unpackedMembers(std::string_view packed, int world);

/// Why these two cannot work together; nothing where they can. `mine` is rank 0's.
std::optional<std::string> mismatch(const JoinMessage& mine, const JoinMessage& other);

/// Gives each member that does not know its local rank the next one on its host.
void numberLocally(std::vector<Member>& members);

}  // namespace fabricast::probe
