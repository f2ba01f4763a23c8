package loop_test

import (
	"os"
	"testing"

	"agent/internal/tools/shell/supervisor"
)

// TestMain runs the supervisor processes of the commands that the tests start.
func TestMain(m *testing.M) {
	supervisor.Run(nil)
	os.Exit(m.Run())
}
