package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// measureSteps plays a turn of many steps, and compares the CPU time of the last ones with
// that of the first ones.
func measureSteps(b *testing.B) string {
	const steps, begin, some = 1000, 10, 50
	files := map[string]string{}
	s := newPacer(b)
	var p process
	started := make(chan struct{})
	var cpu []time.Duration // at the end of each answer
	var early, late float64
	note := func() {
		<-started
		cpu = append(cpu, p.cpu(b))
		switch len(cpu) {
		case begin:
			early = p.memory(b)
		case steps:
			late = p.memory(b)
		}
	}
	for i := range steps {
		name := fmt.Sprintf("part%04d.txt", i) // different files: repeating a call would need permission
		files[name] = fmt.Sprintf("part %d\n", i)
		s.next(play{call: name, last: note})
	}
	s.next(play{tokens: []string{"All is read."}})
	h := newHome(b, files, s.env()...)
	cmd := exec.Command("agent", "run", "--max-steps", "2000", "read all parts")
	cmd.Dir, cmd.Env = h.work, h.env
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	p = process(cmd.Process.Pid)
	close(started)
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "All is read.") || len(cpu) != steps {
		b.Fatalf("%v after %d steps: %s", err, len(cpu), out.String())
	}
	var each []time.Duration
	for i := range cpu[1:] {
		each = append(each, cpu[i+1]-cpu[i])
	}
	first, last := median(each[begin:begin+some]), median(each[len(each)-some:])
	b.Logf("a step takes %v at the beginning, %v at the end", first, last)
	return fmt.Sprintf("%.2f times; %s; %s", float64(last)/float64(first), mebibytes(early), mebibytes(late))
}
