package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"agent/internal/tui/plain"
	"agent/internal/tui/screen"
)

// maxPrompt is the size limit of a line of standard input, in bytes.
const maxPrompt = 4 << 20

// isPlain reports whether sessions run in plain mode: with --plain, or if standard
// output is not a terminal or a dumb one.
func isPlain(f opening) bool {
	return f.plain || !term.IsTerminal(os.Stdout.Fd()) || os.Getenv("TERM") == "dumb"
}

// lineInput reads standard input in plain mode. All sessions of the process share
// one. It reads only lines that are requested, so that another program can read from
// the terminal meanwhile.
type lineInput struct {
	lines <-chan string
	next  chan<- struct{} // requests a line; blocks while a line is requested
	typed bool            // standard input is a terminal
}

// readLineInput prepares reading lines from standard input.
func readLineInput() *lineInput {
	lines, next := make(chan string), make(chan struct{})
	go func() { // may run until the process exits, because a read cannot be cancelled
		defer close(lines)
		readLines(os.Stdin, lines, next)
	}()
	return &lineInput{lines, next, term.IsTerminal(os.Stdin.Fd())}
}

// readLines reads a line of in at each request from next and sends it to out. A
// backslash at the end of a line joins it with the next one.
func readLines(in io.Reader, out chan<- string, next <-chan struct{}) {
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxPrompt)
	text := ""
	for <-next; s.Scan(); {
		if rest, ok := strings.CutSuffix(s.Text(), `\`); ok {
			text += rest + "\n"
			continue
		}
		out <- strings.ToValidUTF8(text+s.Text(), "\uFFFD")
		text = ""
		<-next
	}
	if err := s.Err(); err != nil {
		fmt.Fprintf(os.Stderr, "agent: read standard input: %v\n", err)
	}
	if text != "" {
		out <- strings.TrimSuffix(text, "\n")
	}
}

// ask prints a question and returns the answer; false at the end of input.
func (in *lineInput) ask(question string) (string, bool) {
	fmt.Print(question)
	line, ok := in.line()
	if !ok || !in.typed {
		fmt.Println()
	}
	return strings.TrimSpace(line), ok
}

// line returns the next line; false at the end of input.
func (in *lineInput) line() (string, bool) { return in.lineUntil(context.Background()) }

// lineUntil returns the next line; false when the input or ctx ends.
func (in *lineInput) lineUntil(ctx context.Context) (string, bool) {
	for {
		select {
		case <-ctx.Done():
			return "", false
		case in.next <- struct{}{}:
		case line, ok := <-in.lines:
			return line, ok
		}
	}
}

// show runs a session in plain mode.
func (in *lineInput) show(ctx context.Context, o screen.Options, interrupts <-chan struct{}) (screen.Exit, error) {
	o.Output = os.Stdout
	return plain.Show(ctx, o, plain.Lines{C: in.lines, Next: in.next, Typed: in.typed, Interrupts: interrupts})
}
