#!/bin/sh
# One capture library for every MPI: the same programs, the same numbers, on each MPI that is installed, in C and in the
# three ways of Fortran, linked and opened, with another tool in each place that it can have. The numbers are those that
# the programs were written for (tests/capture/mpi).
. tests/cli/tap.sh
sources=$PWD/tests/capture/mpi
lib=$out/lib/tview/libtvcapture.so
. tests/capture/mpi/record.sh
# accesses: of each rank and target what it did: how often, bytes that left, bytes that came
accesses() {
	"$tview" export events "$1" -f csv | /usr/bin/python3 -c '
import collections, csv, re, sys
sums = collections.Counter()
for r in csv.DictReader(sys.stdin):
	said = " ".join(str(v) for v in r.values())
	found = re.search("rma-(put|get|atomic) .*remote (\\d+),(.*)", said)
	if found:
		what, target, rest = found.groups()
		number = lambda name: int((re.search(name + " (\\d+)", rest) or [0, 0])[1])
		key = what + " " + r["rank"] + ">" + target
		sums[key, 0] += 1
		sums[key, 1] += number("sent") + (number("bytes") if what == "put" else 0)
		sums[key, 2] += number("received") + (number("bytes") if what == "get" else 0)
for key in sorted({k for k, i in sums}):
	print(key, *(sums[key, i] for i in range(3)), end="; ")'
}
# lines_of CALL: the lines it was entered from
lines_of() {
	"$tview" export events "$tmp/t.trc" -f csv | /usr/bin/python3 -c '
import csv, sys
print(*sorted({r["line"] for r in csv.DictReader(sys.stdin) if r["kind"] == "enter" and r["region"] == sys.argv[1]}))' "MPI_$1"
}
# moved: what each rank moved between memory and a file
moved() {
	"$tview" export events "$tmp/t.trc" -f csv |
		awk -F, -v r="$1" '$4 == "io" && $2 == r { sub("MPI_File_", "", $5); printf "%s %d; ", $5, $8 }'
}
# completions: at both sides, at this side
completions() {
	for how in remote non-blocking; do
		"$tview" export events "$tmp/t.trc" -f csv | grep -c "rma-complete-$how " | tr '\n' ' '
	done
}
# the same waits and accesses in another form
stays() {
	"$tview" convert "$tmp/t.trc" "$tmp/$1" &&
		"$tview" export waits "$tmp/$1" -f csv | cut -d, -f1-12 >"$tmp/waits" &&
		"$tview" export waits "$tmp/t.trc" -f csv | cut -d, -f1-12 | diff - "$tmp/waits" &&
		[ "$(accesses "$tmp/$1")" = "$(accesses "$tmp/t.trc")" ]
}
no_wait() { ! "$tview" export waits "$tmp/t.trc" -f csv | grep -q "$1"; } # PLACE
nothing_undefined() { ! nm -D -u "$lib" | grep -i mpi; }
# Functions of MPI: not the tools interface, conversions of handles, callbacks and variables.
no_function_left_over() {
	sed -nE 's/^TV_(CALL|PASS)\(([A-Za-z_0-9]+).*/MPI_\2/p' src/capture/lib/calls.def src/capture/lib/calls_passed.def |
		sort >"$tmp/known"
	nm -D --defined-only "$library" | awk '$3 ~ /^MPI_[A-Z][a-z]/ { print $3 }' |
		grep -vE '^MPI_(T_|Conversion_fn|Status_(f2c|c2f|f082|f2f|c2f))|_(f2c|c2f|f082c|c2f08|f2f08|f082f|fn|FN)$' |
		sort -u | comm -23 - "$tmp/known" >"$tmp/left"
	[ "$(wc -l <"$tmp/known")" -gt 500 ] && ! grep . "$tmp/left"
}
listed() { "$out/tvrun" --list-calls | awk '/^MPI_/ { print $1 }' | diff - "$tmp/sorted"; }
same_layout() { diff "$tmp/theirs" "$tmp/ours"; }

sed -nE 's/^TV_(CALL|PASS)\(([A-Za-z_0-9]+).*/MPI_\2/p' src/capture/lib/calls.def src/capture/lib/calls_passed.def |
	LC_ALL=C sort >"$tmp/sorted"
check "tvrun lists all functions" listed
check "the library needs no MPI" nothing_undefined

for mpi in mpich openmpi; do
	mpi_is_there || continue
	layout=$sources/abi_layout.c
	mpicc.$mpi -w -o "$tmp/layout" "$layout" && "$tmp/layout" >"$tmp/theirs"
	[ $mpi = mpich ] && kind=-DMPICH || kind=-DOPENMPI
	cc -w $kind -DOURS -DTV_HEADER="\"capture/lib/mpi/abi_$mpi.h\"" -Isrc -o "$tmp/layout" "$layout" && "$tmp/layout" >"$tmp/ours"
	check "$mpi: types and constants are those of its mpi.h" same_layout

	mpicc.$mpi -g -o "$tmp/every" "$sources/every.c"
	library=$(ldd "$tmp/every" | awk '/libmpi(ch)?\.so/ { print $3; exit }')
	check "$mpi: every function of its library has an entry point" no_function_left_over
	check "$mpi: a program in C" record "$tmp/every"
	check "$mpi: 16 messages a rank" is "$(messages)" "32 21128"
	check "$mpi: its calls" is "$(visits Send Recv Irecv Isend Wait Waitall Sendrecv Cancel)" "22 2 32 10 22 10 2 2 "
	check "$mpi: its collectives" is "$(visits Barrier Allreduce Bcast Comm_dup)" "6 4 2 2 "
	check "$mpi: nothing had to be guessed" whole

	mpicc.$mpi -g -o "$tmp/late" "$sources/late_collectives.c"
	check "$mpi: collectives of all forms" record "$tmp/late"
	check "$mpi: three non-blocking ones, their bytes" is "$(collectives MPI_Iallreduce)" "16/16 16/16 16/16 "
	check "$mpi: among neighbours, to the next on a line of two" is "$(collectives MPI_Neighbor_alltoall)" "8/8 "
	check "$mpi: non-blocking among neighbours" is "$(collectives MPI_Ineighbor_allgather)" "8/8 "
	check "$mpi: rank 0 waits in MPI_Wait for rank 1" waits_for_1 MPI_Wait MPI_Iallreduce
	check "$mpi: and in the exchange among neighbours" waits_for_1 MPI_Neighbor_alltoall MPI_Neighbor_alltoall
	check "$mpi: persistent ones, a call of each start" is "$(collectives MPI_Bcast_init)" "8/8 8/8 "

	mpicc.$mpi -g -o "$tmp/vectors" "$sources/late_vectors.c"
	check "$mpi: exchanges of different sizes" record "$tmp/vectors"
	check "$mpi: rank 0 waits in MPI_Alltoallv" waits_for_1 MPI_Alltoallv late_vectors.c:28
	check "$mpi: in MPI_Alltoallw" waits_for_1 MPI_Alltoallw mpi_wait_nxn
	check "$mpi: and where it is non-blocking" waits_for_1 MPI_Wait MPI_Ialltoallv
	check "$mpi: and where it is in place" waits_for_1 MPI_Alltoallv late_vectors.c:43
	check "$mpi: not where it gets nothing" no_wait late_vectors.c:39
	check "$mpi: as an archive" stays t.otf2

	mpicc.$mpi -o "$tmp/old_types" "$sources/old_types.c"
	check "$mpi: removed constructors of types" record "$tmp/old_types"
	check "$mpi: each is one call, without those that the library makes" is \
		"$(visits Type_hindexed Type_hvector Type_struct Type_create_hindexed Type_create_hvector Type_create_struct)" "2 2 2 0 2 0 "

	mpicc.$mpi -w -g -o "$tmp/left_call" "$sources/left_call.c"
	check "$mpi: a call left by longjmp" record "$tmp/left_call"
	check "$mpi: what follows it is recorded" is "$(visits Send Barrier Finalize)" "2 6 2 "

	mpicc.$mpi -g -o "$tmp/one_sided" "$sources/one_sided.c"
	check "$mpi: one-sided communication" record "$tmp/one_sided"
	check "$mpi: its accesses, by rank and target" is "$(accesses "$tmp/t.trc")" \
		"atomic 0>1 4 16 16; atomic 1>0 4 16 16; get 0>1 2 0 20; get 1>0 2 0 20; put 0>1 5 60 0; put 1>0 4 56 0; put 1>1 1 4 0; "
	check "$mpi: rank 0 waits at the fence" waits_for_1 MPI_Win_fence mpi_rma_wait_at_fence
	check "$mpi: for the late post" waits_for_1 mpi_rma_sync_late_post mpi_rma_sync_late_post
	check "$mpi: for the late completion" waits_for_1 MPI_Win_wait mpi_rma_early_wait
	check "$mpi: for the lock" waits_for_1 mpi_rma_sync_lock_competition mpi_rma_sync_lock_competition
	check "$mpi: each access is completed once" is "$(completions)" "12 10 "
	check "$mpi: one-sided: nothing had to be guessed" whole
	check "$mpi: one-sided: as an archive" stays t.otf2
	check "$mpi: one-sided: as PICL, compressed" stays t2.trc.zst

	mpicc.$mpi -w -g -o "$tmp/files" "$sources/file_requests.c"
	check "$mpi: files" record "$tmp/files" "$tmp/data"
	large=
	[ $mpi = mpich ] && large="write_at_c 50; "
	for rank in 0 1; do
		check "$mpi: files: bytes of requests and halves, rank $rank" is "$(moved $rank)" \
			"iwrite_at 1000; write_at_all_end 200; iread_at 300; iread_at_all 400; $large"
	done
	check "$mpi: files: nothing had to be guessed" whole

	# Debian's mpif90.openmpi finds MPICH's libmpi if it is not told where its own is.
	fortran=mpifort.mpich
	[ $mpi = openmpi ] && fortran="mpif90.openmpi -L$(dirname "$(mpicc.openmpi --showme:libdirs | cut -d' ' -f1)/x")"
	for way in MPIF_H USE_MPI F08; do
		if ! $fortran -cpp -D$way -g -o "$tmp/every" "$sources/every.F90" 2>"$tmp/err"; then
			skip "$mpi: Fortran, $way" "its compiler is not installed"
			continue
		fi
		check "$mpi: Fortran, $way" record "$tmp/every"
		check "$mpi: Fortran, $way: 16 messages a rank" is "$(messages)" "32 21128"
		check "$mpi: Fortran, $way: its calls" is \
			"$(visits Send Irecv Isend Wait Waitall Sendrecv Barrier Allreduce Bcast)" "20 30 10 20 10 2 6 4 2 "
		# Open MPI's binding asks for the size before each.
		check "$mpi: Fortran, $way: not those of its binding" is "$(visits Alltoallv Comm_size)" "14 2 "
		check "$mpi: Fortran, $way: which have their line" is "$(lines_of Alltoallv)" \
			"$(grep -n '! vector$' "$sources/every.F90" | cut -d: -f1)"
	done

	# shellcheck disable=SC2046 # one option a folder
	cc -g $(pkg-config --cflags-only-I "$([ $mpi = mpich ] && echo mpich || echo ompi)") -o "$tmp/opened" "$sources/opened.c"
	for scope in local global; do
		check "$mpi: opened by the program, $scope" record "$tmp/opened" "$library" $scope
		check "$mpi: opened, $scope: its calls" is "$(visits Send Irecv Wait Barrier)" "20 20 20 2 "
	done

	mpicc.$mpi -shared -fPIC -o "$tmp/libtool.so" "$sources/counting_tool.c"
	mpicc.$mpi -o "$tmp/behind" "$sources/every.c" -L"$tmp" -ltool -Wl,-rpath,"$tmp"
	mpicc.$mpi -o "$tmp/inside" "$sources/every.c" "$sources/counting_tool.c"
	cat >"$tmp/before" <<-END
		#!/bin/sh
		LD_PRELOAD=$tmp/libtool.so:\$LD_PRELOAD exec $tmp/plain
	END
	chmod +x "$tmp/before"
	mpicc.$mpi -o "$tmp/plain" "$sources/every.c"
	for place in behind inside before; do
		check "$mpi: a tool $place" record "$tmp/$place"
		check "$mpi: a tool $place: counts what it counts without us" \
			grep -q '^tool: 22 sends, 10 isends, 6 barriers, 4 allreduces' "$tmp/log"
		check "$mpi: a tool $place: we, too" is "$(messages) $(visits Send Isend Allreduce)" "32 21128 22 10 4 "
	done
done

# Debian's mpi4py is Open MPI's, and opens it in a scope of its own.
mpi=openmpi
oversubscribe=--oversubscribe
if /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
	check "mpi4py" record /usr/bin/python3 "$sources/every.py"
	check "mpi4py: its calls" is "$(visits Irecv Wait Mprobe Mrecv)" "20 20 3 3 "
	check "mpi4py: 10 messages a rank and 3 of rank 0" is "$("$tview" export messages "$tmp/t.trc" -f csv |
		awk -F, '$5 == 1 || $5 == 5 { n++ } END { print n }')" 23
else
	skip "mpi4py" "it is not installed"
fi
done_testing
