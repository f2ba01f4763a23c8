package tools_test

import (
	"os"
	"testing"

	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/shell/supervisor"
	"agent/internal/tools/snapshot/snapshottest"
)

// TestMain also runs the helper processes of the commands that the tests start.
func TestMain(m *testing.M) {
	supervisor.Run(snapshottest.Open)
	sandbox.Run()
	os.Exit(m.Run())
}
