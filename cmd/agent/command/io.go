package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"agent/internal/history"
	"agent/internal/llm/phrase"
	"agent/internal/llm/wire"
	"agent/internal/tui/ink"
)

// IO holds the streams of a command.
type IO struct {
	In       *os.File
	Out, Err Console
}

// System returns the streams of the process.
func System() IO {
	return IO{In: os.Stdin, Out: NewConsole(os.Stdout), Err: NewConsole(os.Stderr)}
}

// Interactive reports whether the user can be asked: standard input and
// standard error are terminals.
func (s IO) Interactive() bool { return s.Err.Terminal && term.IsTerminal(s.In.Fd()) }

// Confirm asks a question on standard error and reports whether the user
// answers yes.
func (s IO) Confirm(question string) bool {
	answer := strings.ToLower(s.Ask(question))
	return answer == "y" || answer == "yes"
}

// Ask asks a question on standard error and returns the line that the user types; empty at
// the end of input.
func (s IO) Ask(question string) string {
	fmt.Fprint(s.Err, question)
	answer, _ := bufio.NewReader(s.In).ReadString('\n')
	return strings.TrimSpace(answer)
}

// SharedOutput reports whether both outputs are the same file or terminal.
func (s IO) SharedOutput() bool {
	return sameFile(s.Out.Writer, s.Err.Writer)
}

func sameFile(a, b io.Writer) bool {
	f, ok := a.(*os.File)
	g, ok2 := b.(*os.File)
	if !ok || !ok2 {
		return false
	}
	fi, err := f.Stat()
	gi, err2 := g.Stat()
	return err == nil && err2 == nil && os.SameFile(fi, gi)
}

// Warn prints a line of untrusted text on standard error.
func (s IO) Warn(format string, args ...any) {
	s.Err.Say(fmt.Sprintf(format, args...) + "\n")
}

// Damaged reports damage of a session on standard error.
func (s IO) Damaged(p history.Problem) { s.Warn("%s", p.Text) }

// Console is an output stream.
type Console struct {
	io.Writer
	Terminal bool
}

// NewConsole returns the console that writes to f.
func NewConsole(f *os.File) Console { return Console{f, term.IsTerminal(f.Fd())} }

// Clean returns untrusted text as it may be printed. Without a terminal only its control
// characters change.
func (c Console) Clean(text string) string {
	if c.Terminal {
		return ink.Sanitize(text)
	}
	return ink.EscapeControls(text)
}

// Say prints untrusted text. On a terminal it adds a missing newline.
func (c Console) Say(text string) {
	text = c.Clean(text)
	if c.Terminal {
		text = phrase.EndLine(text)
	}
	_, _ = io.WriteString(c, text)
}

// JSON prints v as indented JSON.
func (c Console) JSON(v any) error { return encode(c, v, "  ") }

// WriteLine writes v as JSON on one line.
func WriteLine(out io.Writer, v any) error { return encode(out, v, "") }

// encode writes v as JSON without hidden characters, which may reach a terminal.
func encode(out io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := out.Write(wire.Visible(b.Bytes()))
	return err
}
