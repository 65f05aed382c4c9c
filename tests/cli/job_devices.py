"""Whether a report's shares of devices are those of the files' kernels and copies.

    job_devices.py REPORT.json rank0.json ...

Of each file the stretches in which a stream computes or copies, and in which all that run are kernels of NCCL, are
added up; a file's own clock is good enough for that. 0.1 % of the time may differ.
"""
import json
import sys

report = json.load(open(sys.argv[1]))
length = report["run"]["length"]
busy = alone = 0.0
for name in sys.argv[2:]:
    steps = []
    for event in json.load(open(name))["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            nccl = event["name"].lower().startswith("nccl")
            steps += [(event["ts"], 1, nccl), (event["ts"] + event["dur"], -1, nccl)]
    running = {False: 0, True: 0}
    before = 0.0
    for time, step, nccl in sorted(steps):
        busy += (time - before) / 1e6 if running[False] else 0
        alone += (time - before) / 1e6 if running[True] and not running[False] else 0
        running[nccl] += step
        before = time
whole = length * len(sys.argv[2:])
print(f"busy {busy / whole:.4f}, communicate alone {alone / whole:.4f}")
time = report["time"]
print(time["devices_busy"], time["devices_communicating"], time["devices_idle"])
assert busy > 0 and alone > 0, "nothing to compare"
assert abs(time["devices_busy"] - busy / whole) < 1e-3
assert abs(time["devices_communicating"] - alone / whole) < 1e-3
assert abs(time["devices_idle"] - (1 - (busy + alone) / whole)) < 1e-3
