#include "planner/measured/nccl_tests_ranks.h"

namespace fabricast {
namespace {

std::string ranksTo(std::int64_t first, std::int64_t last) {
    return first == last
               ? "rank " + std::to_string(first) + " is"
               : "ranks " + std::to_string(first) + " to " + std::to_string(last) + " are";
}

}  // namespace

Result<void> NcclTestsRanks::add(std::int64_t group, std::int64_t rank, const std::string& where) {
    where_ = numbers_.empty() ? where : where_;
    numbers_.insert(rank);
    return listed_.emplace(group, rank).second
               ? Result<void>()
               : fail(Error::Code::BadInput,
                      where,
                      "lists rank " + std::to_string(rank) +
                          " twice: these are several runs, or a test built without MPI",
                      "use the output of one run, of nccl-tests built with MPI=1");
}

Result<void> NcclTestsRanks::checkWhole() const {
    std::int64_t next = 0;
    if (numbers_.empty() || *numbers_.rbegin() + 1 == static_cast<std::int64_t>(numbers_.size())) {
        return {};
    }
    for (const std::int64_t number : numbers_) {
        if (number != next) {
            return fail(Error::Code::BadInput,
                        where_,
                        "the list of ranks " +
                            (next == 0 ? "begins at " + std::to_string(number)
                                       : "has a gap: " + ranksTo(next, number - 1) + " not in it"),
                        kWholeLog);
        }
        ++next;
    }
    return {};
}

}  // namespace fabricast
