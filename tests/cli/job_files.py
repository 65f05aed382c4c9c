"""Writes the files that profilers write of a training job, one a rank, of which everything is known.

    job_files.py FOLDER [--ranks N] [--steps N] [--writer WRITER] [--no-base] [--skip RANK]
                 [--slow KIND] [--begins-late STEPS] [--name NAME]

WRITER is kineto (PyTorch with GPUs: NCCL's kernels), gloo (PyTorch without), or perfetto (threads that
begin and end, messages as flows). Ranks have clocks with offsets and drifts (OFFSET, DRIFT); rank LATE
comes late to every tenth all_reduce. With --slow the ranks of kineto's files load data before they
launch, and rank SLOW is late by SLOWNESS in every step: for its kernel (kernel), for loading (load), for
nothing that the file has (unknown), or not at all (none). truth.json has, by rank, the true begin and end of each of them in ns.
"""
import argparse
import json
import os
import random

STEP = 5_000_000  # ns of a step, of which the all_reduce comes at the end
TRANSFER = 200_000
LATE, LATENESS = 2, 1_500_000
SLOW, SLOWNESS = 3, 2_000_000
LOAD = 500_000 # of each rank
BASE = 1_700_000_000_000_000_000


def offset(rank):
    return [0, 3_700_000, -12_345_678, 250_000, 8_000_001, -999_999][rank % 6] * (1 + rank // 6)


def drift(rank):
    return [0, 8e-6, -15e-6, 3e-6, 20e-6, -1e-6][rank % 6]


def local(rank, t):
    return round(t + offset(rank) + drift(rank) * t)


def steps_of(ranks, steps, slow):
    """Of each step the begin and end of each rank's all_reduce in true ns."""
    chance = random.Random(20)
    t = [1_000_000 + chance.randrange(50_000) for _ in range(ranks)]
    for step in range(steps):
        begins = [t[r] + STEP - TRANSFER - chance.randrange(400_000) for r in range(ranks)]
        if slow in ("kernel", "load", "unknown"):
            begins[SLOW] += SLOWNESS
        elif not slow and step % 10 == 9 and LATE < ranks:
            begins[LATE] += LATENESS
        done = max(begins) + TRANSFER
        ends = [done + chance.randrange(2_000) for _ in range(ranks)]
        yield t, begins, ends
        t = [e + 20_000 + chance.randrange(30_000) for e in ends]


def event(phase, name, cat, pid, tid, begin, end=None, args=None, **more):
    e = {"ph": phase, "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": begin / 1000}
    if end is not None:
        e["dur"] = (end - begin) / 1000
    e["args"] = args or {}
    e.update(more)
    return e


def kineto(rank, ranks, calls, slow, base):
    """The host's thread launches, the device works; the host waits for it at the end of a step."""
    pid, gpu, id_ = 4000 + rank, rank, 10
    out = []
    for step, (begin, call, end) in enumerate(calls):
        def at(t):
            return local(rank, t) - base

        id_ += 10
        here = begin  # launches begin
        if slow:
            late = slow if rank == SLOW else ""
            here += LOAD + (SLOWNESS if late in ("load", "unknown") else 0)
            out.append(event("X", "data.py(7): load", "python_function", pid, pid, at(begin + 2_000),
                             at(begin + LOAD if late == "unknown" else here)))
        wait = here + 300_000
        if slow != "unknown":
            out.append(event("X", f"ProfilerStep#{step}", "user_annotation", pid, pid, at(begin), at(end + 15_000)))
            out.append(event("X", "train.py(42): step", "python_function", pid, pid, at(begin + 1_000),
                             at(end + 12_000)))
        for n, (name, cat, device_begin, device_end, more) in enumerate([
                ("Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", here + 40_000, here + 60_000, {"bytes": 1 << 20}),
                ("gemm_kernel", "kernel", here + 70_000, call - 5_000, {}),
                ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "kernel", call, end,
                 {"Collective name": "allreduce", "In msg nelems": 1 << 18, "dtype": "Float", "Group size": ranks,
                  "Process Group Name": "0", "Process Group Description": "default_pg",
                  "Process Group Ranks": str(list(range(ranks)))})]):
            launch = here + 10_000 + n * 15_000
            runtime = "cudaMemcpyAsync" if cat == "gpu_memcpy" else "cudaLaunchKernel"
            stream = 20 if "nccl" in name else 7
            out.append(event("X", runtime, "cuda_runtime", pid, pid, at(launch), at(launch + 8_000),
                             {"correlation": id_ + n}))
            out.append(event("s", "ac2g", "ac2g", pid, pid, at(launch), id=id_ + n))
            out.append(event("X", name, cat, gpu, stream, at(device_begin), at(device_end),
                             {"device": gpu, "stream": stream, "correlation": id_ + n, **more}))
            out.append(event("f", "ac2g", "ac2g", gpu, stream, at(device_begin), id=id_ + n, bp="e"))
        out.append(event("X", "cudaDeviceSynchronize", "cuda_runtime", pid, pid, at(wait), at(end + 5_000)))
    names = [(pid, "python", "CPU"), (gpu, "python", f"GPU {gpu}")]
    out += [{"ph": "M", "name": "process_name", "pid": p, "tid": 0, "args": {"name": n}} for p, n, _ in names]
    out += [{"ph": "M", "name": "process_labels", "pid": p, "tid": 0, "args": {"labels": l}} for p, _, l in names]
    out.append({"ph": "M", "name": "thread_name", "pid": gpu, "tid": 7, "args": {"name": "stream 7 "}})
    out.append(event("X", "PyTorch Profiler (0)", "Trace", "Spans", "PyTorch Profiler", out[0]["ts"] * 1000,
                     out[0]["ts"] * 1000 + 9_000_000))
    return out


def gloo(rank, ranks, calls, slow, base):
    pid = 4000 + rank
    out = []
    for begin, call, end in calls:
        out.append(event("X", "aten::mm", "cpu_op", pid, pid, local(rank, begin) - base, local(rank, call) - base))
        out.append(event("X", "gloo:all_reduce", "user_annotation", pid, pid, local(rank, call) - base,
                         local(rank, end) - base))
    return out


def perfetto(rank, ranks, calls, slow, base):
    """A ring: each sends to the next rank when its call begins, which receives when its own ends."""
    out = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": f"rank {rank}"}}]
    for step, (begin, call, end) in enumerate(calls):
        times = [local(rank, t) - base for t in (begin, call, end)]
        out.append(event("B", "work", "app", 1, 1, times[0]))
        out.append(event("E", "work", "app", 1, 1, times[1]))
        out.append(event("B", "exchange", "app", 1, 1, times[1]))
        out.append(event("s", "ring", "net", 1, 1, times[1] + 1_000, id=step * 1000 + rank))
        out.append(event("f", "ring", "net", 1, 1, times[2] - 1_000, id=step * 1000 + (rank - 1) % ranks, bp="e"))
        out.append(event("E", "exchange", "app", 1, 1, times[2]))
        out.append(event("C", "loss", "", 1, 1, times[2], args={"value": 1 / (step + 1)}))
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    p.add_argument("--ranks", type=int, default=4)
    p.add_argument("--steps", type=int, default=40)
    p.add_argument("--writer", default="kineto")
    p.add_argument("--no-base", action="store_true")
    p.add_argument("--skip", type=int, default=-1)
    p.add_argument("--begins-late", type=int, default=0, help="rank 1 lacks so many steps")
    p.add_argument("--slow", default="", help="kernel, load, unknown or none")
    p.add_argument("--name", default="rank{}.json")
    o = p.parse_args()
    writer = {"kineto": kineto, "gloo": gloo, "perfetto": perfetto}[o.writer]
    steps = list(steps_of(o.ranks, o.steps, o.slow))
    os.makedirs(o.folder, exist_ok=True)
    for rank in range(o.ranks):
        if rank == o.skip:
            continue
        calls = [(t[rank], begins[rank], ends[rank]) for t, begins, ends in steps]
        calls = calls[o.begins_late if rank == 1 else 0:]
        # Each file has a zero of its own, which it says or not.
        base = 0 if o.writer == "perfetto" else rank * 60_000_000_000
        file = {"schemaVersion": 1, "traceEvents": writer(rank, o.ranks, calls, o.slow, base)}
        if o.writer != "perfetto":
            file = {"distributedInfo": {"backend": "nccl", "rank": rank, "world_size": o.ranks}, **file}
            if not o.no_base:
                file["baseTimeNanoseconds"] = BASE + base
        with open(os.path.join(o.folder, o.name.format(rank)), "w") as f:
            json.dump(file, f)
    truth = [{"begin": [b[r] for _, b, _ in steps], "end": [e[r] for _, _, e in steps]} for r in range(o.ranks)]
    with open(os.path.join(o.folder, "truth.json"), "w") as f:
        json.dump(truth, f)


main()
