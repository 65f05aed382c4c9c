#!/bin/sh
# Sites of tvcc that are chosen at run time: what is left out is not recorded, and is not shown as if it had never run.
. tests/cli/tap.sh
export TVIEW_CC=mpicc.mpich

if ! command -v mpicc.mpich >/dev/null; then
	skip "sites chosen at run time" "MPICH is not installed"
	done_testing
fi
cat >"$tmp/sites.c" <<'C'
#include <mpi.h>
static volatile double sink;
static void inner(int n) { for (int i = 0; i < n; i++) { sink += i; MPI_Barrier(MPI_COMM_WORLD); } }
static void middle(int n) { for (int i = 0; i < n; i++) inner(i % 3); }
static void outer(int n) { for (int k = 0; k < 2; k++) middle(n); }
static void other(void) { for (int i = 0; i < 5; i++) sink++; inner(1); }
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	outer(10);
	other();
	MPI_Finalize();
	return 0;
}
C
"$out/tvcc" --all -O1 -g "$tmp/sites.c" -o "$tmp/sites" || exit 1
# counts OPTIONS...: "line kind count", "-" where nothing was recorded, of all but main's
counts() {
	"$out/tvrun" -q -o "$tmp/t.trc" "$@" timeout 60 mpiexec.mpich -n 1 "$tmp/sites" >"$tmp/log" 2>&1 || cat "$tmp/log"
	"$tview" export graph "$tmp/t.trc" -f csv | awk -F, '$4 ~ /sites.c$/ && $5 < 7 { print $5, $2, $6 == "" ? "-" : $6 }' | sort | tr '\n' ';'
}
left_out() { "$tview" check "$tmp/t.trc" | grep -o '[0-9]* functions* w[a-z]* left out'; }

# By hand: middle() is called twice with 10, inner() 20 times with 0, 1, 2, 0, ... (18 barriers) and once with 1.
inner='3 communication 19;3 loop 21;3 procedure 21;'
everything="${inner}4 call 20;4 loop 2;4 procedure 2;5 call 2;5 loop 1;5 procedure 1;6 call 1;6 loop 1;6 procedure 1;"
no_middle="${inner}4 call -;4 loop -;4 procedure -;5 call -;5 loop 1;5 procedure 1;6 call 1;6 loop 1;6 procedure 1;"
only_inner="${inner}4 call -;4 loop -;4 procedure -;5 call -;5 loop -;5 procedure -;6 call -;6 loop -;6 procedure -;"
for way in "" --statistics; do
	check "all sites ${way:-events}" is "$(counts $way)" "$everything"
	check "one procedure left out ${way:-events}" is "$(counts $way --exclude '^middle$')" "$no_middle"
	check "the trace says so" is "$(left_out)" "1 function was left out"
	check "nothing is odd about it" sh -c "! '$tview' check '$tmp/t.trc' | grep 'damage:\|oddity\|guess:'"
	check "only one ${way:-events}" is "$(counts $way --only '^inner$')" "$only_inner"
	check "the trace says how many" is "$(left_out)" "4 functions were left out"
done
reason() { "$tview" export graph "$tmp/t.trc" -f csv | grep -q 'middle,procedure.*alone,tvrun --only or --exclude leaves it out'; }
check "the graph says why" reason
done_testing
