package loop_test

import (
	"os"
	"testing"

	"agent/internal/tools/shell/keeper"
)

// TestMain runs the keeper processes of the commands that the tests start.
func TestMain(m *testing.M) {
	keeper.Run(nil)
	os.Exit(m.Run())
}
