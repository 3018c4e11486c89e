#include "study/saved_questions.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

Question launched(const std::string& start) {
    return parseQuestion(
               "#!/bin/bash\n" + start +
                   " pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
                   "--seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 "
                   "--global-batch-size 64 --vocab-size 32000 --tensor-model-parallel-size 2 "
                   "--use-distributed-optimizer --bf16\n",
               "pretrain.sh",
               {})
        .value();
}

Question typedOn(const Question& question, const std::string& nodes) {
    return with(question,
                std::vector<Edit>{{"cluster.name", "dgx-h100", "-c"},
                                  {"cluster.nodes", nodes, "-n"},
                                  {"layout.micro_batch", "2", "--layout"}})
        .value();
}

TEST(OnTypedHardware, GivesALaunchFileTheBoxButNoOtherNumberOfItsRanks) {
    const Question start = launched("torchrun --nproc_per_node 8 --nnodes 4");
    const Question before =
        onTypedHardware(std::optional(start), typedOn(start, "8")).value().value();
    EXPECT_TRUE(says(before, "cluster.name"));
    EXPECT_FALSE(says(before, "cluster.nodes"));
    EXPECT_EQ(typed(before),
              typed(with(start, std::vector<Edit>{{"cluster.name", "dgx-h100", "-c"}}).value()));
}

TEST(OnTypedHardware, GivesItTheNodesWhereItDoesNotSayThem) {
    const Question start = launched("python");
    const Question before =
        onTypedHardware(std::optional(start), typedOn(start, "2")).value().value();
    EXPECT_TRUE(says(before, "cluster.nodes"));
}

}  // namespace
}  // namespace fabricast
