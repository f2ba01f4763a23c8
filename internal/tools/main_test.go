package tools_test

import (
	"os"
	"testing"

	"agent/internal/tools/shell/keeper"
)

// TestMain also runs the keeper processes of the commands that the tests start.
func TestMain(m *testing.M) {
	keeper.Run()
	os.Exit(m.Run())
}
