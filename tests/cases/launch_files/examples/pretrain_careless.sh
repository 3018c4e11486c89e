#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=8 --gpus-per-node=8
export NCCL_P2P_DISABLE=1

srun torchrun --nnodes 2 --nproc-per-node 8 pretrain_gpt.py \
    --num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64 \
    --group-query-attention --num-query-groups 8 --swiglu --normalization RMSNorm \
    --disable-bias-linear --untie-embeddings-and-output-weights --position-embedding-type rope \
    --vocab-size 128256 --seq-length 8192 --max-position-embeddings 8192 \
    --tensor-model-parallel-size 8 --micro-batch-size 4 --global-batch-size 64 \
    --bf16 --fp8-format hybrid --grad-reduce-in-bf16 --use-distributed-optmizer \
    --hidden-dropout 0 --attention-dropout 0
