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

// isPlain reports whether sessions are shown as lines: if the user wants it, or
// if standard output is no screen.
func isPlain(f flags) bool {
	return f.plain || !term.IsTerminal(os.Stdout.Fd()) || os.Getenv("TERM") == "dumb"
}

// lineInput reads the lines that are typed or piped in plain mode. One serves
// all sessions of a program.
type lineInput struct {
	lines <-chan string
	typed bool
}

// readLineInput reads standard input from now on.
func readLineInput() *lineInput {
	lines := make(chan string)
	go func() { // ends with the program at the latest: nothing takes a line back
		defer close(lines)
		readLines(os.Stdin, lines)
	}()
	return &lineInput{lines, term.IsTerminal(os.Stdin.Fd())}
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
func (in *lineInput) ask(question string) (string, bool) {
	fmt.Print(question)
	line, ok := <-in.lines
	if !ok || !in.typed {
		fmt.Println()
	}
	return strings.TrimSpace(line), ok
}

// listed is how many sessions are offered at once.
const listed = 20

// pick lets the person choose a session by its number, or by a part of what it
// is called; "" if they chose none.
func (in *lineInput) pick(all []list.Session) string {
	found, shown := all, printSessions(all, 0)
	for {
		question := "which one? a number, or a part of its title"
		if shown < len(found) {
			question += ", more for " + strconv.Itoa(len(found)-shown) + " more"
		}
		answer, ok := in.ask(question + ", or nothing to leave: ")
		n, err := strconv.Atoi(answer)
		switch {
		case !ok || answer == "":
			return ""
		case err == nil && n >= 1 && n <= shown:
			return found[n-1].ID
		case err == nil:
			fmt.Printf("there is no row %d\n", n)
			continue
		case answer == "more" && shown < len(found):
			shown += printSessions(found[shown:], shown)
			continue
		}
		fit := matching(all, answer)
		switch len(fit) {
		case 0:
			fmt.Printf("no session is called %s\n", ink.SanitizeLine(answer))
			fit = all
		case 1:
			return fit[0].ID
		}
		found, shown = fit, printSessions(fit, 0)
	}
}

// printSessions prints the first of the sessions, with numbers that follow after,
// and returns how many.
func printSessions(all []list.Session, after int) int {
	all = all[:min(len(all), listed)]
	for i, s := range all {
		fmt.Printf("%d  %s  %s  %s\n", after+i+1, s.When.Format("2006-01-02 15:04"), ink.SanitizeLine(s.Dir), ink.SanitizeLine(s.Title))
	}
	return len(all)
}

// matching returns the sessions whose title, directory and id have every word of
// text.
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

// show shows a session as lines.
func (in *lineInput) show(ctx context.Context, o screen.Options, interrupts <-chan struct{}) (screen.Exit, error) {
	o.Output = os.Stdout
	return plain.Show(ctx, o, plain.Lines{C: in.lines, Typed: in.typed, Interrupts: interrupts})
}
