#!/bin/sh
# Files of a job's ranks as one trace: every verb, clocks against the truth, what is damaged or missing.
. tests/cli/tap.sh
python=/usr/bin/python3
here=$PWD
make_job() { "$python" "$here/tests/cli/job_files.py" "$@"; }
check "files of PyTorch with GPUs" make_job "$tmp/gpu"
check "files without a time of their zero" make_job "$tmp/gloo" --writer gloo --no-base
check "files with flows" make_job "$tmp/flows" --writer perfetto
cd "$tmp" || exit 1

# ---- clocks ----

# within US FOLDER REGION: ends of all_reduce (or of exchanges) agree with the truth
within() {
	"$tview" query "$2"/rank*.json "calls where region =~ /$3/i" -f csv -o calls.csv &&
		"$python" "$here/tests/cli/job_truth.py" "$2/truth.json" calls.csv "$1"
}
# Transfers take 200 us, so clocks are known to +-200 us by each call; all of them together say more.
check "collectives of NCCL fit clocks to 25 us of the truth" within 25 gpu all_?reduce
check "those of gloo, too" within 25 gloo all_?reduce
check "flows between files fit clocks to 300 us" within 300 flows '^exchange$'

check "files of which one begins later" make_job late --begins-late 3
check "intervals say which collectives belong together" within 25 late all_?reduce

# ---- ranks, findings, waits ----

says() { # PATTERN COMMAND...
	pattern=$1
	shift
	"$@" >said 2>&1
	grep -q "$pattern" said || { head -n 60 said; return 1; }
}
fails_to_say() { ! says "$@"; }
check "one trace of four ranks" says ' 4 ranks, 12 threads.* 40 collectives' "$tview" check gpu/rank*.json
check "ranks are said" says 'info *ranks-said' "$tview" check gpu/rank*.json
check "so is where times come from" says 'info *clocks-of-files' "$tview" check gpu/rank*.json
check "where a rank began later is said" says 'guess *collectives-aligned' "$tview" check late/rank*.json
check "and nowhere else" fails_to_say collectives-aligned "$tview" check gpu/rank*.json
check "nothing is reversed in the end" says 'After correction (fitted times): 0 of 480' "$tview" check gpu/rank*.json
# 4 of 40 times rank 2 is 1.5 ms late, for which three ranks wait.
late() {
	"$tview" query gpu/rank*.json 'waits where metric == "mpi_wait_nxn" and waited > 1.2ms select rank, count()' -f csv |
		tail -n +2 | sort >waits || return 1
	is "$(cat waits)" "$(printf '0,4\n1,4\n3,4')"
}
check "three ranks wait for the late one, each time" late
# Rank 3 is 2 ms late in each of 40 steps, by what its stream of collectives waits for.
causes() { # KIND REGEX: one cause, of 1.9 to 2.1 ms for each visit, which is nearly all of the waiting
	make_job "slow_$1" --slow "$1" && "$tview" export causes "slow_$1"/rank*.json -f csv >causes || return 1
	[ "$(wc -l <causes)" = 2 ] && grep -q "$2" causes || { cat causes; return 1; }
	tail -n +2 causes | cut -d'"' -f1 | awk -F, '{ more = ($10 - $11) / ($8 ? $8 : 1)
		if ($5 < 0.9 || more < 1.9e-3 || more > 2.1e-3) { print; exit 1 } }'
}
check "a kernel that takes longer makes its rank late" causes kernel \
	'^longer-calls,3,2,gemm_kernel,.*rank 3 comes late to collective operations of its device'
check "so does a host that launches late" causes load '^longer-calls,3,2,.* > load,.*rank 3 launches late: it .*data.py:7'
check "or does something that is not recorded" causes unknown \
	'^longer-calls,3,2,,.*rank 3 launches late: .* outside all recorded functions'
balanced() {
	make_job slow_none --slow none && "$tview" export causes slow_none/rank*.json -f csv >causes &&
		[ "$(wc -l <causes)" = 1 ] || { cat causes; return 1; }
}
check "where no rank is late by more than chance none is named" balanced
check "the longest wait leads to the kernel" says 'because it spent .* more than rank . GPU . stream 20 in gemm_kernel()' \
	"$tview" export explain slow_kernel/rank*.json --filter 'region =~ /AllReduce/' --worst 1
check "steps are iterations of one region" says '^ProfilerStep,160,' "$tview" export profile gpu/rank*.json -f csv
devices() {
	"$tview" report gpu/rank*.json -f json >report.json &&
		"$python" "$here/tests/cli/job_devices.py" report.json gpu/rank*.json
}
check "how long devices are busy is what the files say" devices
check "and is said" says 'The devices of 4 ranks are idle [0-9.]* % of the time, only communicate [0-9.]* %, are busy' \
	"$tview" report gpu/rank*.json -w 200
check "hosts wait for their devices" says 'Wait for Device' "$tview" report gpu/rank*.json

# ---- the order of files, what is missing or damaged ----

any_order() {
	"$tview" export events gpu/rank0.json gpu/rank1.json gpu/rank2.json gpu/rank3.json -f csv >one &&
		"$tview" export events gpu/rank2.json gpu/rank0.json gpu/rank3.json gpu/rank1.json -f csv >two &&
		[ "$(wc -l <one)" -gt 3000 ] && cmp one two
}
check "the order of files does not matter" any_order
check "a missing rank is said" says '3 of 4 ranks of the job are in the files' "$tview" check gpu/rank0.json gpu/rank2.json \
	gpu/rank3.json
check "and the others keep their numbers" says '^3,' "$tview" export profile gpu/rank0.json gpu/rank2.json \
	gpu/rank3.json --by rank -f csv
mkdir damaged
for r in 0 1 2 3; do gzip -c gpu/rank$r.json >damaged/rank$r.json.gz; done
check "compressed files" says ' 4 ranks, 12 threads.* 40 collectives' "$tview" check damaged/*
head -c 3000 damaged/rank1.json.gz >short && mv short damaged/rank1.json.gz
: >damaged/rank3.json.gz
check "one that is cut off leaves the others" says 'damage *compressed .* rank1.json.gz: ' "$tview" check damaged/*
check "so does an empty one" says 'damage *file-left-out .*rank3.json.gz' "$tview" check damaged/*
check "three ranks are there" says ' 3 ranks,' "$tview" check damaged/*
check "which no file is blamed for alone" says '^tview: rank\*.json.gz: 4 files: [0-9]* records could not be read' \
	"$tview" report damaged/*
check "streams whose end was not read may not be idle" says 'devices of 3 ranks are idle or not recorded [0-9.]* %' \
	"$tview" report damaged/* -w 200
cp gpu/rank0.json other.json
check "a file with another name is not taken for a damaged rank" fails 2 'unexpected argument' check gpu/rank0.json \
	damaged/rank3.json.gz other.json

# The command that goes on names all files; its rows follow those before.
pages() {
	"$tview" export calls gpu/rank*.json -f csv >whole
	"$tview" export calls gpu/rank*.json -f csv --limit 1000 >first 2>next || return 1
	sh -c "'$tview' $(sed -n 's/.*the next: tview //p' next)" >second 2>next || return 1
	{ cat first && tail -n +2 second; } | cmp - whole
}
check "pages of a joined trace go on" pages

# ---- which files are one run ----

check "two ranks are one run" says ' 2 ranks,' "$tview" check gpu/rank0.json gpu/rank1.json
check "unless the user says no" fails 2 'unexpected argument' check --join no gpu/rank0.json gpu/rank1.json
cp gpu/rank0.json old.json
check "two files of one rank are compared" says 'slower\|faster\|differ\|same' "$tview" report old.json gpu/rank0.json
check "they are no run" fails 2 'unexpected argument' check old.json gpu/rank0.json
check "unless the user says so" says ' 2 ranks,' "$tview" check --join yes old.json gpu/rank0.json
check "other traces are none" fails 2 'unexpected argument' check "$here"/traces/ring.trc "$here"/traces/stencil.trc
check "stdin is no file" fails 2 'is for files' check --join yes gpu/rank0.json -
check "convert takes them" "$tview" convert gpu/rank*.json all.otf2
check "and what it wrote is the same run" says ' 4 ranks.* 40 collectives' "$tview" check all.otf2
check "so does an export" says '^ *rank 3 GPU 3 stream 20 ' "$tview" export timeline gpu/rank*.json --ascii
served() { # [TRACE] a tool's answer
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"question":"%s"%s}}}\n' \
		'collectives select count()' "${1:-}" | "$tview" mcp gpu/rank*.json
}
check "mcp serves them as one trace" says '[^0-9]40[^0-9].*"isError":false' served
check "and no other one" says 'another trace is served' served ',"trace":"all.otf2"'
library() {
	"$python" - "$here/build/release/libtview.so.0" gpu/rank*.json <<-'END'
		import ctypes, sys
		lib, names = ctypes.CDLL(sys.argv[1]), [n.encode() for n in sys.argv[2:]]
		lib.tview_open_files.restype = ctypes.c_void_p
		trace = ctypes.c_void_p(lib.tview_open_files((ctypes.c_char_p * (len(names) + 1))(*names), None, None))
		sys.exit(not trace.value or lib.tview_location_count(trace) != 12)
	END
}
check "the library opens them" library
module() {
	PYTHONPATH=$here/build/release/python/dist-packages "$python" -c 'import sys, tview
with tview.open(sys.argv[1:]) as trace:
    sys.exit(len(trace.collectives()) != 40)' gpu/rank*.json
}
check "so does the module of Python" module
check "and the screen without a terminal" says 'Wait for Device' "$tview" gpu/rank*.json
done_testing
