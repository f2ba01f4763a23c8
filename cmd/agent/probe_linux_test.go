package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// mainProbe looks for keys in the processes of the program and in the files of a
// directory, as a hostile command would. Its arguments are a file with the keys, one a
// line, written backwards so that neither the file nor the arguments hold one, and the
// directory. It prints a line for each place where it found one: "found LINE in WHAT of
// NAME" or "found LINE in PATH".
func mainProbe() {
	b, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var keys [][]byte
	for line := range bytes.Lines(b) {
		line = bytes.TrimSpace(line)
		slices.Reverse(line)
		keys = append(keys, line)
	}
	looked := 0
	for _, pid := range agentProcesses() {
		if pid == os.Getpid() {
			continue
		}
		looked++
		name := nameOf(pid)
		for i, key := range keys {
			for _, what := range keptBy(pid, key) {
				fmt.Printf("found %d in %s of %s\n", i, what, name)
			}
		}
		if traceable(pid) {
			fmt.Printf("found a way to trace %s\n", name)
		}
	}
	fmt.Printf("looked into %d processes and %d files\n", looked, probeFiles(os.Args[2], keys))
}

// probeFiles searches the files in dir that it can read, and returns their number.
func probeFiles(dir string, keys [][]byte) (looked int) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		looked++
		for i, key := range keys {
			if bytes.Contains(b, key) {
				fmt.Printf("found %d in %s\n", i, path)
			}
		}
		return nil
	})
	return looked
}

// agentProcesses returns the processes of the program, its helpers, and their test
// equivalents. It excludes the test itself, agent.test, which knows the keys.
func agentProcesses() (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err == nil && regexp.MustCompile(`^agent($|: |-with-a-fault$|-control$)`).MatchString(nameOf(pid)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// nameOf returns the name that a process was started under.
func nameOf(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	first, _, _ := strings.Cut(string(b), "\x00")
	return filepath.Base(first)
}

// keptBy returns where a process holds key: in its arguments, its environment or
// its memory, as far as they can be read.
func keptBy(pid int, key []byte) (found []string) {
	for _, what := range []string{"cmdline", "environ"} {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, what))
		if bytes.Contains(b, key) {
			found = append(found, what)
		}
	}
	if inMemory(pid, key) {
		found = append(found, "mem")
	}
	return found
}

// inMemory reports whether a process holds key in memory that it can write to.
func inMemory(pid int, key []byte) bool {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return false
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return false
	}
	defer mem.Close()
	for line := range strings.Lines(string(maps)) {
		words := strings.Fields(line)
		var from, to int64
		if _, err := fmt.Sscanf(words[0], "%x-%x", &from, &to); err != nil || !strings.HasPrefix(words[1], "rw") {
			continue
		}
		const piece = 1 << 20
		b := make([]byte, piece+len(key)) // a key across two pieces is in the first
		for at := from; at < to; at += piece {
			n, _ := mem.ReadAt(b[:min(int64(len(b)), to-at)], at)
			if bytes.Contains(b[:n], key) {
				return true
			}
		}
	}
	return false
}

// traceable reports whether a process can be traced, other than a helper of the
// program: those hold no keys, and the kernel lets a command trace its parent.
func traceable(pid int) bool {
	const seize, detach = 0x4206, 17 // seizing does not stop a process
	if strings.HasPrefix(nameOf(pid), "agent: ") || nameOf(pid) == controlName {
		return false
	}
	if _, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, seize, uintptr(pid), 0, 0, 0, 0); errno != 0 {
		return false
	}
	_, _, _ = syscall.Syscall6(syscall.SYS_PTRACE, detach, uintptr(pid), 0, 0, 0, 0)
	return true
}

// controlName is the name of a process that holds a key where it can be found.
const controlName = "agent-control"

// mainControl is that process. It prints a line and waits for the end of its input.
func mainControl() {
	fmt.Println("started")
	_, _ = io.Copy(io.Discard, os.Stdin)
}
