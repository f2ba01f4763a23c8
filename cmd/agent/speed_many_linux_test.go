package main

import (
	"fmt"
	"testing"
)

// measureMany starts 200 runs of `agent run` in one workspace and measures the memory of
// each while all wait for their answers.
func measureMany(b *testing.B) string {
	const n = 200
	m := startMany(b, n)
	m.wait()
	memory := 0.0
	for _, cmd := range m.cmds {
		memory += process(cmd.Process.Pid).memory(b)
	}
	failures := m.finish()
	return fmt.Sprintf("%d; %d; %s", failures, m.valid(), mebibytes(memory/n))
}
