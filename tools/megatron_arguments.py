"""Used by launch_parsers.py: arguments of pretrain_gpt.py against the recorded table of each release, then as the fields of
Megatron-Core's own dataclasses, its process groups and its split of the layers. Its validate_args is in no package."""
import ast
import contextlib
import csv
import dataclasses
import re
import sys
import types
from pathlib import Path

from launch_parsers import Rejected, need, read_start

TABLE = Path(__file__).resolve().parent.parent / "hardware_profiles/launch/megatron_arguments.csv"
DEFAULT_RELEASE = 19

# Arguments whose field has another name; the others are called as their argument.
FIELDS = {"num_experts": "num_moe_experts", "fp8_format": "fp8", "fp4_format": "fp4", "ddp_bucket_size": "bucket_size",
          "decoder_first_pipeline_num_layers": "num_layers_in_first_pipeline_stage",
          "decoder_last_pipeline_num_layers": "num_layers_in_last_pipeline_stage",
          "num_virtual_stages_per_pipeline_rank": "virtual_pipeline_model_parallel_size",
          "ddp_pad_buckets_for_high_nccl_busbw": "pad_buckets_for_high_nccl_busbw"}


def release_of(arguments):
    found = re.search(r"--framework-version v?0\.(\d+)", arguments)
    return int(found.group(1)) if found else DEFAULT_RELEASE


def recorded(release):
    with open(TABLE, encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {row["argument"]: row for row in rows if int(row["first"]) <= release <= int(row["last"])}


def is_taken(value, takes):
    """A word out of some, or a number as Python reads one."""
    if takes not in ("whole", "number"):
        return value in takes.split("|")
    try:
        return (int if takes == "whole" else float)(value) is not None
    except ValueError:
        return False


def check_values(flag, values, row):
    count = row["values"]
    fits = len(values) == int(count) if count.isdigit() else values or count == "*"
    need(fits, f"{flag} takes {count} values, not {len(values)}")
    for value in values if row["takes"] else []:
        need(is_taken(value, row["takes"]), f"{flag} {value}: {row['takes']}")


def grouped(words, table, release):
    """{"--flag": [values]}, each flag once and known to the release."""
    found = {}
    flag = None
    for word in words:
        if word.startswith("--"):
            need(word in table, f"0.{release} has no {word}")
            need(word not in found, f"{word} is there twice")
            flag = word
            found[flag] = []
        else:
            need(flag, f"{word} before any argument")
            found[flag].append(word)
    for flag, values in found.items():
        check_values(flag, values, table[flag])
    return found


def literal(text):
    with contextlib.suppress(ValueError, SyntaxError):
        return ast.literal_eval(text)
    return text


def named_values(found):
    """Arguments by the name of their field: --no-x is x=False."""
    values = {}
    for flag, given in found.items():
        name = flag.removeprefix("--").replace("-", "_")
        value = True if not given else literal(given[0]) if len(given) == 1 else [literal(one) for one in given]
        if name.startswith("no_"):
            name, value = name.removeprefix("no_"), False
        values[FIELDS.get(name, name)] = value
    return values


def as_megatron_does(values):
    """What its core_transformer_config_from_args makes of some arguments."""
    import torch
    from megatron.core.transformer.enums import AttnBackend
    dtypes = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.uint8}
    dtype = torch.bfloat16 if values.get("bf16") else torch.float16 if values.get("fp16") else torch.float32
    values |= {"params_dtype": dtype, "pipeline_dtype": dtype, "add_bias_linear": not values.get("disable_bias_linear"),
               "gradient_accumulation_fusion": False}  # its kernel is not built without a GPU
    if values.get("swiglu"):
        values |= {"gated_linear_unit": True, "activation_func": torch.nn.functional.silu}
    if values.get("quick_geglu"):
        from megatron.core.fusions.fused_bias_geglu import quick_gelu
        values |= {"gated_linear_unit": True, "activation_func": quick_gelu}
    for name in ("main_grads_dtype", "exp_avg_dtype", "exp_avg_sq_dtype"):
        if name in values:
            values[name] = dtypes[values[name]]
    for name in ("recompute_modules", "hierarchical_context_parallel_sizes"):
        if name in values and not isinstance(values[name], list):
            values[name] = [values[name]]
    for name in ("moe_layer_freq", "window_attn_skip_freq"):
        if name in values:
            values[name] = eval(str(values[name]), {"__builtins__": {}})  # "([0]*3+[1]*58)"
    if "attention_backend" in values:
        values["attention_backend"] = AttnBackend[values["attention_backend"]]
    values.setdefault("expert_tensor_parallel_size", values["tensor_model_parallel_size"])
    values["grad_reduce_in_fp32"] = values.get("bf16") and not values.get("grad_reduce_in_bf16")
    return values


class FusedAdam:
    """In place of Transformer Engine's, whose arguments the optimizer looks at."""

    def __init__(self, master_weight_dtype, exp_avg_dtype, exp_avg_sq_dtype, use_decoupled_grad, store_param_remainders):
        pass


def stand_in_for_transformer_engine():
    import megatron.core.utils
    from packaging.version import Version
    megatron.core.utils._te_version = Version("2.12.0")
    for name in ("transformer_engine", "transformer_engine.pytorch", "transformer_engine.pytorch.optimizers"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["transformer_engine.pytorch.optimizers"].FusedAdam = FusedAdam


def build(kind, values):
    names = {field.name for field in dataclasses.fields(kind)}
    return kind(**{name: value for name, value in values.items() if name in names})


def check_layers(config, values):
    """Each stage has some layers, and all of them have the model's."""
    from megatron.core import parallel_state
    from megatron.core.transformer.transformer_block import get_num_layers_to_build
    chunks = config.virtual_pipeline_model_parallel_size or 1
    layers = 0
    for stage in range(config.pipeline_model_parallel_size):
        parallel_state.set_pipeline_model_parallel_rank(stage)
        for chunk in range(chunks):
            layers += get_num_layers_to_build(config, chunk if chunks > 1 else None, stage)
    need(layers == values["num_layers"], f"the stages have {layers} layers, not {values['num_layers']}")


def check_groups(config, values, gpus):
    import torch.distributed as dist
    from megatron.core import parallel_state
    from torch.testing._internal.distributed.fake_pg import FakeStore
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=gpus)
    parallel_state.initialize_model_parallel(
        config.tensor_model_parallel_size, config.pipeline_model_parallel_size,
        config.virtual_pipeline_model_parallel_size, context_parallel_size=config.context_parallel_size,
        hierarchical_context_parallel_sizes=values.get("hierarchical_context_parallel_sizes"),
        expert_model_parallel_size=config.expert_model_parallel_size,
        expert_tensor_parallel_size=config.expert_tensor_parallel_size,
        num_distributed_optimizer_instances=values.get("num_distributed_optimizer_instances", 1),
        order="tp-cp-ep-pp-dp" if values.get("use_tp_pp_dp_mapping") else "tp-cp-ep-dp-pp",
        create_gloo_process_groups=False)
    check_layers(config, values)


def check_batch(config, values, gpus):
    from megatron.core import num_microbatches_calculator as calculator
    ranks = gpus // (config.tensor_model_parallel_size * config.pipeline_model_parallel_size *
                     config.context_parallel_size)
    calculator.init_num_microbatches_calculator(0, None, values["global_batch_size"], values["micro_batch_size"], ranks)
    micro_batches = calculator.get_num_microbatches()
    if config.virtual_pipeline_model_parallel_size:
        group = values.get("microbatch_group_size_per_virtual_pipeline_stage", config.pipeline_model_parallel_size)
        rest = micro_batches % group
        need(rest == 0 or rest >= config.pipeline_model_parallel_size or micro_batches == group,
             f"{micro_batches} microbatches in groups of {group}")


def read_megatron(plan):
    script, *words = read_start(plan)
    if not script.endswith("/pretrain_gpt.py"):
        raise Rejected(f"run.sh starts {script}")
    release = release_of(plan.arguments)
    values = named_values(grouped(words, recorded(release), release))
    need(values.get("attention_backend") != "local" or values.get("spec") == "local",  # validate_args says so
         "--attention-backend local is only supported with --spec local")
    values = as_megatron_does(values)
    stand_in_for_transformer_engine()
    from megatron.core.distributed import DistributedDataParallelConfig
    from megatron.core.optimizer import OptimizerConfig
    from megatron.core.transformer.transformer_config import MLATransformerConfig, TransformerConfig
    config = build(MLATransformerConfig if values.get("multi_latent_attention") else TransformerConfig, values)
    build(OptimizerConfig, values)
    build(DistributedDataParallelConfig, values)
    check_groups(config, values, plan.gpus)
    check_batch(config, values, plan.gpus)
