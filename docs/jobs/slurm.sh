#!/bin/sh
#SBATCH --job-name=coderag-part
#SBATCH --array=1-16
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
# One part of an index per task of a Slurm array. ROOT and PARTS lie on a file system that all nodes share.
#     job=$(sbatch --parsable --export=ALL,ROOT=/data/src,PARTS=/data/parts slurm.sh)
#     sbatch --dependency=afterok:$job --wrap 'coderag merge /data/parts/* --root /data/src'
set -eu
coderag index "$ROOT" --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --out "$PARTS/$SLURM_ARRAY_TASK_ID" \
    --workers "${SLURM_CPUS_PER_TASK:-0}" --quiet
