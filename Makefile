# make run and make test need Go and git, and nothing else.
GO      ?= go
DIR     ?= .
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
# A shell that does not expand ~ behind = leaves it to us.
WHERE   := $(patsubst ~%,$(HOME)%,$(DIR))

.PHONY: run build install test check cases vim-cases bench promises pictures clean

## run: build, then open the terminal program in DIR
run:
	@echo "building agent (the first time, its libraries are fetched: about a minute) ..."
	@$(MAKE) --no-print-directory -s build
	@cd "$(WHERE)" && exec "$(CURDIR)/bin/agent" $(ARGS)

## build: one static binary, bin/agent
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "$(LDFLAGS)" -o bin/agent ./cmd/agent

## install: the same into go's bin directory
install:
	CGO_ENABLED=0 $(GO) install -trimpath -ldflags "$(LDFLAGS)" ./cmd/agent

## test: all tests; no network but the module proxy
test:
	$(GO) test ./...

## check: formatting, vet and builds for three systems, staticcheck, tests with the race detector
check:
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "gofmt these:"; echo "$$out"; exit 1; fi
	$(GO) mod tidy -diff
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	for os in linux darwin windows; do GOOS=$$os CGO_ENABLED=0 $(GO) build -o /dev/null ./cmd/agent || exit 1; done
	for os in darwin windows; do GOOS=$$os CGO_ENABLED=0 $(GO) vet ./... || exit 1; done
	$(GO) test -race ./...

## cases: the tests over the cases in the directory AGENT_CASES
cases:
	@if [ -z "$$AGENT_CASES" ] || [ -z "$$(ls -A "$$AGENT_CASES" 2>/dev/null)" ]; then \
		echo "AGENT_CASES must name a directory of cases: it is unset or empty"; exit 1; fi
	$(GO) test -count=1 -run 'Cases$$' -v ./... | grep -E '^(=== RUN +[A-Za-z]+$$|--- (FAIL|SKIP)|FAIL|ok|panic)|^ +.*_test.go' ; exit $${PIPESTATUS[0]}

## vim-cases: ask vim anew what its keys do, for the tests of the editor; SEED=2 asks other questions
vim-cases:
	$(GO) test -count=1 -v -run VimCases ./internal/tui/editor/text/vi -record 3000 -seed $(or $(SEED),1)

## bench: the benchmarks, and at the end the table of what people feel; UPDATE=1 writes it into the README
bench:
	$(GO) test -run '^$$' -bench . -skip Speed -benchmem ./...
	$(GO) test -run '^$$' -bench Speed -benchtime 1x -timeout 30m ./cmd/agent

## clean: remove what was built
clean:
	rm -rf bin

cases: SHELL := /bin/bash

## promises: what this program promises, and the figure measured for each; takes minutes
promises:
	@mkdir -p bin; STORM=$${STORM:-1000} $(GO) test -count=1 -timeout 60m -v ./... > bin/promises.log 2>&1; code=$$?; \
		sed -n 's/^=== ATTR  [^ ]* promise //p' bin/promises.log | sort | sed 's/\(.*\): /\1\t/' | awk -F '\t' '{ printf "%-110s %s\n", $$1, $$2 }'; \
		if [ $$code -ne 0 ]; then grep -E '^ *(--- FAIL|.*_test.go)' bin/promises.log; exit 1; fi; rm -f bin/promises.log

## pictures: draw the README's pictures anew, from real screens
pictures:
	PICTURES=1 $(GO) test -count=1 -run TestPictures ./cmd/agent
