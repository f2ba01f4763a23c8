package main

import (
	"fmt"
	"os"
	"testing"
)

// promise puts what was measured of a promise on record: a row of the table that
// make promises prints.
func promise(t *testing.T, what string, figure any) {
	t.Helper()
	t.Logf("%s: %v", what, figure)
	if os.Getenv("PROMISES") != "" {
		fmt.Printf("promise\t%s\t%v\n", what, figure)
	}
}
