package main

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// shed gives back the pages of the program itself that only its start needed:
// tables are built there that touch most of the binary once, some 16 MiB, which
// would count as its memory from then on. What is used again is mapped again
// from the system's cache, 64 KiB at a time. It takes a fraction of a
// millisecond, and nothing is lost: only mappings that nothing was ever written
// to are let go.
func shed(ctx context.Context) {
	select {
	case <-time.After(startUp):
		letGo()
	case <-ctx.Done():
	}
}

// letGo does what shed does, at once: what runs only for a moment never needs
// much of what its start did.
func letGo() {
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	exe, err := os.Executable()
	if err != nil {
		return
	}
	for _, m := range clean(maps, exe) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED)
	}
}

// mapping is a range of addresses.
type mapping struct{ from, to uintptr }

// clean returns the mappings of a file that cannot be written to and hold no
// page that differs from the file.
func clean(smaps []byte, file string) (all []mapping) {
	var last *mapping // of the file, whose lines follow
	for line := range strings.Lines(string(smaps)) {
		words := strings.Fields(line)
		switch {
		case len(words) < 2:
		case !strings.HasSuffix(words[0], ":"):
			last = nil
			if m, ok := parseMapping(words[0]); ok && strings.HasPrefix(words[1], "r-") && strings.HasSuffix(line, " "+file+"\n") {
				last = &m
			}
		case last != nil && words[0] == "Anonymous:" && words[1] == "0":
			all = append(all, *last)
		}
	}
	return all
}

// parseMapping reads "400000-fdf000".
func parseMapping(text string) (mapping, bool) {
	from, to, _ := strings.Cut(text, "-")
	a, err := strconv.ParseUint(from, 16, strconv.IntSize)
	b, err2 := strconv.ParseUint(to, 16, strconv.IntSize)
	return mapping{uintptr(a), uintptr(b)}, err == nil && err2 == nil
}
