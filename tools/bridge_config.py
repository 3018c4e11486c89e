"""Used by launch_parsers.py: a script that makes Megatron Bridge's ConfigContainer is run up to its pretrain, and Bridge's own
validation, Megatron-Core's split of the layers and its rule for the batch judge what it made. Packages for GPUs are played."""
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import os
import runpy
import sys
import types

from launch_parsers import need, read_start, read_torch

PLAYED = ("transformer_engine", "megatron.energon", "nvidia_resiliency_ext", "modelopt", "tensorboard", "wandb")
PLAYED_VERSION = "2.10.0"


class Meta(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything


class Anything(metaclass=Meta):
    def __init__(self, *_, **__):
        pass

    def __class_getitem__(cls, _):
        return cls

    def __call__(self, *_, **__):
        return self


class FusedAdam:
    """Takes what Megatron-Core looks for in Transformer Engine's optimizer."""

    def __init__(self, params=None, master_weight_dtype=None, exp_avg_dtype=None, exp_avg_sq_dtype=None,
                 use_decoupled_grad=False, store_param_remainders=False):
        pass


class Played(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages that exist on GPU machines only: everything in them is a class that does nothing."""

    def find_spec(self, name, path=None, target=None):
        if any(name == one or name.startswith(one + ".") for one in PLAYED):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        def missing(name):
            if name.startswith("__"):
                raise AttributeError(name)
            return FusedAdam if name == "FusedAdam" else Anything
        module = types.ModuleType(spec.name)
        module.__path__, module.__version__, module.__getattr__ = [], PLAYED_VERSION, missing
        return module

    def exec_module(self, module):
        pass


def play():
    sys.meta_path.insert(0, Played())
    real = importlib.metadata.version
    importlib.metadata.version = lambda name: PLAYED_VERSION if name.replace("-", "_") in PLAYED else real(name)
    # Its recipes import every model of pictures.
    package = types.ModuleType("megatron.bridge.recipes")
    package.__path__ = []
    sys.modules.setdefault("megatron.bridge.recipes", package)


def check_keys(config):
    """Classes take what is no field of theirs as an error already; sections could still have no class."""
    for name, value in vars(config).items():
        need(not isinstance(value, Anything), f"{name} is of a package that is not here")


def check_stages(model):
    from megatron.core.transformer.transformer_block import get_num_layers_to_build
    chunks = range(model.virtual_pipeline_model_parallel_size or 1)
    layers = sum(get_num_layers_to_build(model, chunk if len(chunks) > 1 else None, stage)
                 for stage in range(model.pipeline_model_parallel_size) for chunk in chunks)
    need(layers == model.num_layers, f"{layers} layers are built, not {model.num_layers}")


def check_batch(config):
    from megatron.core import num_microbatches_calculator as calculator
    calculator.init_num_microbatches_calculator(0, None, config.train.global_batch_size, config.train.micro_batch_size,
                                                config.data_parallel_size)


def read_bridge(plan):
    read_torch(plan)
    need(read_start(plan) == ["train.py"], "run.sh does not start train.py")
    os.environ.update(WORLD_SIZE=str(plan.gpus), RANK="0", CUDA_DEVICE_MAX_CONNECTIONS="1")
    from megatron.bridge.training.config import runtime_config_update
    config = runpy.run_path(plan.file)["config"]()
    check_keys(config)
    with contextlib.redirect_stdout(sys.stderr):
        runtime_config_update(config)
    check_stages(config.model)
    check_batch(config)
