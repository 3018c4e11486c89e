#include "gui/window/example_study.h"

#include <vector>

namespace fabricast {

Result<SavedStudy> exampleStudy() {
    const std::vector<Edit> edits = {{"model", "llama-3.1-8b", "-m"},
                                     {"cluster.name", "dgx-h100", "-c"},
                                     {"cluster.nodes", "2", "-n"},
                                     {"workload.sequence", "8192", "--seq"},
                                     {"workload.global_batch", "128", "--global-batch"},
                                     {"workload.tokens", "100B", "--tokens"}};
    FABRICAST_ASSIGN(const Question empty, readQuestion("", ""));
    FABRICAST_ASSIGN(Question question, with(empty, edits));
    return SavedStudy{std::move(question), {}};
}

}  // namespace fabricast
