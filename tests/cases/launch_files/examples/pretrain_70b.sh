#!/bin/bash
# Pretraining of a 70B decoder with Megatron-LM, as its examples are written.
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
NUM_NODES=${NUM_NODES:-16}
TP=8
PP=4

DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
    --master_addr $MASTER_ADDR
)
MODEL_ARGS=(
    --num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672
    --num-attention-heads 64 --group-query-attention --num-query-groups 8 --kv-channels 128
    --seq-length 8192 --max-position-embeddings 8192
    --swiglu --normalization RMSNorm --disable-bias-linear
    --untie-embeddings-and-output-weights --position-embedding-type rope
    --attention-dropout 0 --hidden-dropout 0 --vocab-size 128256
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 512
    --bf16 --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather
    --lr 1.5e-4 --train-iters 500000 # as many as it takes
)
PARALLEL_ARGS="--tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP --sequence-parallel"

torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py \
    ${MODEL_ARGS[@]} ${TRAINING_ARGS[@]} $PARALLEL_ARGS \
    --num-layers-per-virtual-pipeline-stage 5
