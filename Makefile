# tview: one GNU Makefile. `make help` lists the targets.
#
#   BUILD=release|debug|asan|tsan|cov   kind of build, in build/$(BUILD)     V=1   show the commands
#   CC, CFLAGS, LDFLAGS, MPICC     as usual                             NO_INSTALL=1   install no package
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

BUILD   ?= release
OUT     ?= build/$(BUILD)
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
# With ccache, if it is there: a fresh clone is built in a fraction of the time.
ifeq ($(origin CC),default)
CC      := $(if $(shell command -v ccache),ccache )gcc
endif
MPICC   ?= mpicc.mpich
Q       := $(if $(V),,@)
say      = @printf '  %-6s %s\n' $(1) '$(2)'

# Flags. Everything that asks pkg-config is expanded only where it is used: a bare machine has none.
WARN    := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	   -Wformat=2 -Wwrite-strings -Wcast-qual -Werror=implicit-function-declaration \
	   -Werror=int-conversion -Werror=incompatible-pointer-types
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined
# Programs that read what others wrote are hardened, and the same wherever they are built (make reproducible).
HARDEN  := -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection \
	   $(if $(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null)),-fcf-protection)
# Position independent, and nothing visible: the same objects are in programs and in the library.
CFLAGS_release := -O2 -g $(HARDEN) -fPIC -fvisibility=hidden
LD_HARDEN := -Wl,-z,relro,-z,now,-z,noexecstack
LD_PIE  := $(if $(filter release,$(BUILD)),-pie) $(LD_HARDEN)
CFLAGS_debug   := -O0 -g3
# Lines are enough for what sanitizers say; all that a debugger can use takes a third of the time to compile.
CFLAGS_asan    := -O1 -g1 -fno-omit-frame-pointer $(SANITIZE)
CFLAGS_tsan    := -O1 -g -fsanitize=thread -Wno-tsan
CFLAGS_cov     := -O0 -g --coverage
# NULL + 0, which clang 14 counts as an overflow, is what an empty vector gives; C allows it by now.
CFLAGS_fuzz    := -O1 -g -fsanitize=fuzzer-no-link $(SANITIZE) -fno-sanitize=pointer-overflow
ifeq ($(CFLAGS_$(BUILD)),)
$(error BUILD=$(BUILD) is not known: release, debug, asan, tsan, cov or fuzz)
endif
CPPFLAGS += -Isrc -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE
BASE_CFLAGS = -std=c11 $(WARN) -ffile-prefix-map=$(CURDIR)=. -MMD -MP
ALL_CFLAGS  = $(BASE_CFLAGS) $(CFLAGS_$(BUILD)) $(CFLAGS)
# What is preloaded into other programs cannot carry a sanitizer, nor can those programs, but for that of threads. A stack
# protector would be a tenth of what it executes for a record.
LIB_CFLAGS  = $(BASE_CFLAGS) $(CFLAGS_$(if $(filter asan fuzz,$(BUILD)),release,$(BUILD))) \
	      -fPIC -fvisibility=hidden -fno-stack-protector $(CFLAGS)
# MPICH hands a constant address to GCC that looks like an array of no length: no overflow.
MPI_CFLAGS ?= -g -O2 -Wall -Wno-stringop-overflow -finstrument-functions -ffile-prefix-map=$(CURDIR)=.
LIBS        = -Wl,--as-needed $(shell pkg-config --libs ncursesw libpcre2-8 otf2 libzstd zlib sqlite3) -lutf8proc -lxxhash -linih -ljansson -lelf \
	      -lpthread -lm
RUN_LIBS    = -ldw -lelf
MPI_INC     = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags-only-I mpich 2>/dev/null))
MPI_LIBS    = $(shell pkg-config --libs mpich 2>/dev/null)
# libclang, which finds the places that tvcc puts probes at: 14, else the newest.
LLVM       ?= $(patsubst %/include/clang-c/Index.h,%,$(firstword \
	      $(wildcard /usr/lib/llvm-14/include/clang-c/Index.h) \
	      $(lastword $(shell ls -v /usr/lib/llvm-*/include/clang-c/Index.h 2>/dev/null)) \
	      /usr/lib/llvm-14/include/clang-c/Index.h))
CLANG_INC   = -isystem $(LLVM)/include
CLANG_LIBS  = -L$(LLVM)/lib -lclang
TEST_LIBS   = -lcmocka -lvterm -lutil

# What there is. A folder is a room; files are found at any depth.
find      = $(sort $(shell find $(1) -name '$(2)' 2>/dev/null))
lib_src  := $(call find,src/base src/model src/correct src/patterns src/views src/ui,*.c)
abi_src  := $(call find,src/capture/lib/mpi,*.c)
cap_src  := $(filter-out src/capture/lib/yield.c $(abi_src),$(call find,src/capture/lib,*.c))
abis     := mpich openmpi standard
yield_src := src/capture/lib/yield.c
run_src  := $(call find,src/capture/run src/capture/live,*.c)
replay_src := $(call find,src/replay,*.c)
cc_src   := $(call find,src/capture/cc,*.c)
test_c   := $(call find,tests,*.c)
gen_src  := $(filter tests/generate/%,$(test_c))
fault_src := tests/faults/fail_call.c
fail_alloc_src := tests/faults/fail_alloc.c
sim_src  := $(filter tests/simulate/%,$(test_c))
skew_src := tests/bench/skew.c
bench_src := $(filter-out $(skew_src),$(wildcard tests/bench/*.c))
bundle_src := $(wildcard scripts/bundle/*.c)
bench_programs := $(wildcard tests/bench/programs/*.c)
fuzz_src := $(filter %_fuzz.c,$(test_c))
blocks_src := tests/fuzz/large_blocks.c
inputs_src := tests/fuzz/run_inputs.c
inputs := $(fuzz_src:%_fuzz.c=$(OUT)/%_inputs)
test_src := $(filter %_test.c,$(test_c))
library_src := $(wildcard src/library/*.c)
python_src := $(wildcard python/tview/*.c)
# What the tests share; programs that are traced or instrumented are no part of it.
aid_src  := $(filter-out %_test.c %_fuzz.c $(blocks_src) $(inputs_src) tests/bench/% tests/inject/% tests/causes/% tests/generate/% tests/simulate/% tests/faults/% tests/capture/programs/% \
	    tests/capture/statements/% tests/capture/mpi/% tests/capture/threads/% tests/cc/programs/% tests/cc/units/% tests/cc/cxx/%,$(test_c))
prog_src := $(wildcard traces/programs/*.c)
c_files  := $(lib_src) $(cap_src) $(abi_src) $(yield_src) $(run_src) $(cc_src) $(replay_src) $(library_src) $(python_src) src/tview.c $(test_src) $(aid_src) \
	    $(bench_src) $(skew_src) $(bench_programs) $(fuzz_src) $(blocks_src) $(inputs_src) $(gen_src) $(sim_src) $(fault_src) $(fail_alloc_src) $(bundle_src) doc/man/manual.c
h_files  := $(filter-out tests/inject/% tests/causes/% tests/capture/programs/% tests/capture/statements/% tests/cc/programs/% tests/cc/units/% \
	    tests/cc/cxx/%,$(call find,include src tests,*.h)) $(wildcard traces/*/*.h)
obj       = $(patsubst %.c,$(OUT)/%.o,$(1))
objects  := $(call obj,$(c_files))
tests    := $(test_src:%.c=$(OUT)/%)
programs := $(prog_src:traces/programs/%.c=$(OUT)/programs/%)
capture  := $(OUT)/lib/tview/libtvcapture.so $(OUT)/lib/tview/libtvyield.so
# MPI programs that only the tests of the capture run.
mpi_tests := $(patsubst tests/%.c,$(OUT)/tests/%,$(wildcard tests/capture/programs/*.c))
tvrun    := $(OUT)/tvrun
# What other programs link: position independent, which sanitized builds are not.
ifeq ($(BUILD),release)
library  := $(OUT)/libtview.so.0
static_library := $(OUT)/library/libtview.a
endif
# The module of Python over the shared library, in the limited API: one build serves Python 3.11 and later. It looks for the
# library beside its own folder, three levels up (PYTHON_RPATH= leaves that to the system).
PYTHON      ?= /usr/bin/python3
PYTHON_RPATH ?= -Wl,-rpath,'$$ORIGIN/../../..'
PYTHON_INC   = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags-only-I python3 2>/dev/null))
python      := $(addprefix $(OUT)/python/dist-packages/tview/,_library.abi3.so __init__.py)
# Compilers that put probes into programs: one program by three names, and what has libclang in it.
tvcc     := $(addprefix $(OUT)/,tvcc tvcxx tvfc)
tvinstrument := $(OUT)/lib/tview/tvinstrument

# Linked to MPICH, where there is one.
replay   := $(if $(shell pkg-config --exists mpich 2>/dev/null && echo yes),$(OUT)/tview-replay)

all: $(OUT)/tview $(library) $(static_library) $(replay) $(tvrun) $(capture) $(tvcc) $(tvinstrument) ## the programs and the capture library (the default)

$(OUT)/tview: $(OUT)/src/tview.o $(OUT)/librun.a $(OUT)/libtview.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LD_PIE) $(LDFLAGS) -o $@ $^ $(LIBS) $(RUN_LIBS)

$(OUT)/tview-replay: $(call obj,$(replay_src)) $(OUT)/libtview.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LD_PIE) $(LDFLAGS) -o $@ $^ $(LIBS) $(MPI_LIBS)

# The views without a screen.
$(OUT)/library/views.o: src/ui/app/views.c $(OUT)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$< (library))
	$(Q)$(CC) $(CPPFLAGS) -DTVIEW_LIBRARY $(ALL_CFLAGS) -c -o $@ $<
$(call obj,$(library_src)): private CPPFLAGS += -Iinclude
ifeq ($(BUILD),release)
# Nothing but the names of the headers is visible, in the static library, too.
$(library): $(call obj,$(library_src)) $(OUT)/library/views.o $(OUT)/libtview.a src/library/libtview.map
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LD_HARDEN) $(LDFLAGS) -shared -Wl,-z,defs,-z,nodelete -Wl,-soname,$(@F) \
		-Wl,--version-script=src/library/libtview.map -o $@ $(filter-out %.map,$^) $(LIBS)
	$(Q)ln -sf $(@F) $(basename $@)
python: $(python) ## the module of Python, in build/$(BUILD)/python/dist-packages (needs python3-dev)
$(OUT)/python/dist-packages/tview/_library.abi3.so: $(call obj,$(python_src)) $(library)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LD_HARDEN) $(LDFLAGS) -shared $(PYTHON_RPATH) -o $@ $^
$(OUT)/python/dist-packages/%: python/%
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(OUT)/library/libtview.a: $(OUT)/library/tview.o
$(OUT)/library/tview.o: $(call obj,$(library_src)) $(OUT)/library/views.o $(OUT)/libtview.a
	$(call say,LD,$@)
	$(Q)$(CC) -r -nostdlib -o $@ $^ && \
		$$($(CC) -print-prog-name=objcopy) --wildcard --keep-global-symbol='tview_*' $@
endif

$(OUT)/tvrun: $(OUT)/src/capture/run/tvrun.o $(OUT)/librun.a $(OUT)/libtview.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LD_PIE) $(LDFLAGS) -o $@ $^ $(LIBS) $(RUN_LIBS)

$(OUT)/tvcc: $(OUT)/src/capture/cc/driver/tvcc.o $(OUT)/libcc.a $(OUT)/libtview.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LD_PIE) $(LDFLAGS) -o $@ $^ $(LIBS)
$(OUT)/tvcxx $(OUT)/tvfc: $(OUT)/tvcc
	$(Q)ln -sf tvcc $@
$(tvinstrument): $(OUT)/src/capture/cc/instrument/tvinstrument.o $(OUT)/libcc.a $(OUT)/libtview.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LD_PIE) $(LDFLAGS) -o $@ $^ $(LIBS) $(CLANG_LIBS)

# The wrappers are compiled once for each ABI; of each set only its table is visible (capture/lib/abi.h).
define abi_rules
$(OUT)/abi/$(1)/%.o: src/capture/lib/mpi/%.c $(OUT)/.flags
	@mkdir -p $$(@D)
	$$(call say,CC,$$< ($(1)))
	$$(Q)$$(CC) $$(CPPFLAGS) $$(LIB_CFLAGS) -ftls-model=initial-exec -include capture/lib/mpi/abi_$(1).h -c -o $$@ $$<
$(OUT)/abi/$(1).o: $(patsubst src/capture/lib/mpi/%.c,$(OUT)/abi/$(1)/%.o,$(abi_src))
	$$(Q)$$(CC) -r -nostdlib -o $$@ $$^ && \
		$$$$($$(CC) -print-prog-name=objcopy) --keep-global-symbol=tv_abi_$(1) $$@
endef
$(foreach abi,$(abis),$(eval $(call abi_rules,$(abi))))
# The static checks read them as one ABI has them.
$(OUT)/headers/src/capture/lib/mpi/%.ok: private CPPFLAGS += $(if $(findstring /abi_,$@),,-include src/capture/lib/mpi/abi_openmpi.h)

# libc alone, which before 2.34 is several libraries, and nothing undefined: MPI is found with dlsym in the program it is
# loaded into.
LIBC := -Wl,--as-needed -ldl -lpthread -lrt
$(OUT)/lib/tview/libtvcapture.so: $(call obj,$(cap_src)) $(abis:%=$(OUT)/abi/%.o)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LIB_CFLAGS) $(LD_HARDEN) $(LDFLAGS) -shared -Wl,-z,defs -o $@ $^ $(LIBC)
$(OUT)/lib/tview/libtvyield.so: $(call obj,$(yield_src))
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LIB_CFLAGS) $(LD_HARDEN) $(LDFLAGS) -shared -Wl,-z,defs -o $@ $^ $(LIBC)

$(OUT)/libtview.a: $(call obj,$(lib_src))
$(OUT)/libaid.a: $(call obj,$(aid_src) $(filter-out %/simulate.c,$(sim_src)))
$(OUT)/librun.a: $(call obj,$(filter-out %/tvrun.c,$(run_src)))
$(OUT)/libcc.a: $(call obj,$(filter-out %/tvcc.c %/tvinstrument.c,$(cc_src)))
$(OUT)/%.a:
	$(Q)rm -f $@ && ar rcs $@ $^

$(call obj,$(cap_src) $(yield_src)): private ALL_CFLAGS = $(LIB_CFLAGS) -ftls-model=initial-exec
$(call obj,$(cap_src)): private CPPFLAGS += -Iinclude $(MPI_INC)
# The thread sanitizer looks up functions, which these do, before it is ready itself.
$(call obj,src/capture/lib/lookup.c src/capture/lib/imports.c): private ALL_CFLAGS = $(LIB_CFLAGS) -ftls-model=initial-exec -fno-sanitize=thread
# What reads bytes that come from other machines is tested with the sanitizers, too.
wire := $(patsubst %,$(OUT)/wire/%.o,far far_clients far_parts far_said far_state rank_look)
$(wire): $(OUT)/wire/%.o: src/capture/lib/%.c $(OUT)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$< (wire))
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<
$(OUT)/tests/wire/far_test $(OUT)/tests/wire/rank_look_test $(addprefix $(OUT)/tests/fuzz/,far_fuzz far_inputs): $(wire)
# Fortran's names of the functions in calls.def: the preprocessor cannot change case.
fortran_def := $(OUT)/gen/fortran_calls.def
$(fortran_def): src/capture/lib/calls.def Makefile
	@mkdir -p $(@D)
	$(Q)sed -n 's/^TV_[A-Z]*(\([A-Za-z_]*\)_c,.*/TV_FORTRAN_C(\L\1\E, \1_c)/p;t;s/^TV_[A-Z]*(\([A-Za-z_]*\).*/TV_FORTRAN(\L\1\E, \U\1\E, \1)/p' $< >$@
	$(Q)printf '#undef TV_FORTRAN\n#undef TV_FORTRAN_C\n' >>$@
$(OUT)/src/capture/lib/fortran.o: $(fortran_def)
$(OUT)/src/capture/lib/fortran.o: private CPPFLAGS += -I$(OUT)/gen
$(call obj,$(replay_src)): private CPPFLAGS += $(MPI_INC)
$(call obj,$(python_src)): private CPPFLAGS += -Iinclude $(PYTHON_INC)
$(call obj,$(cc_src)): private CPPFLAGS += $(CLANG_INC)
$(OUT)/src/capture/cc/instrument/instrument.o: | $(LLVM)/include/clang-c/Index.h
$(LLVM)/include/clang-c/Index.h:
	@echo "make: there is no $@; 'scripts/setup' installs it (libclang-14-dev), LLVM= says where it is" >&2; exit 1
$(call obj,$(skew_src) $(fail_alloc_src)): private ALL_CFLAGS = $(LIB_CFLAGS) -fvisibility=default
$(OUT)/tests/%.o: private CPPFLAGS += -Itests -DTEST_BUILD='"$(OUT)"'
$(call obj,$(filter tests/library/%,$(test_src)) tests/fuzz/library_fuzz.c): private CPPFLAGS += -Iinclude
$(OUT)/%.o: %.c $(OUT)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# Objects are made anew when compiler or flags change.
$(OUT)/.flags: export FLAGS = $(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) $(MPICC) $(MPI_CFLAGS)
$(OUT)/.flags: FORCE
	@mkdir -p $(@D)
	@command -v $(firstword $(CC)) >/dev/null || \
		{ echo "make: no $(CC) here; 'scripts/setup' installs what is needed" >&2; exit 1; }
	@printf '%s\n' "$$FLAGS" | cmp -s - $@ || printf '%s\n' "$$FLAGS" >$@

asan: ; $(Q)$(MAKE) BUILD=asan all ## the same with address and undefined behaviour sanitizers

# The same programs with probes behind tview.h's guard, and without any: what traces are compared with of which the
# overhead was taken out.
compared := $(foreach kind,guard plain,$(foreach name,pi mix late,$(OUT)/programs/$(kind)/$(name)))
programs: $(programs) $(compared) $(mpi_tests) ## the MPI programs of traces/programs
$(OUT)/programs/%: traces/programs/%.c traces/programs/tally.h include/tview.h $(OUT)/.flags
	@mkdir -p $(@D)
	$(call say,MPICC,$<)
	$(Q)$(MPICC) -Iinclude $(MPI_CFLAGS) -o $@ $< -lm -lpthread
MPI_PLAIN = $(filter-out -finstrument-functions,$(MPI_CFLAGS))
$(OUT)/programs/guard/%: traces/programs/%.c traces/programs/tally.h include/tview.h $(OUT)/.flags
	@mkdir -p $(@D)
	$(call say,MPICC,$< (guard))
	$(Q)$(MPICC) -Iinclude $(MPI_PLAIN) -DTVIEW_PROBES -o $@ $< -lm -lpthread
$(OUT)/programs/plain/%: traces/programs/%.c traces/programs/tally.h include/tview.h $(OUT)/.flags
	@mkdir -p $(@D)
	$(call say,MPICC,$< (plain))
	$(Q)$(MPICC) -Iinclude $(MPI_PLAIN) -o $@ $< -lm -lpthread
# Probes by hand in the place of the compiler's.
$(OUT)/tests/capture/programs/sites: private MPI_CFLAGS := $(MPI_PLAIN)
$(addprefix $(OUT)/tests/capture/programs/,sites capture_bench job_bench): tests/capture/programs/by_hand.h src/capture/lib/sites.h
$(OUT)/tests/capture/programs/%: tests/capture/programs/%.c traces/programs/tally.h include/tview.h $(OUT)/.flags
	@mkdir -p $(@D)
	$(call say,MPICC,$<)
	$(Q)$(MPICC) -Iinclude -Itraces/programs -Isrc $(MPI_CFLAGS) -o $@ $< -lm -lpthread

setup: ## install the Debian packages that are missing; asks first
	@scripts/setup
demo: ## set up, trace a real MPI program, open its trace
	@scripts/setup run
	$(Q)$(MAKE) $(jobs) all programs
	@scripts/demo $(OUT)

# Tests. A test is an executable that prints TAP: cmocka's, or a script.
kind      = $(filter $(addprefix $(OUT)/tests/,$(addsuffix /%,$(1))),$(tests))
screen_tests  := $(filter %/screens_test,$(tests))
capture_tests := $(call kind,capture)
unit_tests    := $(filter-out $(screen_tests) $(capture_tests),$(tests))
scripts_tests := $(call find,tests,*_test.sh)
# Tests that wait for the program's screens.
played     = $(foreach t,$(filter-out $(screen_tests),$(call kind,ui)),$(t) $(call as_asan,$(t)))
# In a check most tests are one program with a name for each (harness/test.h), which is linked once. Others have a main(), or
# libraries of their own.
own_program := $(screen_tests) $(call kind,capture cc library wire) %/picl_round_test %/otf2_round_test
pooled   := $(if $(POOLED),$(filter-out $(own_program),$(tests)))
$(pooled): $(OUT)/tests/pool
	$(Q)ln -f $< $@
$(OUT)/tests/pool: $(pooled:%=%.o)
$(filter-out $(pooled),$(tests)): $(OUT)/%: $(OUT)/%.o
$(OUT)/tests/pool $(filter-out $(pooled),$(tests)): $(OUT)/libaid.a $(OUT)/libtview.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.a,$^) $(filter %libaid.a,$^) \
		$(filter %librun.a %libcc.a,$^) $(filter %libtview.a,$^) $(LIBS) $(TEST_LIBS) \
		$(if $(filter %librun.a,$^),$(RUN_LIBS)) $(if $(filter %libcc.a,$^),$(CLANG_LIBS))
$(capture_tests): $(OUT)/librun.a
$(call kind,cc): $(OUT)/libcc.a
$(call kind,library): $(call obj,$(library_src)) $(OUT)/library/views.o

tests: all $(if $(library),python) $(tests) $(inputs) $(fault_src:%.c=$(OUT)/%) $(fail_alloc_src:%.c=$(OUT)/%.so) $(OUT)/generate $(OUT)/simulate $(OUT)/tests/bench/programs/accuracy ## build the tests
check-unit: $(OUT)/tview $(unit_tests) ## unit tests of one build (BUILD=)
	@scripts/run-tests $(unit_tests)
check-screens: all $(screen_tests) ## screen tests of one build, in a pseudo-terminal
	@scripts/run-tests $(screen_tests)
check-capture: all programs $(capture_tests) ## tests that trace real MPI programs
	@scripts/run-tests $(capture_tests)
check-asan: ## unit and screen tests under the sanitizers
	@$(MAKE) --no-print-directory BUILD=asan tests
	@scripts/run-tests $(call as_asan,$(unit_tests) $(screen_tests))
SECONDS ?= 600
monkey: ## random keys under the sanitizers for SECONDS=600
	@$(MAKE) --no-print-directory BUILD=asan asan build/asan/tests/ui/app/monkey_test
	@MONKEY_SECONDS=$(SECONDS) build/asan/tests/ui/app/monkey_test
as_asan   = $(patsubst $(OUT)/%,build/asan/%,$(1))
jobs      = --no-print-directory $(if $(findstring j,$(filter-out --%,$(MAKEFLAGS))),,-j$$(nproc))
stage     = @date '+%H:%M:%S $(1)'
check: ## set up, build, all static checks, every test in release and under the sanitizers
	@scripts/setup test
	$(call stage,build)
	$(Q)$(MAKE) $(jobs) POOLED=1 tests programs
	$(call stage,layers headers documents)
	$(Q)$(MAKE) $(jobs) layers circles headers-check doc-check
	$(call stage,lint)
	$(Q)$(MAKE) $(jobs) lint
	$(call stage,build with sanitizers)
	$(Q)$(MAKE) $(jobs) BUILD=asan POOLED=1 tests
	$(Q)$(MAKE) $(jobs) BUILD=tsan build/tsan/lib/tview/libtvcapture.so
	$(call stage,tests)
	@scripts/run-tests $(filter-out $(played),$(unit_tests) $(call as_asan,$(unit_tests))) \
		--again $(played) $(capture_tests) $(scripts_tests) $(screen_tests) $(call as_asan,$(screen_tests))
screens-update: all $(screen_tests) ## write the snapshots of tests/screens anew, for review
	@SCREENS_UPDATE=1 $(screen_tests)

generate: $(OUT)/generate ## a program that writes large traces, for benchmarks and proofs of scale
$(OUT)/generate: $(call obj,$(gen_src)) $(OUT)/libtview.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
simulate: $(OUT)/simulate ## a program that simulates runs and writes what a capture would have written, and the truth
$(OUT)/simulate: $(call obj,$(sim_src)) $(OUT)/libtview.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
$(fault_src:%.c=$(OUT)/%): %: %.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^
faults: tests programs ## system calls of export, convert, cache, merge and capture fail, of each place that makes some (FAULTS=all: each call)
	@FAULTS=$(or $(FAULTS),places) TEST_SECONDS=14400 scripts/run-tests tests/faults/faults_test.sh tests/faults/faults_capture_test.sh tests/faults/faults_alloc_test.sh
own_benches := parallel scaling statements noise inject causes limits peers
bench: all generate simulate $(OUT)/bench $(OUT)/libskew.so $(bench_programs:%.c=$(OUT)/%) ## loading against yardsticks, memory, screen, keys, merging, accuracy, capture (BENCH=parallel, scaling, noise, inject, causes, limits, peers: beside otf2-print, python3-otf2 and ViTE, full: 50 million events)
	@if command -v mpiexec.mpich >/dev/null && command -v $(firstword $(MPICC)) >/dev/null; then \
		$(MAKE) $(jobs) programs; fi
	@if [ -z "$(BENCH)" ] || [ -n "$(filter-out $(own_benches),$(BENCH))" ]; then \
		$(OUT)/bench $(OUT) build/bench $(BENCH); fi
	@if [ -z "$(BENCH)" ] || [ -n "$(filter full capture,$(BENCH))" ]; then scripts/bench-capture $(OUT) $(BENCH); fi
	@if [ -n "$(filter full parallel,$(BENCH))" ]; then scripts/bench-parallel $(OUT) build/bench; fi
	@if [ -n "$(filter full scaling,$(BENCH))" ]; then scripts/bench-scaling $(OUT) build/bench; fi
	@if [ -n "$(filter full noise,$(BENCH))" ]; then scripts/bench-noise $(OUT) build/bench; fi
	@if [ -n "$(filter full limits,$(BENCH))" ]; then scripts/bench-limits $(OUT); fi
	@if [ -n "$(filter full statements,$(BENCH))" ]; then scripts/bench-statements $(OUT); fi
	@if [ -n "$(filter peers,$(BENCH))" ]; then scripts/bench-peers $(OUT) $(EVENTS); fi
	@if [ -n "$(filter inject,$(BENCH))" ]; then scripts/bench-inject $(OUT); fi
	@if [ -n "$(filter full causes,$(BENCH))" ]; then scripts/bench-causes $(OUT) $(RANKS:%=-n %); fi
	@if [ -z "$(filter-out full overhead accuracy,$(BENCH))" ]; then scripts/bench-overhead $(OUT); fi
$(OUT)/libskew.so: $(call obj,$(skew_src))
	$(call say,LD,$@)
	$(Q)$(CC) $(LIB_CFLAGS) $(LDFLAGS) -shared -o $@ $^ -lm
$(fail_alloc_src:%.c=$(OUT)/%.so): %.so: %.o
	$(call say,LD,$@)
	$(Q)$(CC) $(LIB_CFLAGS) $(LDFLAGS) -shared -o $@ $^ -ldl
$(OUT)/bench: $(call obj,$(bench_src) tests/harness/rest.c)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lutil -lm
$(bench_programs:%.c=$(OUT)/%): $(OUT)/%: $(OUT)/%.o $(OUT)/libtview.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

PROVE ?=
prove: all ## programs from Debian's sources, built with and without tvcc: the same results? (PROVE="lua zlib": those)
	@WARNINGS=all tests/cc/compile_test.sh | grep 'warning'
	@MPICC="$(MPICC)" scripts/prove-tvcc $(OUT) $(PROVE)

FUZZ_SECONDS ?= 60
fuzz: ## fuzz the readers, FUZZ_SECONDS each (libFuzzer)
	$(Q)$(MAKE) BUILD=fuzz CC=clang-14 $(fuzz_src:%.c=build/fuzz/%)
	@scripts/fuzz $(FUZZ_SECONDS) $(fuzz_src:%.c=build/fuzz/%)
# Comparisons are traced where input is read. Where it is analysed or written that takes much of the time, and finds nothing.
ifeq ($(BUILD),fuzz)
$(call obj,$(filter src/base/% src/model/build/% src/model/trace/% src/model/sums/% src/model/picl/write/% \
	src/model/otf2/write/% src/correct/% src/patterns/% tests/harness/%,$(lib_src) $(aid_src))): private ALL_CFLAGS += -O2 -fno-sanitize-coverage=trace-cmp
endif
$(OUT)/tests/fuzz/tvcc_fuzz $(OUT)/tests/fuzz/tvcc_inputs: $(OUT)/libcc.a
$(addprefix $(OUT)/tests/fuzz/library_,fuzz inputs): $(call obj,$(library_src))
$(fuzz_src:%.c=$(OUT)/%): $(OUT)/%: $(OUT)/%.o $(call obj,$(blocks_src)) $(OUT)/librun.a $(OUT)/libaid.a $(OUT)/libtview.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $(filter-out %.a,$^) \
		$(filter %libcc.a,$^) $(filter %librun.a %libaid.a,$^) $(filter %libtview.a,$^) $(LIBS) $(RUN_LIBS)
# The same without a fuzzer, for tests/fuzz/inputs_test.sh.
$(inputs): $(OUT)/%_inputs: $(OUT)/%_fuzz.o $(call obj,$(inputs_src)) $(OUT)/librun.a $(OUT)/libaid.a $(OUT)/libtview.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -Wl,--strip-debug -o $@ $(filter-out %.a,$^) \
		$(filter %libcc.a,$^) $(filter %librun.a %libaid.a,$^) $(filter %libtview.a,$^) $(LIBS) $(RUN_LIBS)

# Manual pages: what is in the program's tables comes from there.
pages_in := $(wildcard doc/man/*.in)
doc: $(OUT)/doc/man/manual ## write the manual pages anew from their .in and the program's tables
	$(Q)for page in $(pages_in); do $< <$$page >$${page%.in} || exit 1; done
doc-check: $(OUT)/doc/man/manual
	$(Q)for page in $(pages_in); do $< <$$page | cmp - $${page%.in} || \
		{ echo "$${page%.in} is not what the tables say: make doc" >&2; exit 1; }; done
$(OUT)/doc/man/manual: $(OUT)/doc/man/manual.o $(OUT)/src/capture/run/runopts.o $(OUT)/libcc.a $(OUT)/libtview.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# Static checks.
layers: ## includes follow the layers, file names are unique, files and functions small
	@scripts/layers
circles: all ## no circle of calls between files leaves its room; those inside rooms are listed
	@scripts/circles $(OUT)
# What its own file includes first has compiled alone there.
first_included = $(shell awk '/^\#include/ { h = FILENAME; sub(/c$$/, "h", h); i = $$2; gsub(/"/, "", i); if (index(h "$$", "/" i "$$")) print h; nextfile }' \
	$(c_files))
headers  := $(if $(filter headers-check,$(MAKECMDGOALS)),$(filter-out $(first_included),$(h_files)))
headers-check: $(headers:%.h=$(OUT)/headers/%.ok) ## every header compiles alone, where no file shows it
$(OUT)/headers/%.ok: %.h $(OUT)/.flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -Itests -Iinclude $(MPI_INC) $(CLANG_INC) $(ALL_CFLAGS) -MF $(@:.ok=.d) -MT $@ \
		-fsyntax-only -include $< -x c /dev/null && touch $@

reproducible: ## builds the programs twice in other folders and compares them
	@scripts/reproducible CC="$(CC)"
FILES    = $(c_files)
lint: lint-text lint-code ## clang-format, clang-tidy, cppcheck, shellcheck, words
lint-text:
	@clang-format-14 --dry-run -Werror $(c_files) $(h_files) $(prog_src) $(wildcard examples/*.c python/tview/*.h)
	@scripts/words
	@shellcheck -x -S warning .ci/run $(shell grep -lE '^\#!/bin/(ba)?sh' -r scripts tests traces)
LINT_FLAGS = -std=c11 $(CPPFLAGS) -Itests -Iinclude -I$(OUT)/gen $(MPI_INC) $(CLANG_INC) $(PYTHON_INC) -DTEST_BUILD='""'
lint-code: $(fortran_def) ## clang-tidy and cppcheck alone; FILES="a.c b.c": of these
	@scripts/lint $(filter-out $(abi_src),$(FILES)) -- $(LINT_FLAGS)
	@scripts/lint $(filter $(abi_src),$(FILES)) -- $(LINT_FLAGS) -include src/capture/lib/mpi/abi_openmpi.h

# Installation. The programs look for ../lib/tview beside themselves, so the tree can be moved.
bin      := $(DESTDIR)$(PREFIX)/bin
lib      := $(DESTDIR)$(PREFIX)/lib/tview
linked   := $(DESTDIR)$(LIBDIR)
include  := $(DESTDIR)$(PREFIX)/include
share    := $(DESTDIR)$(PREFIX)/share
man      := $(share)/man/man1
# Where Debian's Python looks below /usr, and below /usr/local.
packages := $(DESTDIR)$(PREFIX)/lib/python$(if $(filter /usr/local,$(PREFIX)),$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null),3)/dist-packages
keys     := $(share)/man/man7/tview-keys.7
bash     := $(share)/bash-completion/completions/tview
zsh      := $(share)/zsh/site-functions/_tview
fish     := $(share)/fish/vendor_completions.d/tview.fish
install: all ## PREFIX=/usr/local LIBDIR=PREFIX/lib DESTDIR= (the module of Python, too, if it was made)
	install -d $(bin) $(lib) $(linked)/pkgconfig $(include)/tview $(man) $(dir $(keys) $(bash) $(zsh) $(fish))
	install -m 755 $(OUT)/tview $(tvrun) $(replay) $(bin)
	install -m 755 $(OUT)/tvcc $(bin)
	ln -sf tvcc $(bin)/tvcxx
	ln -sf tvcc $(bin)/tvfc
	install -m 755 $(capture) $(tvinstrument) $(lib)
	install -m 644 include/tview.h include/tview.f90 $(include)
	install -m 644 $(wildcard include/tview/*.h) $(include)/tview
	install -m 755 $(library) $(linked)
	ln -sf $(notdir $(library)) $(linked)/libtview.so
	install -m 644 $(static_library) $(linked)
	sed 's|@PREFIX@|$(PREFIX)|;s|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|;s|@VERSION@|$(version_number)|;s|@PRIVATE@|$(LIBS)|' src/library/tview.pc.in >$(linked)/pkgconfig/tview.pc
	$(if $(wildcard $(python)),install -d $(packages)/tview)
	$(if $(wildcard $(python)),install -m 644 $(python) $(packages)/tview)
	install -m 644 $(wildcard doc/man/*.1) $(man)
	install -m 644 doc/man/tview-keys.7 $(keys)
	ln -sf tvcc.1 $(man)/tvcxx.1
	ln -sf tvcc.1 $(man)/tvfc.1
	install -m 644 doc/man/tview.bash $(bash)
	install -m 644 doc/man/tview.zsh $(zsh)
	install -m 644 doc/man/tview.fish $(fish)
uninstall: ## the same places
	rm -rf $(lib) $(include)/tview $(packages)/tview
	rm -f $(linked)/libtview.so $(linked)/$(notdir $(library)) $(linked)/libtview.a $(linked)/pkgconfig/tview.pc
	rm -f $(keys) $(bash) $(zsh) $(fish)
	rm -f $(bin)/tvcc $(bin)/tvcxx $(bin)/tvfc $(man)/tvcxx.1 $(man)/tvfc.1
	rm -f $(bin)/tview $(bin)/tview-replay $(bin)/tvrun $(include)/tview.h $(include)/tview.f90 $(patsubst doc/man/%,$(man)/%,$(wildcard doc/man/*.1))

dist: ## the sources as build/tview-VERSION.tar.gz
	@mkdir -p build
	git archive --prefix=$(version)/ -o build/$(version).tar.gz HEAD
	@echo build/$(version).tar.gz
deb: dist ## Debian packages of the last commit, in build/deb (needs debhelper, dh-python and what scripts/packages lists)
	@rm -rf build/deb && mkdir -p build/deb && tar -xf build/$(version).tar.gz -C build/deb
	@cp build/$(version).tar.gz build/deb/tview_$(version_number).orig.tar.gz
	@cp -R debian build/deb/$(version) && cd build/deb/$(version) && dpkg-buildpackage -us -uc
bundle: all $(call obj,$(replay_src)) ## build/tview-VERSION-MACHINE.tar.xz, for machines without root: needs libc 2.27 and no other library
	@CC="$(CC)" scripts/bundle/make $(OUT) build/$(version)-$$(uname -m).tar.xz
version_number = $(shell sed -n 's/.*TVIEW_VERSION *"\(.*\)"/\1/p' src/base/version.h)
version   = tview-$(version_number)

compile_commands: ## compile_commands.json for editors (needs bear)
	bear -- $(MAKE) -B tests

clean: ## remove everything that was built
	rm -rf build compile_commands.json

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16 | sort

FORCE:
.PHONY: all python asan programs setup demo tests check monkey check-unit check-screens check-capture check-asan \
	screens-update bench prove generate simulate fuzz faults doc doc-check layers circles headers-check lint lint-text lint-code reproducible install \
	uninstall dist deb bundle compile_commands clean help FORCE
-include $(objects:.o=.d) $(wire:.o=.d) $(foreach abi,$(abis),$(abi_src:src/capture/lib/mpi/%.c=$(OUT)/abi/$(abi)/%.d))
