package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The key sequences that a terminal sends.
const (
	tab       = "\t"
	up        = "\x1b[A"
	left      = "\x1b[D"
	backspace = "\x7f"
	ctrlK     = "\x0b"
	ctrlR     = "\x12"
	ctrlU     = "\x15"
	ctrlW     = "\x17"
	ctrlXE    = "\x18\x05"
	ctrlY     = "\x19"
	ctrlUnder = "\x1f"
	altY      = "\x1by"
	altSlash  = "\x1b/"
)

// pasted returns text as a bracketed paste.
func pasted(text string) string { return "\x1b[200~" + text + "\x1b[201~" }

// TestTypingStory types a prompt with history, completion and pastes, and checks
// what the model gets.
func TestTypingStory(t *testing.T) {
	t.Parallel()
	s := serve(t, say("First."), say("Second."), say("Third."))
	h := newHome(t, map[string]string{"internal/tui/editor.go": "package tui\n", "a file.md": "text\n"}, at(s)...)
	long := strings.Repeat("a line that was pasted\n", 300)
	a := h.open(t, 100, 30)
	a.wait("? help")

	a.send("see @edi")
	a.wait("› internal/tui/editor.go")
	a.send(tab + "and @fil")
	a.wait("› a file.md")
	a.send(enter)
	a.wait(`see @internal/tui/editor.go and @"a file.md"`)
	a.send(pasted(long))
	a.wait("[pasted 300 lines]")
	a.send(pasted(strings.ToUpper(long)))
	a.wait("no. 2]")
	a.send(backspace)
	a.gone("no. 2]")
	a.send("wide 日本 👩‍👩‍👧" + backspace + backspace + ctrlUnder)
	a.wait("日本 👩‍👩‍👧")
	a.send(ctrlW + ctrlW + ctrlY + altY + ctrlUnder + altSlash + enter)
	a.wait("First.")
	text := lastUser(t, s, 0)
	if want := `see @internal/tui/editor.go and @"a file.md" ` + long; !strings.HasPrefix(text, want) {
		t.Errorf("the model got %q, want it to begin %q", text, want)
	}

	a.send("/mod")
	a.wait("› /model", "/mode")
	a.send("\x1b[B" + tab + "au" + enter)
	a.wait("? help   auto")

	a.send("a second prompt" + enter)
	a.wait("Second.")
	a.send(ctrlD)
	a.exit()

	// Another session of the directory finds the prompts of this one.
	b := h.open(t, 100, 30)
	b.wait("? help")
	b.send("draft" + ctrlR + "SECOND")
	b.wait("no match in prompt history:  SECOND")
	b.send(strings.Repeat(backspace, 6) + "sec")
	b.wait("search prompt history:  sec", "› a second prompt")
	b.send(escape)
	b.wait("› draft")
	b.send(ctrlU + up)
	b.wait("› a second prompt")
	b.send(enter)
	b.wait("Third.")
	if got := lastUser(t, s, 2); got != "a second prompt" {
		t.Errorf("the model got %q", got)
	}
}

// lastUser returns the last user message of request n.
func lastUser(t *testing.T, s *server, request int) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if request >= len(s.requests) {
		t.Fatalf("there were %d requests", len(s.requests))
	}
	msgs := s.requests[request].Messages
	text := contentText(t, msgs[len(msgs)-1].Content)
	if _, prompt, ok := strings.Cut(text, "[End of the situation.]\n\n"); ok {
		return prompt
	}
	return text
}

// TestExternalEditor edits the draft in the user's editor, which gets the terminal
// meanwhile.
func TestExternalEditor(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil, "VISUAL=./edit --wait")
	script := "#!/bin/sh\n" +
		"printf 'editing, with %s\\n' \"$1\"\nread line\ncp \"$2\" given\nls -l \"$2\" >mode\nprintf '%s, edited\\n' \"$line\" >\"$2\"\n"
	if err := os.WriteFile(filepath.Join(h.work, "edit"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	a := h.open(t, 80, 24)
	a.wait("? help")
	a.send("my draft")
	a.wait("› my draft") // the program has the terminal's answers, which the editor must not read
	a.send(ctrlXE)
	a.wait("editing, with --wait")
	a.send("typed there" + enter)
	a.wait("› typed there, edited")
	if got := read(t, h, "given"); got != "my draft\n" {
		t.Errorf("the editor was given %q", got)
	}
	if mode := read(t, h, "mode"); !strings.HasPrefix(mode, "-rw-------") {
		t.Errorf("others can read the draft: %s", mode)
	}
	a.send(ctrlUnder)
	a.wait("› my draft")

	if err := os.Remove(filepath.Join(h.work, "edit")); err != nil {
		t.Fatal(err)
	}
	a.send(ctrlXE)
	a.wait("Cannot open an editor: the program in $VISUAL or $EDITOR was not found. Your", "› my draft")
	a.send(ctrlC + ctrlC + ctrlC)
	a.exit()
	if err := a.restored(); err != nil {
		t.Error(err)
	}
}

func TestEditorNotSet(t *testing.T) {
	t.Parallel()
	a := newHome(t, nil).open(t, 80, 24)
	a.wait("? help")
	a.send("/edit" + enter)
	a.wait("Cannot open an editor: $VISUAL and $EDITOR are not set")
}

// TestVimStory types with the vim key bindings. Esc ends insert mode and does not
// interrupt the turn.
func TestVimStory(t *testing.T) {
	t.Parallel()
	s := serve(t, begin("It continues and "), say("Done."))
	h := newHome(t, nil, at(s)...)
	h.configure(t, `{"editor": "vim"}`)
	a := h.open(t, 80, 24)
	a.wait("? help")
	a.send("go" + enter)
	a.wait("It continues and")
	a.send("one two three" + escape)
	a.wait("normal", "esc to interrupt")
	a.send("bbcw")
	a.gone("normal")
	a.send("2" + escape)
	a.wait("› one 2 three", "normal", "esc to interrupt")
	a.send("0v")
	a.wait("visual")
	a.send("whd")
	a.wait("› 2 three")
	a.send(escape)
	a.wait("interrupted")
	a.send(enter)
	a.wait("Done.")
	if got := lastUser(t, s, 1); got != "2 three" {
		t.Errorf("the model got %q", got)
	}
}

// TestImageStory attaches an image by its path.
func TestImageStory(t *testing.T) {
	t.Parallel()
	var shot bytes.Buffer
	if err := png.Encode(&shot, image.NewGray(image.Rect(0, 0, 12, 8))); err != nil {
		t.Fatal(err)
	}
	s := serve(t, say("I see."))
	h := newHome(t, map[string]string{"shot.png": shot.String(), "notes.png": "no image"}, at(s)...)
	a := h.open(t, 80, 24)
	a.wait("? help")
	a.send("not notes.png but shot.png")
	a.send(left + left + "\x1b[F" + enter)
	a.wait("I see.", "[image 1: shot.png 12x8 PNG]")
	s.mu.Lock()
	defer s.mu.Unlock()
	if body := s.requests[0].body; !strings.Contains(body, base64.StdEncoding.EncodeToString(shot.Bytes())) {
		t.Errorf("the image is not in the request: %s", body)
	}
}

// contentText returns the text of a message's content, which is a string or a list
// of parts.
func contentText(t *testing.T, content json.RawMessage) string {
	t.Helper()
	var whole string
	if json.Unmarshal(content, &whole) == nil {
		return whole
	}
	var parts []struct{ Text string }
	if err := json.Unmarshal(content, &parts); err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		whole += p.Text
	}
	return whole
}
