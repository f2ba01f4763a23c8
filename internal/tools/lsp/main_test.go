package lsp_test

import (
	"os"
	"testing"

	"agent/internal/tools/shell/supervisor"
)

func TestMain(m *testing.M) {
	supervisor.Run(nil) // the supervisor of a real server
	os.Exit(m.Run())
}
