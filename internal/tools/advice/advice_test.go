package advice_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"agent/internal/tools/advice"
)

func TestCauseHasNoAdvice(t *testing.T) {
	inner := advice.Add(fmt.Errorf("read x: %w", fs.ErrNotExist), "Use %s", "glob")
	err := advice.Add(fmt.Errorf("%w (edit 1 of 2)", inner), "Nothing was changed")
	if got, want := err.Error(), "read x: file does not exist. Use glob (edit 1 of 2). Nothing was changed"; got != want {
		t.Errorf("the model reads %q, want %q", got, want)
	}
	if got, want := advice.Cause(err), "read x: file does not exist (edit 1 of 2)"; got != want {
		t.Errorf("the user reads %q, want %q", got, want)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
	if got := advice.Cause(errors.New("plain")); got != "plain" {
		t.Errorf("an error without advice has the cause %q", got)
	}
}
