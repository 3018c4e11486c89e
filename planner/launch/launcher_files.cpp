#include "planner/launch/launch_file_writers.h"

#include <span>

namespace fabricast {
namespace {

std::string number(std::int64_t value) {
    return std::to_string(value);
}

/// torchrun's words for this cluster. One node finds itself; of several the first is told.
std::string torchrunWords(const ClusterSpec& cluster) {
    const std::string each = "--nproc-per-node " + number(cluster.node.gpus);
    if (cluster.nodes == 1) {
        return "--standalone " + each;
    }
    return "--nnodes " + number(cluster.nodes) + " " + each +
           " \\\n    --node-rank \"$NODE_RANK\" --master-addr \"$MASTER_ADDR\" "
           "--master-port \"$MASTER_PORT\"";
}

/// The words, on lines that are not too long.
std::string joined(std::span<const std::string> words) {
    constexpr std::size_t kLongest = 96;
    std::string text;
    std::size_t line = 0;
    for (const std::string& word : words) {
        const bool ends = line + word.size() > kLongest && word.starts_with("--");
        text += text.empty() ? "" : ends ? " \\\n    " : " ";
        text += word;
        line = ends ? word.size() : line + word.size() + 1;
    }
    return text;
}

std::string startLine(const LaunchFacts& facts, const LaunchFiles& files) {
    const ClusterSpec& cluster = facts.scenario.cluster;
    if (files.command.front() == "accelerate") {
        const std::string words = joined(std::span(files.command).subspan(1));
        const std::string behind = words.empty() ? "" : " \\\n    " + words;
        const std::string nodes = cluster.nodes == 1
                                      ? ""
                                      : " --machine_rank \"$NODE_RANK\" \\\n    --main_process_ip "
                                        "\"$MASTER_ADDR\" --main_process_port \"$MASTER_PORT\"";
        return "exec accelerate launch --config_file accelerate.yaml" + nodes +
               " \"${TRAIN:-train.py}\"" + behind + "\n";
    }
    if (files.command.front() == "axolotl") {
        return "exec axolotl train axolotl.yaml --launcher torchrun -- " + torchrunWords(cluster) +
               "\n";
    }
    return "exec torchrun " + torchrunWords(cluster) + " \\\n    " + joined(files.command) + "\n";
}

std::string runScript(const LaunchFacts& facts, const LaunchFiles& files) {
    std::vector<std::string> head = facts.about;
    for (const std::string& one : files.untold) {
        head.push_back("Not in these files: " + one);
    }
    std::string text =
        "#!/bin/bash\n" + commentOf(head) + "set -euo pipefail\n" + "cd \"$(dirname \"$0\")\"\n";
    if (facts.scenario.cluster.nodes > 1) {
        text +=
            ": \"${MASTER_ADDR:?the address of the first node}\" "
            "\"${NODE_RANK:?0 on the first node}\"\n: \"${MASTER_PORT:=29500}\"\n";
    }
    for (const std::string& one : files.environment) {
        text += "export " + one + "\n";
    }
    if (facts.scenario.settings.engine == Engine::DeepSpeed && facts.saved &&
        facts.saved->inBackground) {
        // DeepSpeed's writer counts nodes by these, which its own launcher alone sets.
        text += "export CROSS_SIZE=" + number(facts.scenario.cluster.nodes) +
                "\nexport CROSS_RANK=\"${NODE_RANK:-0}\"\n";
    }
    text += files.script.empty() ? "" : "\n" + files.script + "\n";
    return text + startLine(facts, files);
}

std::string slurmScript(const LaunchFacts& facts) {
    const ClusterSpec& cluster = facts.scenario.cluster;
    return "#!/bin/bash\n" + commentOf(facts.about) +
           "#SBATCH --job-name=fabricast\n#SBATCH --nodes=" + number(cluster.nodes) +
           "\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=" + number(cluster.node.gpus) +
           "\n#SBATCH --exclusive\n#SBATCH --mem=0\n#SBATCH --output=%x-%j.log\nset -euo pipefail\n"
           "export MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n"
           "export MASTER_PORT=29500\n"
           "srun --kill-on-bad-exit=1 bash -c 'NODE_RANK=$SLURM_NODEID exec bash "
           "\"$SLURM_SUBMIT_DIR/run.sh\"'\n";
}

std::string podLines(const ClusterSpec& cluster) {
    return "      restartPolicy: OnFailure\n"
           "      template:\n        spec:\n          containers:\n"
           "            - name: pytorch\n"
           "              image: YOUR_IMAGE  # with the framework, and these files in /launch\n"
           "              command: [\"bash\", \"-c\", \"NODE_RANK=$RANK exec bash "
           "/launch/run.sh\"]\n"
           "              resources:\n                limits:\n                  nvidia.com/gpu: " +
           number(cluster.node.gpus) +
           "\n              volumeMounts:\n                - {name: shm, mountPath: /dev/shm}\n"
           "          volumes:\n            - {name: shm, emptyDir: {medium: Memory}}\n";
}

std::string kubernetesJob(const LaunchFacts& facts) {
    const ClusterSpec& cluster = facts.scenario.cluster;
    std::string text = commentOf(facts.about) + commentOf(untoldToPods(facts)) +
                       "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n"
                       "  name: fabricast\nspec:\n  nprocPerNode: \"" +
                       number(cluster.node.gpus) +
                       "\"\n  pytorchReplicaSpecs:\n    Master:\n"
                       "      replicas: 1\n" +
                       podLines(cluster);
    if (cluster.nodes > 1) {
        text +=
            "    Worker:\n      replicas: " + number(cluster.nodes - 1) + "\n" + podLines(cluster);
    }
    return text;
}

}  // namespace

std::vector<std::string> untoldToPods(const LaunchFacts& facts) {
    std::vector<std::string> untold;
    if (facts.launcher != Launcher::Kubernetes) {
        return untold;
    }
    if (facts.scenario.cluster.nodes > 1) {
        untold.emplace_back(
            "job.yaml: the cluster's RDMA resource (as rdma/ib: 1 under limits) and the capability "
            "IPC_LOCK: without them NCCL takes the pods' network, and not the one that is "
            "forecast");
    }
    if (facts.saved) {
        untold.emplace_back(
            "job.yaml: a volume under /launch for checkpoints, which all pods see: without one "
            "they end with the pod");
    }
    return untold;
}

std::vector<LaunchFile> launcherFiles(const LaunchFacts& facts, const LaunchFiles& files) {
    std::vector<LaunchFile> all{{"run.sh", runScript(facts, files)}};
    if (facts.launcher == Launcher::Slurm) {
        all.push_back({"job.sbatch", slurmScript(facts)});
    } else if (facts.launcher == Launcher::Kubernetes) {
        all.push_back({"job.yaml", kubernetesJob(facts)});
    }
    return all;
}

}  // namespace fabricast
