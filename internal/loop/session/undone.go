package session

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/plan"
)

// maxUndonePaths is how many paths of each kind a note to the model names.
const maxUndonePaths = 50

// UndoneNote returns the message that tells the model what an undo or a redo did to
// files.
func UndoneNote(e *event.Undone) string {
	what := "undid file changes"
	switch {
	case e.Redo:
		what = "redid file changes that were undone"
	case e.Turns == 1:
		what = "undid the file changes of the last turn that changed files"
	case e.Turns > 1:
		what = fmt.Sprintf("undid the file changes of the last %d turns that changed files", e.Turns)
	}
	text := "[The user " + what + "."
	add := func(sentence string, paths []string) {
		if len(paths) > 0 {
			text += " " + sentence + ": " + pathList(paths) + "."
		}
	}
	state := "earlier state again"
	if e.Redo {
		state = "later state again"
	}
	add("These paths have their "+state, e.Restored)
	add("These too, with later changes by others merged in", e.Merged)
	add("These were not changed, because others changed the same lines since", e.Conflicts)
	var lost []string
	for _, l := range e.Lost {
		lost = append(lost, l.Path)
	}
	add("These could not be restored", lost)
	if e.Ignored > 0 {
		text += fmt.Sprintf(" Not removed: %s that commands created and git ignores.", phrase.Count(e.Ignored, "file"))
	}
	return text + " The conversation may show other contents: read a file again before you edit it.]"
}

// pathList returns paths as a list in a sentence.
func pathList(paths []string) string {
	var shown []string
	for _, p := range paths[:min(len(paths), maxUndonePaths)] {
		if strings.ContainsFunc(p, func(r rune) bool { return r == ',' || !strconv.IsPrint(r) }) {
			p = strconv.Quote(p)
		}
		shown = append(shown, p)
	}
	if more := len(paths) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}

// TodoAfterUndo returns the todo list that belongs to the files after an undo or a redo:
// the one before the prompt with the number at, or the one before the last undo. It
// reports false if that is the current list. Events are those of the session, which may
// be without their long contents.
func TodoAfterUndo(events []event.Durable, at int, redo bool) ([]event.TodoItem, bool) {
	if redo {
		at = len(events)
		for i, e := range slices.Backward(events) {
			if u, ok := e.(*event.Undone); ok && !u.Redo && u.Turns > 0 {
				at = i
				break
			}
		}
	}
	if at < 0 || at > len(events) {
		return nil, false
	}
	before, now := todoOf(events[:at]), todoOf(events)
	return before, !slices.Equal(before, now)
}

// todoOf returns the todo list after events.
func todoOf(events []event.Durable) (items []event.TodoItem) {
	for _, e := range events {
		switch e := e.(type) {
		case *event.TodoSet:
			items = e.Items
		case *event.PlanSet:
			if e.State == event.PlanApproved {
				items = plan.Todo(e.Plan)
			}
		}
	}
	return items
}

// PromptAt reports whether the event with the number at is the prompt that began a turn.
// First is the first line of that prompt. A rewind may have removed it.
func PromptAt(events []event.Durable, at int, first string) bool {
	if at < 0 || at >= len(events) {
		return false
	}
	said, ok := events[at].(*event.UserSaid)
	return ok && !said.Steered && FirstLine(said.Text) == first
}

// TimeOf returns the time of the prompt whose event has the number at. The error is for the
// user.
func TimeOf(events []event.Durable, at int) (time.Time, error) {
	if at >= 0 && at < len(events) {
		if said, ok := events[at].(*event.UserSaid); ok {
			return said.Time, nil
		}
	}
	return time.Time{}, errors.New("this prompt is no longer in the conversation")
}

// FirstPrompt returns the number of the event of the prompt that began the first of turns,
// which are newest first. Turns that a rewind removed do not count. It is -1 if none is
// left.
func FirstPrompt(events []event.Durable, turns []event.ChangedTurn) int {
	for _, t := range slices.Backward(turns) {
		if PromptAt(events, t.At, t.Prompt) {
			return t.At
		}
	}
	return -1
}

// maxFirstLine is the length of a result of FirstLine, in bytes.
const maxFirstLine = 200

// FirstLine returns the first line of a prompt, truncated.
func FirstLine(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	return phrase.OneLine(line, maxFirstLine)
}

// Recovered tells the user how an undo ended that the exit of the program had
// interrupted.
func Recovered(e *event.Undone) string {
	text := fmt.Sprintf("The program exited during an undo. It has been finished: %s restored", phrase.Count(len(e.Restored), "path"))
	if n := len(e.Conflicts); n > 0 {
		text += fmt.Sprintf(", %d left as they are, because they were changed since", n)
	}
	return text + "."
}
