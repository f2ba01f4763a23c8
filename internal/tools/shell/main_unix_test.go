//go:build unix && !linux

package shell_test

import (
	"os"
	"testing"

	"agent/internal/tools/shell/supervisor"
)

func TestMain(m *testing.M) {
	supervisor.Run(nil)
	os.Exit(m.Run())
}
