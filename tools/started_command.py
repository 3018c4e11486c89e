"""Used by check-launch-configs and check_emitted.py: what a written run.sh or job.sbatch starts, word by word. Nothing is
trained: the programs that it calls are played."""
import os
import subprocess

# So that frameworks look for no GPU and for nothing on the network.
QUIET = {"DS_ACCELERATOR": "cpu", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "CUDA_HOME": "",
         "AXOLOTL_DO_NOT_TRACK": "1", "TRANSFORMERS_VERBOSITY": "error", "PYTHONDONTWRITEBYTECODE": "1"}

# What a user sets before run.sh is started.
YOURS = {"MEGATRON": "/opt/Megatron-LM", "PRETRAINED": "/opt/checkpoint"}

PLAYED = ("torchrun", "accelerate", "axolotl", "srun", "scontrol")


def play(folder):
    """Programs that write down what they are started with; srun and exec go on to what they start."""
    folder.mkdir()
    for name in PLAYED:
        last = 'shift; exec "$@"' if name == "srun" else 'printf "%s\\0" "${0##*/}" "$@" >"$STARTED"'
        (folder / name).write_text("#!/bin/bash\n" + ("echo node1\n" if name == "scontrol" else last + "\n"))
        (folder / name).chmod(0o755)


def started_by(script, folder, scratch):
    """What a script of the folder starts on the first node; or why it does not. The programs lie in scratch/played."""
    started = scratch / "started"
    started.unlink(missing_ok=True)
    environment = {**os.environ, "PATH": f"{scratch / 'played'}:{os.environ['PATH']}", "STARTED": str(started)}
    if script == "run.sh":
        environment |= {"MASTER_ADDR": "localhost", "NODE_RANK": "0"}
    environment |= YOURS
    environment |= {"SLURM_JOB_NODELIST": "node1", "SLURM_NODEID": "0", "SLURM_SUBMIT_DIR": str(folder)}
    done = subprocess.run(["bash", script], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode or not started.exists():
        return [], f"{script}: {done.stderr.strip() or 'starts nothing'}"
    return started.read_text().split("\0")[:-1], ""
