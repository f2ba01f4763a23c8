package lsp_test

import (
	"os"
	"testing"

	"agent/internal/tools/shell/keeper"
)

func TestMain(m *testing.M) {
	keeper.Run(nil) // the keeper of a real server
	os.Exit(m.Run())
}
