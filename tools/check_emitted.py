"""Run by `fabricast emit --check` with the Python of whoever trains: check_emitted.py FOLDER PLAN, where PLAN is JSON with the
target, its version, the launcher and how many GPUs and pipeline stages the plan has. The framework's own code reads the files in
the folder, and sbatch the job, where they are installed. The answers are lines of JSON: who read, in which version, and
"reason" why it rejects them or "missing" what is not there; both empty where it accepts them."""
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from started_command import QUIET, YOURS, play, started_by

PARSERS = Path(__file__).with_name("launch_parsers.py")

# What each target's files are read by: the kind of launch_parsers.py, the file, and the distribution.
READERS = {"ddp": ("torch", "train.py", "torch"), "fsdp2": ("torch", "train.py", "torch"),
           "deepspeed": ("deepspeed", "deepspeed.json", "deepspeed"),
           "accelerate": ("accelerate", "accelerate.yaml", "accelerate"),
           "axolotl": ("axolotl", "axolotl.yaml", "axolotl"), "megatron": ("megatron", "run.sh", "megatron-core"),
           "megatron-bridge": ("megatron-bridge", "train.py", "megatron-bridge"),
           "torchtitan": ("torchtitan", "run.sh", "torchtitan")}
# As releases before 0.3 are started.
OF_TOML = ("torchtitan-toml", "train.toml", "torchtitan")


def answer(reader, version="", reason="", missing=""):
    print(json.dumps({"reader": reader, "version": version, "reason": reason, "missing": missing}), flush=True)


def version_of(distribution):
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def ask_parser(kind, plan, folder):
    """(why it is rejected, what is missing)."""
    done = subprocess.run([sys.executable, PARSERS, kind], env={**os.environ, **QUIET, **YOURS}, text=True,
                          input=json.dumps(plan) + "\n", capture_output=True, cwd=folder)
    if done.returncode or not done.stdout.strip():
        last = done.stderr.strip().splitlines()[-1:] or ["it says nothing"]
        return "", "its parser cannot be loaded: " + last[0]
    said = json.loads(done.stdout.splitlines()[-1])
    return said["reason"], said["missing"]


def ask_framework(asked, folder, command, reason):
    kind, file, distribution = READERS[asked["target"]]
    if (folder / OF_TOML[1]).exists():
        kind, file, distribution = OF_TOML
    version = version_of(distribution)
    if not version:
        answer(distribution, missing=f"{distribution} is not installed")
        return
    plan = {"name": "plan", "folder": str(folder), "file": file, "gpus": asked["gpus"], "command": command,
            "arguments": f"--framework-version {asked['version']} --layout pp={asked['stages']}"}
    missing = ""
    if not reason:
        reason, missing = ask_parser(kind, plan, folder)
    answer(distribution, version, reason, missing)


def ask_sbatch(folder):
    sbatch = shutil.which("sbatch")
    if not sbatch:
        answer("sbatch", missing="sbatch is not on PATH")
        return
    said = subprocess.run([sbatch, "--version"], capture_output=True, text=True)
    done = subprocess.run([sbatch, "--test-only", "job.sbatch"], cwd=folder, capture_output=True, text=True)
    text = " ".join(done.stderr.split())
    unreachable = "Unable to contact slurm controller" in text
    answer("sbatch", "".join(re.findall(r"\d+(?:\.\d+)+", said.stdout)[:1]) or "of this machine",
           reason="" if done.returncode == 0 or unreachable else text)


def main(folder, asked):
    with tempfile.TemporaryDirectory() as scratch:
        play(Path(scratch) / "played")
        command, reason = started_by("run.sh", folder, Path(scratch))
    if asked["target"] in READERS:
        ask_framework(asked, folder, command, reason)
    else:
        answer(asked["target"], missing="its own reader is not known here")
    if asked["launcher"] == "slurm":
        ask_sbatch(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), json.loads(sys.argv[2]))
