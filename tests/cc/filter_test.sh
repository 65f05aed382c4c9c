#!/bin/sh
# Rules made of a first run: what they say, and what tvcc and tvrun make of them.
. tests/cli/tap.sh
export TVIEW_CC=mpicc.mpich

if ! command -v mpicc.mpich >/dev/null; then
	skip "rules made of a first run" "MPICH is not installed"
	done_testing
fi
# leaf() does nothing but an addition, in 2,000,000 visits; sweep() is visited once, its inner loop 2,000,000 times for two
# additions. The rest has a handful of visits.
cat >"$tmp/app.c" <<'C'
#include <mpi.h>
static volatile double sink;
double leaf(double x) { return x + 1; }
static void work(void) { for (int i = 0; i < 100000; i++) sink += i; }
static void sweep(int n)
{
	work();
	for (int k = 0; k < n; k++)
		for (int i = 0; i < 2; i++)
			sink += i;
}
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	sweep(2000000);
	for (int k = 0; k < 2000000; k++)
		sink += leaf(k);
	work();
	MPI_Finalize();
	return 0;
}
C
# shellcheck disable=SC2120 # check calls it with arguments
build() { "$out/tvcc" --all "$@" -O1 -g "$tmp/app.c" -o "$tmp/app" 2>"$tmp/said" || { cat "$tmp/said"; return 1; }; }
record() { "$out/tvrun" -q --limit 100000 "$@" 2>"$tmp/said" timeout 60 mpiexec.mpich -n 1 "$tmp/app" || { cat "$tmp/said"; return 1; }; }
# counts TRACE: "line kind count", "-" where nothing was recorded, of procedures, loops and calls
counts() {
	"$tview" export graph "$tmp/$1" -f csv |
		awk -F, '$4 ~ /app.c$/ && $2 != "communication" { print $5, $2, $6 == "" ? "-" : $6 }' | sort | tr '\n' ';'
}
rules() { grep -v '^#' "$tmp/$1" | grep . | sort | tr '\n' ';'; }
# says FILE PATTERN
says() { grep -q "$2" "$tmp/$1" || { cat "$tmp/$1"; return 1; }; }

build || exit 1
for way in "" --statistics; do
	check "a first run ${way:-with events}" record $way -o "$tmp/run$way.trc"
	check "its rules" "$tview" export filter "$tmp/run$way.trc" -o "$tmp/rules$way"
	check "are those of the cheap pieces" is "$(rules "rules$way")" 'exclude ^leaf$;no-loops ^sweep$;'
	check "with the reasons" says "rules$way" '^# leaf (.*app.c:3): 2,000,000 visits; probes cost .* of own time'
	check "of loops, too" says "rules$way" '^# sweep (.*app.c:5): 1 visit, 2,000,001 loop runs; probes of the loops cost'
done
check "as a table" is "$("$tview" export filter "$tmp/run.trc" -f csv | cut -d, -f1,2,6,7 | sort | tr '\n' ';')" \
	'exclude ^leaf$,leaf,2000000,0;no-loops ^sweep$,sweep,1,2000001;rule,name,visits,loop_visits;'

# At run time: the program as it is.
check "tvrun follows the rules" record --filter-file "$tmp/rules" -o "$tmp/at_run.trc"
run_counts="12 procedure 1;15 call 1;16 loop 1;17 call -;18 call 1;3 procedure -;4 loop 2;4 procedure 2;5 procedure 1;7 call 1;8 loop -;9 loop -;"
check "and records the rest" is "$(counts at_run.trc)" "$run_counts"
check "and says why" sh -c "'$tview' export graph '$tmp/at_run.trc' -f csv | grep -q 'loop.*app.c,8,.*tvrun leaves it out by a rule (no-loops)'"
check "and how many" sh -c "'$tview' check '$tmp/at_run.trc' | grep -q '1 function was left out'"
printf 'only file:nowhere\niterations\nexclude ^leaf$\n' >"$tmp/mixed"
check "rules for the compiler alone" record --filter-file "$tmp/mixed" -o "$tmp/mixed.trc"
check "are left out with a word" says said 'only tvcc can follow are left out: 2'
printf 'exclude ^leaf$\nleave ^x\n' >"$tmp/wrong"
wrong() { "$out/tvrun" --filter-file "$tmp/wrong" true 2>"$tmp/said"; [ $? = 125 ]; }
check "a wrong line is refused" wrong
check "by its number" says said "wrong:2: unknown rule 'leave'"

# At compile time.
check "tvcc makes the file and uses it" build --filter-from "$tmp/run.trc"
is_one_line() { is "$(wc -l <"$tmp/said")" 1 && says said 'run.trc.filter: measurement took .* without the probes of 1 procedure and the loops of 1 procedure$'; }
check "and says what was left out" is_one_line
check "the file is that of tview" is "$(rules run.trc.filter)" 'exclude ^leaf$;no-loops ^sweep$;'
check "a run without them" record -o "$tmp/at_build.trc"
build_counts="12 procedure 1;15 call 1;16 loop 1;17 call -;18 call 1;3 procedure -;4 loop 2;4 procedure 2;5 procedure 1;7 call 1;"
check "has the rest, and no call of leaf() that was never made" is "$(counts at_build.trc)" "$build_counts"
echo 'exclude ^work$' >"$tmp/run.trc.filter"
check "a file that a person wrote" build --filter-from="$tmp/run.trc"
check "is used as it is, silently" is "$(cat "$tmp/said"; rules run.trc.filter)" 'exclude ^work$;'
check "a trace that does not exist" sh -c "! '$out/tvcc' --filter-from '$tmp/none.trc' -c '$tmp/app.c' -o '$tmp/app.o' 2>'$tmp/said'"
check "is named" says said 'none.trc: cannot open the trace of --filter-from'
cp traces/ring.trc "$tmp"
check "a trace of which no rules can be made" sh -c "! '$out/tvcc' --filter-from '$tmp/ring.trc' -c '$tmp/app.c' -o '$tmp/app.o' 2>'$tmp/said'"
check "is refused, not taken for a cheap run" says said 'of no use: it has no statistics of statements'
check "and leaves no file" test ! -e "$tmp/ring.trc.filter"
done_testing
