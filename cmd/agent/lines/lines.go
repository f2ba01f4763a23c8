// Package lines reads standard input by the line, for plain mode and for questions on a terminal.
package lines

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
)

// maxPrompt is the size limit of a line of standard input, in bytes.
const maxPrompt = 4 << 20

// Input reads standard input in plain mode. All sessions of the process share
// one. It reads only lines that are requested, so that another program can read from
// the terminal meanwhile.
type Input struct {
	C     <-chan string
	Next  chan<- struct{} // requests a line; blocks while a line is requested
	Typed bool            // standard input is a terminal
}

// Open prepares reading lines from standard input.
func Open() *Input {
	lines, next := make(chan string), make(chan struct{})
	go func() { // may run until the process exits, because a read cannot be cancelled
		defer close(lines)
		readLines(os.Stdin, lines, next)
	}()
	return &Input{lines, next, term.IsTerminal(os.Stdin.Fd())}
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

// Ask prints a question and returns the answer; false at the end of input.
func (in *Input) Ask(question string) (string, bool) {
	fmt.Print(question)
	line, ok := in.Line()
	if !ok || !in.Typed {
		fmt.Println()
	}
	return strings.TrimSpace(line), ok
}

// Line returns the next line; false at the end of input.
func (in *Input) Line() (string, bool) { return in.Until(context.Background()) }

// Until returns the next line; false when the input or ctx ends.
func (in *Input) Until(ctx context.Context) (string, bool) {
	for {
		select {
		case <-ctx.Done():
			return "", false
		case in.Next <- struct{}{}:
		case line, ok := <-in.C:
			return line, ok
		}
	}
}
