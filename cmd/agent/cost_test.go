//go:build !race

package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// initBytes are the limits, in bytes, of what the packages that allocate most can
// allocate before main: a quarter more than today. Allocation predicts the time of
// an init and is the same on every machine.
var initBytes = map[string]int{
	"github.com/alecthomas/chroma/v2/lexers": 3_100_000,
	"github.com/alecthomas/chroma/v2/styles": 2_100_000,
	"github.com/microcosm-cc/bluemonday/css": 620_000,
	"github.com/microcosm-cc/bluemonday":     370_000,
	"github.com/yuin/goldmark/extension":     340_000,
	"github.com/gorilla/css/scanner":         280_000,
}

// otherBytes is the limit for every other package.
const otherBytes = 200_000

// TestStartCosts limits allocation before main, which every start pays for.
func TestStartCosts(t *testing.T) {
	cmd := exec.Command("agent", "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes`).FindAllStringSubmatch(trace.String(), -1)
	if len(rows) < 20 {
		t.Fatalf("got a trace of %d packages, want one of many:\n%s", len(rows), trace.String())
	}
	for _, r := range rows {
		limit, ok := initBytes[r[1]]
		if !ok {
			limit = otherBytes
		}
		if n, err := strconv.Atoi(r[2]); err != nil || n > limit {
			t.Errorf("the init of %s allocates %s bytes, want %d at most", r[1], r[2], limit)
		}
	}
}
