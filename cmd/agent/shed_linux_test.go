package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Only what belongs to the program's file, cannot be written to and was never
// changed is let go.
func TestCleanMappings(t *testing.T) {
	const smaps = `00400000-00fdf000 r-xp 00000000 00:20 77 /usr/bin/agent
Size:              12156 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
00fdf000-01fcf000 r--p 00bdf000 00:20 77 /usr/bin/agent
Anonymous:             0 kB
01fcf000-01fd0000 r--p 00bdf000 00:20 77 /usr/bin/agent
Anonymous:             4 kB
01fd0000-02183000 rw-p 01bcf000 00:20 77 /usr/bin/agent
Anonymous:             0 kB
7f7e9150a000-7f7e9156a000 r--p 00000000 00:20 78 /usr/lib/agent
Anonymous:             0 kB
7f7e9156a000-7f7e9157a000 r--p 00000000 00:00 0
Anonymous:             0 kB
`
	got := clean([]byte(smaps), "/usr/bin/agent")
	want := []mapping{{0x400000, 0xfdf000}, {0xfdf000, 0x1fcf000}}
	if d := cmp.Diff(got, want, cmp.AllowUnexported(mapping{})); d != "" {
		t.Errorf("mappings (-got +want):\n%s", d)
	}
}

// A program goes on without the pages that it let go, as they come back.
func TestLetGo(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	if len(clean(smaps, path)) == 0 {
		t.Fatalf("nothing of %s can be let go:\n%s", path, smaps)
	}
	for range 3 {
		letGo()
		if got := strings.ToUpper(commandTable()); !strings.Contains(got, "AGENT RUN") {
			t.Errorf("got %q", got)
		}
	}
}
