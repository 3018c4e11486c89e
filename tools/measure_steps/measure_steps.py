#!/usr/bin/env python3
"""Runs training scripts, one process each, and records what their steps took on this GPU.

    measure_steps.py ROWS OUT.jsonl [--within SECONDS]

ROWS holds a folder per script: train.py as `fabricast emit` writes it, and the model's config.json. Nothing of the
script changes but where its config is read and where its random weights are made (on the GPU, for time). Of plans that
are trained by a program of one's own there is run.sh, with trainer.py as that program. A hook after each optimizer
step waits for the GPU and reads the clock and PyTorch's counters; the peaks are those after the second step. Every row is one line of JSON: seconds of each step, bytes, clock and power meanwhile, and the kernels of one more
step by torch's profiler.
"""
import json
import os
import pathlib
import runpy
import signal
import statistics
import subprocess
import sys
import threading
import time
import traceback

import torch
import torch.distributed.fsdp
from torch.optim.optimizer import register_optimizer_step_post_hook
import transformers

try:
    import peft
except ImportError:
    peft = None
try:
    import pynvml
except ImportError:
    pynvml = None

HERE = pathlib.Path(__file__).resolve().parent
WARM_STEPS = 2
LEAST_STEPS = 5
STEADY_SECONDS = 2.0
ROW_SECONDS = 90
SHOWN = ("row", "median_step_s", "steady", "device_used", "clock_mhz", "power_w", "error", "out_of_memory")


class Finished(Exception):
    pass


class Monitor(threading.Thread):
    """Clock and power, ten times a second."""

    def __init__(self):
        super().__init__(daemon=True)
        pynvml.nvmlInit()
        self.gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
        self.samples = []

    def run(self):
        while True:
            clock = pynvml.nvmlDeviceGetClockInfo(self.gpu, pynvml.NVML_CLOCK_SM)
            power = pynvml.nvmlDeviceGetPowerUsage(self.gpu) / 1000
            self.samples.append((time.perf_counter(), clock, power))
            time.sleep(0.1)

    def since(self, begin):
        kept = [s for s in self.samples if s[0] >= begin]
        if not kept:
            return {}
        return {"clock_mhz": statistics.median(s[1] for s in kept), "power_w": statistics.median(s[2] for s in kept)}

    def used(self):
        return pynvml.nvmlDeviceGetMemoryInfo(self.gpu).used


class Recorder:
    def __init__(self, monitor, base_used, keep):
        self.monitor = monitor
        self.base_used = base_used
        self.keep = keep
        self.ends = []
        self.out = {}
        self.profiler = None

    def hook(self, optimizer, args, kwargs):
        torch.cuda.synchronize()
        if self.profiler is not None:
            self.finish_profile()
        now = time.perf_counter()
        self.ends.append(now)
        steps = len(self.ends)
        if steps == 1:
            self.out["first_step"] = self.peaks()
        if steps == WARM_STEPS:
            torch.cuda.reset_peak_memory_stats()
            self.begin = time.perf_counter()
        enough = steps >= WARM_STEPS + LEAST_STEPS and now - self.begin >= STEADY_SECONDS
        if enough:
            seconds = [b - a for a, b in zip(self.ends[WARM_STEPS - 1:], self.ends[WARM_STEPS:])]
            self.out["step_s"] = seconds
            self.out["median_step_s"] = statistics.median(seconds)
            self.out["steady"] = self.peaks()
            self.out["retries"] = torch.cuda.memory_stats()["num_alloc_retries"]
            self.out["device_used"] = self.monitor.used() - self.base_used
            self.out.update(self.monitor.since(self.begin))
            self.keep(self.out)
            self.start_profile()

    def peaks(self):
        return {"allocated": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved()}

    def start_profile(self):
        activities = [torch.profiler.ProfilerActivity.CUDA]
        self.profiler = torch.profiler.profile(activities=activities)
        self.profiler.__enter__()

    def finish_profile(self):
        self.profiler.__exit__(None, None, None)
        kernels = {}
        for event in self.profiler.events():
            if event.device_type == torch.autograd.DeviceType.CUDA:
                total = kernels.setdefault(event.name, [0, 0.0])
                total[0] += 1
                total[1] += event.device_time if hasattr(event, "device_time") else event.cuda_time
        top = sorted(kernels.items(), key=lambda kv: -kv[1][1])
        self.out["kernels"] = [{"name": k[:140], "calls": v[0], "us": round(v[1], 1)} for k, v in top[:40]]
        self.out["kernel_us"] = round(sum(v[1] for v in kernels.values()), 1)
        self.out["kernel_calls"] = sum(v[0] for v in kernels.values())
        raise Finished


def run_row(folder, result):
    """In a process of its own."""
    out = {"row": folder.name}
    monitor = Monitor()
    base = monitor.used()
    monitor.start()
    recorder = Recorder(monitor, base, lambda so_far: result.write_text(json.dumps({**out, **so_far})))
    os.environ.update(RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", LOCAL_WORLD_SIZE="1", MASTER_ADDR="127.0.0.1",
                      MASTER_PORT=str(20000 + os.getpid() % 20000), STEPS="100000")
    os.chdir(folder)
    config = transformers.AutoConfig.from_pretrained(str(folder))
    transformers.AutoConfig.from_pretrained = staticmethod(lambda *a, **k: config)
    made = transformers.AutoModelForCausalLM.from_config

    shards = "fully_shard" in (folder / "train.py").read_text()

    def on_gpu(*args, **kwargs):
        with torch.device("cuda"):
            model = made(*args, **kwargs)
        return on_host(model) if shards else model

    transformers.AutoModelForCausalLM.from_config = on_gpu
    register_optimizer_step_post_hook(recorder.hook)
    return recorded(out, recorder, lambda: runpy.run_path("train.py", run_name="__main__"))


def on_host(model):
    """Where the script makes it: the allocator keeps nothing of its making."""
    model = model.cpu()
    torch.cuda.empty_cache()
    return model


def recorded(out, recorder, train):
    """The row, of what `train` does until the recorder has seen enough of it."""
    begin = time.perf_counter()
    try:
        train()
        out["error"] = "the script ended by itself"
    except Finished:
        pass
    except torch.cuda.OutOfMemoryError as error:
        out["out_of_memory"] = str(error)
        out["at_out_of_memory"] = recorder.peaks()
        out["steps_before"] = len(recorder.ends)
    except BaseException as error:  # noqa: B902 the row says what went wrong, whatever it is
        out["error"] = "".join(traceback.format_exception(error))[-1500:]
    out.update(recorder.out)
    out["seconds"] = round(time.perf_counter() - begin, 1)
    return out


class Child:
    """A process of its own, which loads PyTorch while the row before it runs, and begins when it is told to."""

    def __init__(self, folder):
        self.folder = folder
        self.result = pathlib.Path("/tmp") / f"{folder.name}.json"
        self.go = self.result.with_suffix(".go")
        self.result.unlink(missing_ok=True)
        self.go.unlink(missing_ok=True)
        env = {**os.environ, "MEASURE_ROW": folder.name, "MEASURE_RESULT": str(self.result), "MEASURE_GO": str(self.go),
               "TRAIN": str(HERE / "trainer.py")}
        if (folder / "train.py").exists():
            command = [sys.executable, str(HERE / "measure_steps.py"), "--row"]
        else:
            command = ["bash", str(folder / "run.sh")]
        self.log = self.result.with_suffix(".log")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, start_new_session=True)

    def stop(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def run(self, limit):
        self.go.touch()
        try:
            self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.stop()
        if self.result.exists():
            return self.result.read_text()
        error = f"no result, status {self.process.returncode}: {self.log.read_text()[-1200:]}"
        return json.dumps({"row": self.folder.name, "error": error})


def be_child():
    folder, result = pathlib.Path.cwd(), pathlib.Path(os.environ["MEASURE_RESULT"])
    wait_for_go()
    result.write_text(json.dumps(run_row(folder, result)))
    os._exit(0)


def wait_for_go():
    while not os.path.exists(os.environ["MEASURE_GO"]):
        time.sleep(0.05)


def main():
    if sys.argv[1] == "--row":
        be_child()
    rows, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    within = float(sys.argv[4]) if len(sys.argv) > 4 else 1e9
    begin = time.monotonic()
    names = (rows / "order.txt").read_text().split()
    header = {"torch": torch.__version__, "transformers": transformers.__version__,
              "peft": getattr(peft, "__version__", None)}
    with out.open("w") as file:
        file.write(json.dumps(header) + "\n")
        waiting = Child(rows / names[0])
        failed = 0
        for at, name in enumerate(names):
            child = waiting
            if at + 1 < len(names):
                waiting = Child(rows / names[at + 1])
            left = within - (time.monotonic() - begin)
            if left < 15:
                child.stop()
                file.write(json.dumps({"row": name, "error": "no time was left"}) + "\n")
                continue
            line = child.run(min(ROW_SECONDS, left))
            file.write(line + "\n")
            file.flush()
            row = json.loads(line)
            failed = failed + 1 if "error" in row else 0
            if failed == 3:
                waiting.stop()
                print(row["error"], "three rows in a row failed", file=sys.stderr)
                break
            print(json.dumps({k: v for k, v in row.items() if k in SHOWN}), flush=True)


if __name__ == "__main__":
    main()
