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

	"agent/internal/tui"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
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

// listed is how many sessions are offered at once.
const listed = 20

// pick lets the person choose a session by its number, or by a part of what it
// is called; "" if they chose none.
func (t *typing) pick(all []list.Session) string {
	found, told := all, tellSessions(all, 0)
	for {
		question := "which one? a number, or a part of its title"
		if told < len(found) {
			question += ", more for " + strconv.Itoa(len(found)-told) + " more"
		}
		answer, ok := t.ask(question + ", or nothing to leave: ")
		n, err := strconv.Atoi(answer)
		switch {
		case !ok || answer == "":
			return ""
		case err == nil && n >= 1 && n <= told:
			return found[n-1].ID
		case err == nil:
			fmt.Printf("there is no row %d\n", n)
			continue
		case answer == "more" && told < len(found):
			told += tellSessions(found[told:], told)
			continue
		}
		fit := called(all, answer)
		switch len(fit) {
		case 0:
			fmt.Printf("no session is called %s\n", ink.SanitizeLine(answer))
			fit = all
		case 1:
			return fit[0].ID
		}
		found, told = fit, tellSessions(fit, 0)
	}
}

// tellSessions prints the first of the sessions, with numbers that follow after,
// and returns how many.
func tellSessions(all []list.Session, after int) int {
	all = all[:min(len(all), listed)]
	for i, s := range all {
		fmt.Printf("%d  %s  %s  %s\n", after+i+1, s.When.Format("2006-01-02 15:04"), ink.SanitizeLine(s.Dir), ink.SanitizeLine(s.Title))
	}
	return len(all)
}

// called returns the sessions whose title, directory and id have every word of
// text.
func called(all []list.Session, text string) (found []list.Session) {
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
func (t *typing) show(ctx context.Context, o tui.Options, interrupts <-chan struct{}) (tui.Exit, error) {
	o.Output = os.Stdout
	return tui.Plain(ctx, o, tui.Lines{C: t.lines, Typed: t.typed, Interrupts: interrupts})
}
