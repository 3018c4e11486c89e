# A loop as people write it: sizes from the environment, a mesh of copies and shards, FSDP2 and compilation.
import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from transformers import AutoModelForCausalLM

BASE = "meta-llama/Llama-3.1-8B"
seq_len = 8_192
micro_batch_size = int(os.environ.get("MICRO_BATCH", "1"))
grad_accum_steps = 8


def main():
    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (2, 8), mesh_dim_names=("dp_replicate", "dp_shard"))
    model = AutoModelForCausalLM.from_pretrained(BASE, torch_dtype=torch.float32,
                                                 attn_implementation="flash_attention_2")
    model.gradient_checkpointing_enable()
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in model.model.layers:
        block.compile()
        fully_shard(block, mesh=mesh, mp_policy=policy, reshard_after_forward=True)
    fully_shard(model, mesh=mesh, mp_policy=policy, reshard_after_forward=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95), fused=True)
    for step, batch in enumerate(loader(micro_batch_size, seq_len)):
        last = (step + 1) % grad_accum_steps == 0
        model.set_requires_gradient_sync(last)
        model(input_ids=batch, labels=batch).loss.backward()
        if last:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)


if __name__ == "__main__":
    main()
