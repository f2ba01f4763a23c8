//go:build unix && !linux

package shell_test

import (
	"os"
	"testing"

	"agent/internal/tools/shell/keeper"
)

func TestMain(m *testing.M) {
	keeper.Run(nil)
	os.Exit(m.Run())
}
