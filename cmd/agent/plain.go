package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"

	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/plain"
	"agent/internal/tui/screen"
)

// isPlain reports whether sessions run in plain mode: with --plain, or if standard
// output is not a terminal or a dumb one.
func isPlain(f opening) bool {
	return f.plain || !term.IsTerminal(os.Stdout.Fd()) || os.Getenv("TERM") == "dumb"
}

// lineInput reads standard input in plain mode. All sessions of the process share
// one.
type lineInput struct {
	lines <-chan string
	typed bool // standard input is a terminal
}

// readLineInput starts reading lines from standard input.
func readLineInput() *lineInput {
	lines := make(chan string)
	go func() { // may run until the process exits, because a read cannot be cancelled
		defer close(lines)
		readLines(os.Stdin, lines)
	}()
	return &lineInput{lines, term.IsTerminal(os.Stdin.Fd())}
}

// readLines sends the lines of in to out. A backslash at the end of a line joins it
// with the next one.
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

// ask prints a question and returns the answer; false at the end of input.
func (in *lineInput) ask(question string) (string, bool) {
	fmt.Print(question)
	line, ok := <-in.lines
	if !ok || !in.typed {
		fmt.Println()
	}
	return strings.TrimSpace(line), ok
}

// sessionsPerPage is the number of sessions that pick prints at once.
const sessionsPerPage = 20

// pick lets the user choose a session by its number or by a part of its title, and
// returns its ID, or "" for none.
func (in *lineInput) pick(all []list.Session) string {
	found, shown := all, printSessions(all, 0)
	for {
		question := "Number or part of a title"
		if shown < len(found) {
			question += ", more (" + strconv.Itoa(len(found)-shown) + " left)"
		}
		answer, ok := in.ask(question + ", or Enter to quit: ")
		n, err := strconv.Atoi(answer)
		switch {
		case !ok || answer == "":
			return ""
		case err == nil && n >= 1 && n <= shown:
			return found[n-1].ID
		case err == nil:
			fmt.Printf("There is no session number %d.\n", n)
			continue
		case answer == "more" && shown < len(found):
			shown += printSessions(found[shown:], shown)
			continue
		}
		fit := matching(all, answer)
		switch len(fit) {
		case 0:
			fmt.Printf("No session matches %s.\n", ink.SanitizeLine(answer))
			fit = all
		case 1:
			return fit[0].ID
		}
		found, shown = fit, printSessions(fit, 0)
	}
}

// printSessions prints the first page of the sessions, numbered from after+1, and
// returns how many it printed.
func printSessions(all []list.Session, after int) int {
	all = all[:min(len(all), sessionsPerPage)]
	for i, s := range all {
		fmt.Printf("%d  %s  %s  %s\n", after+i+1, s.When.Format("2006-01-02 15:04"), ink.SanitizeLine(s.Dir), ink.SanitizeLine(s.Title))
	}
	return len(all)
}

// matching returns the sessions whose title, directory and ID together contain
// every word of text.
func matching(all []list.Session, text string) (found []list.Session) {
	words := strings.Fields(strings.ToLower(text))
	for _, s := range all {
		name := strings.ToLower(s.Title + " " + s.Dir + " " + s.ID)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(name, w) }) {
			found = append(found, s)
		}
	}
	return found
}

// show runs a session in plain mode.
func (in *lineInput) show(ctx context.Context, o screen.Options, interrupts <-chan struct{}) (screen.Exit, error) {
	o.Output = os.Stdout
	return plain.Show(ctx, o, plain.Lines{C: in.lines, Typed: in.typed, Interrupts: interrupts})
}
