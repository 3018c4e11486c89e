#!/bin/bash
# A recipe of torchtune: what is typed behind its config wins over it.
tune run --nnodes 2 --nproc_per_node 8 lora_finetune_distributed --config tune_lora.yaml \
    batch_size=2 model.lora_rank=32 "model.lora_attn_modules=[q_proj, v_proj]"
