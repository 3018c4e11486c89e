#!/usr/bin/env python3
"""Writes what `fabricast emit` writes for each row of a table, from the flags of `fabricast explain`.

    FABRICAST=… write_scripts.py ROWS.csv FOLDER

Adapters and AdamW in 8 bits, which train.py of DDP and FSDP2 does not have, are put in here. The model's config.json lies
beside it, so that nothing is downloaded.
"""
import csv
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FABRICAST = os.environ.get("FABRICAST", str(ROOT / "build/release/cli/fabricast"))
MODULES = {"kv_a": "kv_a_proj_with_mqa"}


def take(flags, name):
    """Removes a flag with its value, and returns that."""
    if name not in flags:
        return None
    at = flags.index(name)
    value = flags[at + 1]
    del flags[at:at + 2]
    return value


def take_setting(flags, key, usual):
    for at, word in enumerate(flags):
        if word.startswith(key + "="):
            del flags[at - 1:at + 1]
            return word.split("=")[1]
    return usual


def take_adapters(flags):
    """The arguments of adapters.adapted and, for a base of few bits, of adapters.quantize; nothing for whole weights."""
    tuning = take(flags, "--tuning")
    if tuning is None:
        return None, None
    rank = int(take(flags, "--lora-rank") or 16)
    targets = take_setting(flags, "settings.lora.targets", "")
    words = {"rank": rank, "alpha": 2 * rank, "dora": take_setting(flags, "settings.lora.dora", "false") == "true",
             "dropout": float(take_setting(flags, "settings.lora.dropout", "0"))}
    if targets:
        words["targets"] = [MODULES.get(one, one + "_proj") for one in targets.split("+")]
    nested = take_setting(flags, "settings.lora.double_quantization", "false") == "true"
    return words, {"nested": nested} if tuning == "qlora" else None


def call(name, words):
    return f"adapters.{name}(model, {', '.join(f'{key}={value!r}' for key, value in words.items())})"


def adapted(script, words, quantized):
    """The script with adapters on a frozen base in bf16, or in 4 bits."""
    line = "    model.config.use_cache = False\n"
    added = f"    {call('quantize', quantized)}\n" if quantized else ""
    script = script.replace(line, line + added + f"    model = {call('adapted', words)}\n")
    script = script.replace("import os\n", "import os\n\nimport adapters\n", 1)
    script = script.replace("dtype=torch.float32", "dtype=torch.bfloat16", 1)
    return script.replace("AdamW(model.parameters()", "AdamW([p for p in model.parameters() if p.requires_grad]")


def in_eight_bits(script):
    script = script.replace("import os\n", "import os\n\nimport bitsandbytes\n", 1)
    script = script.replace("torch.optim.AdamW(", "bitsandbytes.optim.AdamW8bit(")
    return script.replace(", foreach=True)", ")")


def write_loop(flags, emit, script):
    """train.py of DDP or FSDP2, with random weights."""
    words, quantized = take_adapters(flags)
    few_bits = "adamw_8bit" in flags
    if few_bits:
        take(flags, "--optimizer")
    emit(flags)
    text = script.read_text()
    text = adapted(text, words, quantized) if words else text
    script.write_text(in_eight_bits(text) if few_bits else text)


def write(row, folder):
    flags = row["flags"].split()
    model = flags[flags.index("-m") + 1]
    stack = flags[flags.index("--stack") + 1]

    def emit(words):
        command = [FABRICAST, "emit", *words, "--gpu", row["gpu"], "--gpus", "1", "--out", str(folder)]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)  # what does not fit ends with 1, and is written

    if stack in ("ddp", "fsdp2"):
        write_loop(flags, emit, folder / "train.py")
    else:
        emit([*flags, "--load-from", "."])
    config = json.loads((ROOT / f"hardware_profiles/models/{model}.json").read_text())["config"]
    (folder / "config.json").write_text(json.dumps(config))


def main():
    folder = pathlib.Path(sys.argv[2])
    with open(sys.argv[1], newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        write(row, folder / row["id"])
    (folder / "order.txt").write_text("\n".join(row["id"] for row in rows))


if __name__ == "__main__":
    main()
