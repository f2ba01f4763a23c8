package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"

	"agent/internal/tui"
)

// plainly reports whether sessions are shown as lines: because the person wants
// it so, or because there is no screen to draw on.
func plainly(f flags) bool {
	return f.plain || !term.IsTerminal(os.Stdout.Fd()) || os.Getenv("TERM") == "dumb"
}

// typing is what is typed, or piped in, for sessions that are shown as lines.
// One outlasts the sessions that follow one another in a program.
type typing struct {
	lines <-chan string
	typed bool
}

// typed reads standard input from now on.
func typed() *typing {
	lines := make(chan string)
	go func() { // ends with the program at the latest: nothing takes a line back
		defer close(lines)
		readLines(os.Stdin, lines)
	}()
	return &typing{lines, term.IsTerminal(os.Stdin.Fd())}
}

// readLines hands out the lines of in. A backslash before its end joins a line
// with the next.
func readLines(in io.Reader, out chan<- string) {
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxPrompt)
	text := ""
	for s.Scan() {
		if rest, ok := strings.CutSuffix(s.Text(), `\`); ok {
			text += rest + "\n"
			continue
		}
		out <- strings.ToValidUTF8(text+s.Text(), "\uFFFD")
		text = ""
	}
	if err := s.Err(); err != nil {
		fmt.Fprintf(os.Stderr, "agent: read standard input: %v\n", err)
	}
	if text != "" {
		out <- strings.TrimSuffix(text, "\n")
	}
}

// ask prints a question and returns the line that answers it; false if there
// are no more.
func (t *typing) ask(question string) (string, bool) {
	fmt.Print(question)
	line, ok := <-t.lines
	if !ok || !t.typed {
		fmt.Println()
	}
	return strings.TrimSpace(line), ok
}

// listed is how many sessions are offered by number.
const listed = 20

// pick lets the person choose a session by its number; "" if they chose none.
func (t *typing) pick(all []tui.Session) string {
	all = all[:min(len(all), listed)]
	for i, s := range all {
		fmt.Printf("%d  %s  %s  %s\n", i+1, s.When.Format("2006-01-02 15:04"), tui.SanitizeLine(s.Dir), tui.SanitizeLine(s.Title))
	}
	for {
		answer, ok := t.ask("which one? 1 to " + strconv.Itoa(len(all)) + ", or nothing to leave: ")
		n, err := strconv.Atoi(answer)
		switch {
		case !ok || answer == "":
			return ""
		case err == nil && n >= 1 && n <= len(all):
			return all[n-1].ID
		}
	}
}

// show shows a session as lines.
func (t *typing) show(ctx context.Context, o tui.Options, interrupts <-chan struct{}) (tui.Exit, error) {
	o.Output = os.Stdout
	return tui.Plain(ctx, o, tui.Lines{C: t.lines, Typed: t.typed, Interrupts: interrupts})
}

// pass hands one on, unless ctx ends first.
func pass(ctx context.Context, to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	case <-ctx.Done():
	}
}
