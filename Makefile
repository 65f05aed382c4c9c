# tview: one GNU Makefile. `make help` lists the targets.
BUILD  ?= release
OUT    := build/$(BUILD)
PREFIX ?= /usr/local
CC     ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif

WARN   := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wwrite-strings -Wcast-qual
CPPFLAGS += -Isrc -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE
CFLAGS_release := -O2 -g -D_FORTIFY_SOURCE=2 -fstack-protector-strong
CFLAGS_debug   := -O0 -g3
CFLAGS_asan    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
CFLAGS_cov     := -O0 -g --coverage
ALL_CFLAGS = -std=c11 $(WARN) $(CFLAGS_$(BUILD)) -MMD -MP $(CFLAGS)
Q := $(if $(V),,@)

LIBS = $(shell pkg-config --libs ncursesw libpcre2-8)
LIBS += -lutf8proc -lpthread -lm

lib_src := $(wildcard src/base/*.c src/model/*.c src/correct/*.c src/patterns/*.c src/ui/*.c)
lib_obj := $(lib_src:%.c=$(OUT)/%.o)

all: $(OUT)/tview

$(OUT)/tview: $(OUT)/src/tview.o $(OUT)/libtview.a
	@echo "  LD   $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(OUT)/libtview.a: $(lib_obj)
	$(Q)rm -f $@ && ar rcs $@ $^

$(OUT)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

clean:
	rm -rf build

.PHONY: all clean
-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
