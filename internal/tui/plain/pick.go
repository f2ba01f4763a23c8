package plain

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"agent/internal/tui/ink"
	"agent/internal/tui/list"
)

// answer is what a typed line says about a numbered list.
type answer int

const (
	cancels answer = iota
	wantsMore
	chooses
	misses // a number that is not printed
	filters
)

// answerOf returns the meaning of a line that answers a list of size rows, and the index of
// the chosen row. The first listed rows are printed.
func answerOf(line string, listed, size int) (a answer, row int) {
	n, err := strconv.Atoi(line)
	switch {
	case line == "":
		return cancels, 0
	case line == "more" && listed < size:
		return wantsMore, 0
	case err != nil:
		return filters, 0
	case n < 1 || n > listed:
		return misses, 0
	}
	return chooses, n - 1
}

// PickSession lets the user choose a session by its number or by a part of its title,
// before a session is open. It prints the sessions to out and reads answers with ask,
// which returns false at the end of input. It returns the ID, or "" for none.
func PickSession(out io.Writer, all []list.Session, ask func(question string) (string, bool)) string {
	found, shown := all, printSessions(out, all, 0)
	for {
		question := "Number or part of a title"
		if shown < len(found) {
			question += ", more (" + strconv.Itoa(len(found)-shown) + " left)"
		}
		line, ok := ask(question + ", or Enter to quit: ")
		if !ok {
			return ""
		}
		a, row := answerOf(line, shown, len(found))
		switch a {
		case cancels:
			return ""
		case chooses:
			return found[row].ID
		case misses:
			fmt.Fprintf(out, "There is no session number %s.\n", line)
		case wantsMore:
			shown += printSessions(out, found[shown:], shown)
		case filters:
			fit := matching(all, line)
			switch len(fit) {
			case 0:
				fmt.Fprintf(out, "No session matches %s.\n", ink.SanitizeLine(line))
				fit = all
			case 1:
				return fit[0].ID
			}
			found, shown = fit, printSessions(out, fit, 0)
		}
	}
}

// printSessions prints the first page of the sessions, numbered from after+1, and
// returns how many it printed.
func printSessions(out io.Writer, all []list.Session, after int) int {
	all = all[:min(len(all), listRows)]
	for i, s := range all {
		fmt.Fprintf(out, "%d  %s  %s  %s\n", after+i+1, s.When.Format("2006-01-02 15:04"), ink.SanitizeLine(s.Dir), ink.SanitizeLine(s.Title))
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
