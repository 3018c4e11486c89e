#include "planner/measured/nccl_tests_ranks.h"

namespace fabricast {
namespace {

std::string ranksTo(std::int64_t first, std::int64_t last) {
    return first == last
               ? "rank " + std::to_string(first) + " is"
               : "ranks " + std::to_string(first) + " to " + std::to_string(last) + " are";
}

}  // namespace

std::int64_t ranksPerProcess(std::optional<std::int64_t> threads,
                             std::optional<std::int64_t> gpus) {
    constexpr std::int64_t kMostPerProcess = 100'000;  // of either, so that the product is a number
    const auto within = [](std::int64_t count) { return count >= 1 && count <= kMostPerProcess; };
    const std::int64_t all = threads.value_or(1);
    const std::int64_t each = gpus.value_or(1);
    return within(all) && within(each) ? all * each : 1;
}

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
    const auto count = static_cast<std::int64_t>(listed_.size());
    if (perProcess_ > 1 && count % perProcess_ != 0) {
        return fail(Error::Code::BadInput,
                    where_,
                    "the list of ranks has " + std::to_string(count) +
                        ", and each process has nThread x nGpus = " + std::to_string(perProcess_),
                    kWholeLog);
    }
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
