package editor

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

func empty(vi bool) *Editor { return New(keys.New(nil), ink.Look{}.Styles(), vi) }

// A prompt from the history has its own pastes and images.
func TestHistoryKeepsAttachments(t *testing.T) {
	e := empty(false)
	long := strings.Repeat("a line\n", 400)
	e.Type("look at shot.png and ")
	e.Attach("shot.png", Piece{Name: "shot.png 2x2", Image: &llm.Image{Data: []byte{1}}})
	e.Paste(long)
	shown := e.Shown()
	if shown != "look at [image 1: shot.png 2x2] and [pasted 400 lines]" {
		t.Fatalf("shown as %q", shown)
	}
	sent := e.Take()
	if len(sent.Images) != 1 || !strings.HasSuffix(sent.Text, long) || !e.Empty() {
		t.Errorf("sent %d images and %d bytes, %q is left", len(sent.Images), len(sent.Text), e.Shown())
	}
	e.Type("a draft")
	if prompts := []string{sent.Text}; !e.History.Navigate(true, prompts) || e.Shown() != shown || !e.History.Navigate(false, prompts) {
		t.Errorf("the history shows %q", e.Shown())
	}
	if e.Shown() != "a draft" || e.History.Navigating() {
		t.Errorf("the draft comes back as %q", e.Shown())
	}
}

// Canceling a search restores the draft and its caret.
func TestCancelledSearch(t *testing.T) {
	e := empty(false)
	e.Type("one two")
	e.PlaceCaret(ink.Gutter+3, 0)
	e.History.Search()
	e.History.Extend("mak", []string{"make check", "go test"})
	if e.Raw() != "make check" {
		t.Errorf("found %q", e.Raw())
	}
	e.History.Press(tea.KeyPressMsg{Code: tea.KeyEscape}, nil)
	if e.Raw() != "one two" || e.Caret() != 3 || e.History.Searching() {
		t.Errorf("%q with the caret at %d", e.Raw(), e.Caret())
	}
}

// Typed text replaces a selection by keys, but not one by the mouse.
func TestTypingOverASelection(t *testing.T) {
	for _, byKeys := range []bool{true, false} {
		e, want := empty(false), "one twox"
		e.Type("one two")
		if byKeys {
			e.Press(tea.KeyPressMsg{Code: tea.KeyLeft, Mod: tea.ModShift})
			want = "one twx"
		} else {
			e.Click(ink.Gutter+7, 0, 2)
			if got := e.Selection.Text(); got != "two" {
				t.Errorf("the second click selects %q", got)
			}
		}
		e.Selection.Release()
		e.Press(tea.KeyPressMsg{Code: 'x', Text: "x"})
		if e.Raw() != want {
			t.Errorf("by keys %v: %q, want %q", byKeys, e.Raw(), want)
		}
	}
}
