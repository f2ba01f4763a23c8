# make run and make test need only Go and git.
GO      ?= go
DIR     ?= .
JOBS    ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 4)
LDFLAGS := -s -w
# Builds, checks and tests share compiled packages, so all of them use the setting of the
# released program. Only the race detector needs cgo.
export CGO_ENABLED := 0
# A limit against tests that hang, far above what the slowest machine needs.
HANG    := 30m
# By default, a program with the race detector waits a second before it exits.
RACE    := CGO_ENABLED=1 GORACE=atexit_sleep_ms=100 $(GO) test -race -short -vet=off -timeout $(HANG)
# Programs for other systems are compiled only to find errors: without optimization that takes two thirds of the time.
FOREIGN := -gcflags='all=-N -l -dwarf=false'
# Some shells do not expand ~ after DIR=.
WHERE   := $(patsubst ~%,$(HOME)%,$(DIR))

# Tests of the whole program that run with the race detector: those with signals,
# several agents and long scripts. Tests of its packages cover the rest.
RACY    := Interrupt|Signal|Delegate|Story
# Tests of the screen that start goroutines.
SCREEN  := Pump|Relay|Run|Plain|Deadlock|Stream|Batches|AtATerminal
# Packages that do not need the race detector: neither they nor their tests start goroutines.
SERIAL  := cmd/agent/desktop|internal|internal/(elicit|link|realpath|sampling|textdiff)|internal/llm/(text|marker|mask|phrase|strict|script/scenes)
SERIAL  := $(SERIAL)|internal/loop/(export.*|window|event|hunk|plan|policy/command|situation)
SERIAL  := $(SERIAL)|internal/tools/(advice|edit|read|search/dfa|search/wildmatch|snapshot|toolchain)
SERIAL  := $(SERIAL)|internal/tui/(transcript|markdown|diff|dialog|editor.*|ink|keys|list)

.PHONY: run build install test check generate cases vim-cases bench promises pictures clean

## run: build, then open the program in DIR; prints what it downloads and compiles
run:
	@echo "building agent (the first build downloads and compiles its libraries: about a minute) ..."
	@$(MAKE) --no-print-directory -s build V=-v
	@cd "$(WHERE)" && exec "$(CURDIR)/bin/agent" $(ARGS)

## build: one static binary, bin/agent
build:
	$(GO) build $(V) -trimpath -ldflags "$(LDFLAGS)" -o bin/agent ./cmd/agent

## install: install the binary into Go's bin directory; NAME=other installs it under another name
NAME ?= agent
install:
	@dir=$$($(GO) env GOBIN); dir="$${dir:-$$($(GO) env GOPATH)/bin}"; file="$$dir/$(NAME)$$($(GO) env GOEXE)"; mkdir -p "$$dir" && \
	$(GO) build -trimpath -ldflags "$(LDFLAGS)" -o "$$file" ./cmd/agent && echo "installed $$file"

## test: run all tests, those of the program beside JOBS other packages; brute-force tests try a sample (see internal/sampling); vet is a part of make check
test:
	@echo "compiling (slow the first time) ..."
	@$(GO) build -v ./...
	@{ echo ./cmd/agent; $(GO) list ./... | grep -v '/cmd/agent$$' | paste -s -d ' ' -; } | xargs -L 1 -P 2 $(GO) test -vet=off -timeout $(HANG) -p $(JOBS)

## check: formatting, vet and builds for three systems, staticcheck, tests with the race detector
check:
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "not formatted (run gofmt -w):"; echo "$$out"; exit 1; fi
	$(GO) mod tidy -diff
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) build -o /dev/null ./cmd/agent
	for os in darwin windows; do GOOS=$$os $(GO) vet $(FOREIGN) ./... && GOOS=$$os $(GO) build $(FOREIGN) -o /dev/null ./cmd/agent || exit 1; done
	$(RACE) $$($(GO) list ./... | grep -vE '/(cmd/agent|internal/tui|$(SERIAL))$$')
	$(RACE) -run '$(RACY)' ./cmd/agent
	$(RACE) -run '$(SCREEN)' ./internal/tui

## generate: write the generated parts of the help topics and of the README, the JSON schemas and the licenses of libraries
generate:
	UPDATE=1 $(GO) test -count=1 -run 'TestNotices$$' ./cmd/agent/licenses
	UPDATE=1 $(GO) test -count=1 -run 'TestHelpTables$$' ./cmd/agent
	UPDATE=1 $(GO) test -count=1 -run 'TestSchema$$' ./cmd/agent/settings
	$(GO) test -count=1 -run 'Schema$$' ./internal/loop/event -update
	UPDATE=1 $(GO) test -count=1 -run 'TestSchema$$' ./cmd/agent/headless

## cases: run the tests over the cases in the directory AGENT_CASES
cases:
	@if [ -z "$$AGENT_CASES" ] || [ -z "$$(ls -A "$$AGENT_CASES" 2>/dev/null)" ]; then \
		echo "set AGENT_CASES to a directory of cases: it is unset or empty"; exit 1; fi
	$(GO) test -count=1 -run 'Cases$$' -v $$(grep -rlE --include='*_test.go' 'func Test\w*Cases\(' . | xargs -n 1 dirname | sort -u) | grep -E '^(=== RUN +[A-Za-z]+$$|--- (FAIL|SKIP)|FAIL|ok|panic)|^ +.*_test.go' ; exit $${PIPESTATUS[0]}

cases: SHELL := /bin/bash

## vim-cases: record how vim handles random keys, for the tests of vim mode; SEED=2 tries other keys
vim-cases:
	$(GO) test -count=1 -v -run VimCases ./internal/tui/editor/text/vi -record 3000 -seed $(or $(SEED),1)

## bench: run the benchmarks and print the table of speed; UPDATE=1 writes it into internal/speed.md
## bench BASE=PROGRAM: compare the speed with another program, such as an older one; ROWS='start run' chooses rows, MOST=1.5 allows more, PAIRS=1 measures again only what is worse
## bench BASE_REV=REVISION: the same with the program of another revision
ifneq ($(BASE)$(BASE_REV),)
bench:
	@base=$(BASE); \
	if [ -n "$(BASE_REV)" ]; then \
		tree=$$(mktemp -d) && trap 'git worktree remove --force "$$tree/source"; rm -rf "$$tree"' EXIT && trap 'exit 1' INT TERM && \
		git worktree add --quiet --detach "$$tree/source" "$(BASE_REV)" && base=$$tree/base && \
		(cd "$$tree/source" && $(GO) build -trimpath -ldflags "$(LDFLAGS)" -o "$$base" ./cmd/agent) || exit 1; \
	fi; \
	AGENT_BENCH_BASE=$$(realpath "$$base") ROWS='$(ROWS)' MOST='$(MOST)' PAIRS='$(PAIRS)' $(GO) test -count=1 -v -run '^TestCompareSpeed$$' -timeout 180m ./cmd/agent
else
bench:
	$(GO) test -run '^$$' -bench . -skip Speed -benchmem ./...
	$(GO) test -run '^$$' -bench Speed -benchtime 1x -timeout 30m ./cmd/agent
endif

## promises: run all tests with all their cases and print the measured figure of each guarantee; takes minutes; UPDATE=1 writes those of safety into the help topic
promises:
	@mkdir -p bin; STORM=$${STORM:-1000} UPDATE= $(GO) test -count=1 -timeout 60m -v ./... > bin/promises.log 2>&1; code=$$?; \
		sed -n 's/^=== ATTR  [^ ]* promise //p' bin/promises.log | sort | sed 's/\(.*\): /\1\t/' | awk -F '\t' '{ printf "%-110s %s\n", $$1, $$2 }'; \
		if [ $$code -ne 0 ]; then grep -E '^ *(--- FAIL|.*_test.go)' bin/promises.log; exit 1; fi; \
		if [ -n "$$UPDATE" ]; then PROMISES=$(CURDIR)/bin/promises.log $(GO) test -count=1 -run 'TestReliabilityTable$$' ./cmd/agent || exit 1; fi; \
		rm -f bin/promises.log

## pictures: draw the README's animated picture from real screens
pictures:
	PICTURES=1 $(GO) test -count=1 -run TestPictures ./cmd/agent

## clean: remove what was built
clean:
	rm -rf bin
