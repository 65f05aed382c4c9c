#!/bin/sh
# OpenMP of GCC, by its entry points, and of clang, by OMPT: the trace has the teams and constructs that the program
# (tests/capture/threads/teams.c) has, and the threads come to a team's end as its own clock says.
. tests/cli/tap.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# record NAME ARGUMENT [OPTION...]
record() {
	name=$1 argument=$2
	shift 2
	"$out/tvrun" -q "$@" -o "$tmp/$name.trc" mpiexec.mpich -n 1 "$tmp/$name" $argument >"$tmp/said" &&
		"$tview" export profile "$tmp/$name.trc" -f csv >"$tmp/profile" &&
		"$tview" export events "$tmp/$name.trc" -f csv >"$tmp/events"
}
# visits NAME: of all regions that are called so, wherever they are
visits() { awk -F, -v name="$1" 'index($1, name " @") == 1 || $1 == name { n += $2 } END { print n + 0 }' "$tmp/profile"; }
visits_in() { awk -F, -v name="$1" 'index($1, name) == 1 { n += $2 } END { print n + 0 }' "$tmp/profile"; }
details() { grep -c ",thread,.*[,\"]$1 " "$tmp/events"; }
# Numbers of the event and its call path follow the location.
locations() { awk -F, 'NR > 1 { n += !seen[$(NF - 2)]++ } END { print n }' "$tmp/events"; }
whole() { "$tview" check "$tmp/$1.trc" | grep '^No damage, no guesses'; }
# ahead LINE: ms of each thread before the last, when they first meet at the end of the team of that line
ahead() {
	awk -F, -v region="!\$omp implicit barrier @teams.c:$1" '$5 == region && $4 == "enter" && !($(NF - 2) in at) {
		at[$(NF - 2)] = $1; if ($1 > last) last = $1 }
		END { for (thread in at) print (last - at[thread]) * 1000 }' "$tmp/events" | sort -rn
}
# near FILE FILE: the same three numbers, but for 10
near() { paste "$1" "$2" | awk 'NF != 2 || $1 - $2 > 10 || $2 - $1 > 10 { bad = 1; print } END { exit bad || NR != 3 }'; }

# contention METRIC THREAD: ms, of all call paths
contention() {
	"$tview" export patterns "$tmp/$compiler.trc" -f csv | awk -F, -v metric="omp_lock_contention_$1" -v thread="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["metric"] == metric && $at["thread"] == thread { sum += $at["severity"] }
		END { print int(sum * 1000) }'
}
lacks_openmp() {
	for view in check report; do
		"$tview" $view "$tmp/$compiler.trc" | tr -s '\n ' '  ' | grep "1 rank used OpenMP, of which statistics have no parallel regions" || return 1
	done
	! "$tview" report "$tmp/$compiler.trc" | grep "Trace complete" && "$tview" report "$tmp/$compiler.trc" -f json | grep -q '"openmp"'
}
between() { [ "$1" -le "$2" ] && [ "$2" -le "$3" ] || { echo "$2 is not in $1 to $3"; return 1; }; }

for compiler in gcc clang-14; do
	if [ $compiler = clang-14 ] && ! { command -v clang-14 >/dev/null && echo 'int main(void) { return 0; }' |
		clang-14 -fopenmp -x c -o "$tmp/try" - 2>/dev/null; }; then
		skip "$compiler" "it is not installed, or has no OpenMP"
		continue
	fi
	mpicc.mpich -cc=$compiler -w -g -fopenmp -o "$tmp/$compiler" tests/capture/threads/teams.c
	check "$compiler: recorded" record $compiler ""
	check "$compiler: three threads, two of them born" is "$(locations)" 3
	check "$compiler: 6 teams" is "$(details thread-fork) $(details thread-join)" "6 6"
	check "$compiler: of 17 threads" is "$(visits '!$omp parallel') $(details team-begin) $(details team-end)" "17 17 17"
	check "$compiler: 30 barriers, and 17 at the end of teams" is \
		"$(($(visits '!$omp barrier') + $(visits '!$omp implicit barrier')))" 47
	check "$compiler: 15 in a critical section, 15 in a named one" is \
		"$(visits '!$omp critical') $(visits '!$omp critical sblock') $(visits '!$omp critical @teams.c:29')" "30 30 15"
	check "$compiler: 15 in the loop, 15 at the single block, 15 waits for tasks" is \
		"$(visits '!$omp for') $(visits '!$omp single') $(visits '!$omp taskwait')" "15 15 15"
	check "$compiler: one lock" is "$(visits omp_set_lock) $(details lock-acquire) $(details lock-release)" "1 31 31"
	check "$compiler: threads come to the end of a team as their clock says" near "$tmp/said" - <<-EOF
		$(ahead 20)
	EOF
	check "$compiler: nothing is guessed" whole $compiler

	check "$compiler: tasks" record $compiler task
	check "$compiler: each of 12 is there" is "$(visits '!$omp task')" 12
	check "$compiler: nothing is guessed of them" whole $compiler
	check "$compiler: teams in teams" record $compiler nested
	check "$compiler: each is there" is "$(visits '!$omp parallel') $(details thread-fork)" "41 18"
	check "$compiler: nothing is guessed of those" whole $compiler

	mpicc.mpich -cc=$compiler -w -g -fopenmp -o "$tmp/$compiler" tests/capture/threads/contended.c
	check "$compiler: contended" record $compiler ""
	check "$compiler: the second waits for the critical section, 3 x 50 ms" between 15 "$(contention critical 1)" 1000
	check "$compiler: and for the lock" between 15 "$(contention api 1)" 1000
	check "$compiler: the first waits less" test "$(($(contention critical 0) + $(contention api 0)))" -lt \
		"$(($(contention critical 1) + $(contention api 1)))"

	mpicc.mpich -cc=$compiler -w -g -fopenmp -o "$tmp/$compiler" tests/capture/threads/teams.c
	check "$compiler: --no-threads" record $compiler "" --no-threads
	check "$compiler: has no teams, and one location" is "$(visits '!$omp parallel') $(locations)" "0 1"

	check "$compiler: --statistics" record $compiler "" --statistics
	check "$compiler: has nothing of OpenMP, which report and check say" lacks_openmp

	cat >"$tmp/asks.c" <<-'EOF'
		#include <mpi.h>
		#include <omp.h>
		int main(int argc, char **argv)
		{
			MPI_Init(&argc, &argv);
			return MPI_Finalize() || omp_get_max_threads() < 1;
		}
	EOF
	mpicc.mpich -cc=$compiler -fopenmp -o "$tmp/$compiler" "$tmp/asks.c"
	check "$compiler: --statistics of a program that only asks how many threads there would be" record $compiler "" --statistics
	check "$compiler: has not used OpenMP" sh -c "! '$tview' check '$tmp/$compiler.trc' | grep OpenMP"

	mpicc.mpich -cc=$compiler -w -fopenmp -o "$tmp/$compiler" tests/capture/threads/teams.c
	check "$compiler: without lines" record $compiler ""
	check "$compiler: teams are named by their function" is \
		"$(visits_in '!$omp parallel @all()+0x') $(visits_in '!$omp parallel @main()+0x')" "15 2"
done
done_testing
