#!/bin/sh
# tview graph APP: the static tables of a program, from its file alone. The unit in it is written by hand, statement by statement, so that all
# that is printed is known; one name tries to write to the terminal.
. tests/cli/tap.sh
include=$PWD/src
cd "$tmp" || exit 1

cat >unit.c <<'END'
#include "capture/lib/sites.h"
enum { SITES = 11, FILE_ = 1, DIR = 9, MAIN = 22, FOR = 27, SWEEP = 31, SEND = 37, WHY = 46,
       HELPER = 67, TWICE = 76, RECV = 82, WHILE = 91, NO = TV_NO_SITE };
#define TEXT "\0sweep.c\0/home/me/app\0main\0for\0sweep\0MPI_Send\0a jump leads into it\0" \
	"helper.h\0twice\0MPI_Recv\0wh\033le"
struct made {
	struct tv_unit unit;
	struct tv_site sites[SITES];
	char text[128];
};
_Static_assert(sizeof TEXT <= 128, "room");
__attribute__((section(TV_SITES_SECTION), used, aligned(TV_SLOT_SIZE))) static const struct made
	made = {
	{ TV_UNIT_MAGIC, TV_UNIT_VERSION, sizeof(struct made), SITES,
	  sizeof(struct tv_unit) + SITES * sizeof(struct tv_site), 128, FILE_, DIR },
	{
		{ TV_SITE_PROCEDURE, TV_SITE_LOCAL, 1, 3, 5, NO, TWICE, HELPER, NO, 0 },
		{ TV_SITE_PROCEDURE, 0, 1, 10, 30, NO, SWEEP, FILE_, NO, 0 },
		{ TV_SITE_COMMUNICATION, 0, 2, 11, 11, 1, RECV, FILE_, NO, 0 },
		{ TV_SITE_LOOP, 0, 2, 12, 20, 1, FOR, FILE_, NO, 0 },
		{ TV_SITE_LOOP, TV_SITE_UNCOUNTED, 3, 13, 16, 3, WHILE, FILE_, NO, 0 },
		{ TV_SITE_COMMUNICATION, 0, 4, 14, 14, 4, SEND, FILE_, NO, 0 },
		{ TV_SITE_CALL, 0, 4, 15, 15, 4, TWICE, FILE_, 0, 0 },
		{ TV_SITE_LOOP, TV_SITE_ALONE, 3, 17, 19, 3, FOR, FILE_, NO, WHY },
		{ TV_SITE_PROCEDURE, 0, 1, 40, 60, NO, MAIN, FILE_, NO, 0 },
		{ TV_SITE_CALL, 0, 2, 41, 41, 8, SWEEP, FILE_, 1, 0 },
		{ TV_SITE_CALL, TV_SITE_POINTER, 2, 42, 42, 8, 0, FILE_, NO, 0 },
	},
	TEXT,
};
int main(void) { return 0; }
END

cat >want <<'END'
app: 1 unit, 3 procedures, 3 loops, 3 call statements, 2 communication statements, 1 of them not instrumented

sweep.c  compiled in /home/me/app
  in helper.h
     3  twice()  to line 5  static
  in sweep.c
    10  sweep()  to line 30
    11    MPI_Recv
    12    for  to line 20
    13      wh?le  to line 16  iterations not counted
    14        MPI_Send
    15        twice()  -> helper.h:3
    17      for  to line 19  not instrumented: a jump leads into it
    40  main()  to line 60
    41    sweep()  -> sweep.c:10
    42    (through a pointer)

Static tables (Li and Zhang): l_p procedure, l_l loop, l_c communication, l_pc call,
l_pi invoked procedure, l_il inner loop

PL: loops of procedures, 1
  l_p                                 l_l
  sweep.c:10 sweep()                  sweep.c:12 for

PCom: communication statements of procedures, 1
  l_p                                 l_c
  sweep.c:10 sweep()                  sweep.c:11 MPI_Recv

PC: call statements of procedures, 2
  l_p                                 l_pc                                l_pi
  sweep.c:40 main()                   sweep.c:41 sweep()                  sweep.c:10 sweep()
  sweep.c:40 main()                   sweep.c:42 (through a pointer)      through a pointer

L: loops in loops, 2
  l_l                                 l_il
  sweep.c:12 for                      sweep.c:13 wh?le
  sweep.c:12 for                      sweep.c:17 for

LCom: communication statements of loops, 1
  l_l                                 l_c
  sweep.c:13 wh?le                    sweep.c:14 MPI_Send

LC: call statements of loops, 1
  l_l                                 l_pc                                l_pi
  sweep.c:13 wh?le                    sweep.c:15 twice()                  helper.h:3 twice()

Not instrumented:
  sweep.c:17 for: a jump leads into it
END

# Columns: table,kind,name,file,line,within,within_line,called_line
cat >want.csv <<'END'
P,procedure,twice,helper.h,3,,,
P,procedure,sweep,sweep.c,10,,,
PCom,communication,MPI_Recv,sweep.c,11,sweep,10,
PL,loop,for,sweep.c,12,sweep,10,
L,loop,wh?le,sweep.c,13,for,12,
LCom,communication,MPI_Send,sweep.c,14,wh?le,13,
LC,call,twice,sweep.c,15,wh?le,13,3
L,loop,for,sweep.c,17,for,12,
P,procedure,main,sweep.c,40,,,
PC,call,sweep,sweep.c,41,main,40,10
PC,call,,sweep.c,42,main,40,
END

compiled() { ${CC:-cc} "$@"; } # CC may be several words
made() { compiled -I"$include" -o app unit.c && compiled -I"$include" -c -o app.o unit.c; }
check "a program with a unit of tables" made
same() { "$tview" graph "$1" 2>&1 | sed "1s/^$1:/app:/" | diff want -; }
check "the graph, the six tables, what was not instrumented" same app
check "an object file has the same" same app.o
stripped() { cp app stripped && strip stripped && same stripped; }
check "and a stripped program" stripped
csv() { "$tview" graph app -f csv | tail -n +2 | cut -d, -f1-5,8,9,11 | diff want.csv -; }
check "as CSV" csv
json() { "$tview" graph app -f json | /usr/bin/python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
assert len(rows) == 11 and rows[7]["reason"] == "a jump leads into it", rows'; }
check "as JSON" json
to_file() { "$tview" graph app -o app.csv && head -n 1 app.csv | grep -q '^table,kind,name,file,line,'; }
check "a file's name says the format" to_file
plain() { echo 'int main(void) { return 0; }' | compiled -x c -o plain -; }
check "a program without tables" plain
check "a sentence says how to get some" fails 1 "compile and link it with tvcc" graph plain
check "no program" fails 3 "not a program" graph unit.c
check "no file" fails 3 "nonesuch" graph nonesuch
check "its own file is not written over" fails 2 "app is" graph app -o app
check "the program needs a name" fails 2 "needs APP" graph
help() { "$tview" help graph | grep -q '^usage: tview graph APP'; }
check "help" help
done_testing
