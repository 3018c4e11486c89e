#include "probes/launch/join_message.h"

#include "planner/output/printable_text.h"
#include "probes/launch/packed.h"

#include <unistd.h>

#include <map>

namespace fabricast::probe {

namespace {

constexpr std::string_view kMagic = "fabricast-probe 1";

void pack(const Member& member, Packer& packer) {
    packer.whole32(static_cast<std::uint32_t>(member.rank))
        .whole32(static_cast<std::uint32_t>(member.localRank + 1))
        .text(member.host)
        .whole64(static_cast<std::uint64_t>(member.pid))
        .text(member.about);
}

Member unpackedMember(Unpacker& unpacker) {
    Member member;
    member.rank = static_cast<int>(unpacker.whole32());
    member.localRank = static_cast<int>(unpacker.whole32()) - 1;
    // What a stranger sends may end up in a message.
    member.host = printableLine(unpacker.text());
    member.pid = static_cast<std::int64_t>(unpacker.whole64());
    member.about = printableLine(unpacker.text());
    return member;
}

}  // namespace

std::string nameOf(const Member& member) {
    return "rank " + std::to_string(member.rank) + " (" + member.host + ", pid " +
           std::to_string(member.pid) + ")";
}

JoinMessage joinMessageOf(const Place& place, const RendezvousRules& rules) {
    return {.version = rules.version,
            .token = rules.token,
            .job = place.job,
            .world = place.world,
            .member = {.rank = place.rank,
                       .localRank = place.localRank.value_or(-1),
                       .host = rules.host.empty() ? hostName() : rules.host,
                       .pid = getpid(),
                       .about = rules.about}};
}

std::string packedJoinMessage(const JoinMessage& join) {
    Packer packer;
    packer.text(kMagic).text(join.version).text(join.token).text(join.job);
    packer.whole32(static_cast<std::uint32_t>(join.world));
    pack(join.member, packer);
    return packer.text();
}

std::optional<JoinMessage> unpackedJoinMessage(std::string_view packed) {
    Unpacker unpacker(packed);
    if (unpacker.text() != kMagic) {
        return std::nullopt;
    }
    JoinMessage join;
    join.version = printableLine(unpacker.text());
    join.token = unpacker.text();
    join.job = printableLine(unpacker.text());
    join.world = static_cast<int>(unpacker.whole32());
    join.member = unpackedMember(unpacker);
    return unpacker.complete() ? std::optional(join) : std::nullopt;
}

std::string packedMembers(const std::vector<Member>& members) {
    Packer packer;
    for (const Member& member : members) {
        pack(member, packer);
    }
    return packer.text();
}

std::optional<std::vector<Member>> unpackedMembers(std::string_view packed, int world) {
    Unpacker unpacker(packed);
    std::vector<Member> members;
    while (unpacker.left() > 0 && unpacker.ok()) {
        members.push_back(unpackedMember(unpacker));
        if (members.back().rank + 1 != static_cast<int>(members.size())) {
            return std::nullopt;
        }
    }
    return unpacker.complete() && members.size() == static_cast<std::size_t>(world)
               ? std::optional(members)
               : std::nullopt;
}

std::optional<std::string> mismatch(const JoinMessage& mine, const JoinMessage& other) {
    const std::string who = nameOf(other.member);
    if (other.version != mine.version) {
        return who + " is version " + other.version + ", rank 0 is " + mine.version;
    }
    if (other.world != mine.world) {
        return who + " was started with a world of " + std::to_string(other.world) +
               ", rank 0 with one of " + std::to_string(mine.world);
    }
    if (other.member.rank < 1 || other.member.rank >= mine.world) {
        return who + (other.member.rank == 0
                          ? " was started as rank 0 too"
                          : " is not within a world of " + std::to_string(mine.world));
    }
    if (other.job != mine.job) {
        return who + " belongs to job '" + other.job + "', rank 0 to '" + mine.job + "'";
    }
    return std::nullopt;
}

void numberLocally(std::vector<Member>& members) {
    std::map<std::string, int> onHost;
    for (Member& member : members) {
        const int next = onHost[member.host]++;
        member.localRank = member.localRank < 0 ? next : member.localRank;
    }
}

}  // namespace fabricast::probe
