package slash

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/hunk"
	"agent/internal/tui/dialog"
	"agent/internal/tui/ink"
	"agent/internal/tui/transcript"
)

// undo is the state of /undo, /redo, /changes and of a rewind that can undo files.
type undo struct {
	waiting bool // for a plan, a list or the end of an undo
	listing bool // show the next ChangesNow
	// rewind is the point that the user chose in the list of prompts; nil for /undo and
	// /redo.
	rewind *point
	// to is the point of a rewind that comes with an undo of files; nil for none. Its
	// prompt comes back into the editor with the Rewound.
	to *point
	// apply is the ID of the plan to apply after that Rewound; empty for none.
	apply string
}

// undoCommand requests a plan that undoes changes of files.
func undoCommand(s *Session, arg string) (tea.Cmd, error) {
	plan := event.PlanUndo{}
	usage := errors.New("usage: /undo [N] [ignored], where N is the number of turns")
	for _, word := range strings.Fields(arg) {
		switch n, err := strconv.Atoi(word); {
		case word == "ignored":
			plan.Removes = true
		case err != nil || n < 1 || plan.Turns > 0:
			return nil, usage
		default:
			plan.Turns = n
		}
	}
	s.requestUndo(plan, nil)
	return nil, nil
}

// redoCommand requests a plan that undoes the last undo.
func redoCommand(s *Session, arg string) (tea.Cmd, error) {
	if arg != "" {
		return nil, errors.New("usage: /redo")
	}
	s.requestUndo(event.PlanUndo{Redo: true}, nil)
	return nil, nil
}

// changesCommand requests the list of all changes of files.
func changesCommand(s *Session, _ string) (tea.Cmd, error) {
	s.undo = undo{waiting: true, listing: true}
	s.SendCommand(event.ListChanges{})
	return nil, nil
}

// requestUndo requests a plan. rewind is the point to rewind to, or nil.
func (s *Session) requestUndo(plan event.PlanUndo, rewind *point) {
	s.undo = undo{waiting: true, rewind: rewind}
	s.SendCommand(plan)
	s.Flash = "comparing files with their earlier contents"
}

// applyUndo handles an event that a command of this file waits for.
func (s *Session) applyUndo(ev event.Event) {
	switch ev := ev.(type) {
	case event.UndoPlan:
		s.undo.waiting = false
		s.showUndo(ev)
	case event.ChangesNow:
		s.undo.waiting = false
		if s.undo.listing {
			s.undo.listing = false
			s.showChanges(ev)
		}
	case *event.Undone:
		s.undo.waiting = false
	case event.Notice: // it may say why there is no plan, or why it was not applied
		s.undo.waiting = false
	case *event.Rewound:
		s.rewound(ev)
	}
}

// rewound finishes a rewind that comes with an undo of files.
func (s *Session) rewound(ev *event.Rewound) {
	to, apply := s.undo.to, s.undo.apply
	s.undo.to, s.undo.apply = nil, ""
	if to == nil || to.At != ev.Keep {
		return
	}
	s.Undoing = true
	s.editor.Prepend(to.Text)
	if apply != "" {
		s.Send(event.ApplyUndo{ID: apply})
	}
}

// showUndo asks about a plan.
func (s *Session) showUndo(plan event.UndoPlan) {
	rewind := s.undo.rewind
	s.undo.rewind, s.Flash = nil, ""
	if plan.ID == "" && rewind == nil {
		s.sayNothing(plan)
		return
	}
	notes := slices.Concat(s.jobNotes(), undoNotes(plan, rewind == nil && !plan.Redo))
	own := dialog.Own{Title: undoTitle(plan, rewind), Notes: notes, Diffs: plan.Diffs}
	for _, d := range plan.Conflicts {
		own.Kept = append(own.Kept, dialog.Kept{Heading: "not applied: " + d.Path, Diff: d})
	}
	rows := s.undoRows(plan, rewind)
	for i, r := range rows {
		r.row.Digit = i + 1
		own.Rows = append(own.Rows, r.row)
	}
	own.Give = func(row int, _ []event.HunkAnswer) { rows[row].give() }
	s.Front.Ask(own)
}

// jobNotes warns of background jobs, which do not stop for an undo.
func (s *Session) jobNotes() []dialog.Note {
	n := transcript.Running(s.Feed.Jobs)
	if n == 0 {
		return nil
	}
	verb := " is running and may change these files again"
	if n > 1 {
		verb = " are running and may change these files again"
	}
	return []dialog.Note{{Text: phrase.Count(n, "job") + verb + ": /jobs", Alert: true}}
}

// sayNothing says why there is nothing to undo, and what is in the way.
func (s *Session) sayNothing(plan event.UndoPlan) {
	lines := []string{sentenceOf(plan.Why, "There is nothing to undo.")}
	for _, d := range plan.Conflicts {
		lines = append(lines, transcript.ConflictText(d.Path))
	}
	if len(plan.Conflicts) > 0 && !plan.Redo {
		lines = append(lines, "/changes undoes single hunks, /undo N goes further back")
	}
	for _, n := range s.jobNotes() {
		lines = append(lines, n.Text)
	}
	for _, n := range undoNotes(event.UndoPlan{Lost: plan.Lost, Ignored: plan.Ignored, Git: plan.Git}, !plan.Redo) {
		lines = append(lines, n.Text)
	}
	s.Say(strings.Join(lines, "\n"))
}

// sentenceOf returns a reason as a sentence, or instead if there is none.
func sentenceOf(why, instead string) string {
	if why == "" {
		return instead
	}
	why = strings.TrimRight(ink.Sanitize(why), ".")
	return strings.ToUpper(why[:1]) + why[1:] + "."
}

// undoRow is a row of the question about a plan.
type undoRow struct {
	row  dialog.Row
	give func()
}

// undoRows returns the rows that a plan allows. The last one cancels.
func (s *Session) undoRows(plan event.UndoPlan, rewind *point) []undoRow {
	yes := func(text, short string, give func()) undoRow {
		return undoRow{dialog.Row{Kind: dialog.Yes, Text: text, Short: short}, give}
	}
	apply := func() { s.sendUndo(event.ApplyUndo{ID: plan.ID}) }
	first, found := s.firstPrompt(plan)
	var rows []undoRow
	switch {
	case rewind != nil && plan.ID == "":
		rows = append(rows, yes("Rewind only the conversation", "Rewind", func() { s.rewindNow(*rewind) }))
	case rewind != nil:
		rows = append(rows, yes("Rewind the conversation and undo the files", "Both", func() { s.rewindBoth(plan, first, *rewind) }),
			yes("Rewind only the conversation", "Conversation", func() { s.rewindNow(*rewind) }),
			yes("Undo only the files", "Files", apply))
	case plan.Redo:
		rows = append(rows, yes("Redo", "Redo", apply))
	case found:
		rows = append(rows, yes("Undo the files and rewind the conversation", "Both", func() { s.rewindBoth(plan, first, first) }), yes("Undo only the files", "Files", apply))
	default:
		rows = append(rows, yes("Undo the files", "Undo", apply))
	}
	return append(rows, undoRow{dialog.Row{Kind: dialog.No, Text: "Cancel", Short: "Cancel"}, func() {}})
}

// rewindBoth applies a plan and rewinds the conversation to a point. first is where the
// agent rewinds to with the plan; if the user chose an earlier point, that comes before.
func (s *Session) rewindBoth(plan event.UndoPlan, first, to point) {
	s.undo.to = &to
	if first.At == to.At {
		s.sendUndo(event.ApplyUndo{ID: plan.ID, Conversation: true})
		return
	}
	s.undo.apply = plan.ID
	s.sendUndo(event.Rewind{Keep: to.At})
}

// sendUndo sends a command that ends with an Undone or a Notice.
func (s *Session) sendUndo(command event.Command) {
	s.undo.waiting = true
	s.SendCommand(command)
}

// firstPrompt returns the prompt of the oldest turn of a plan that is in the conversation.
// It reports false if the conversation cannot be rewound to it.
func (s *Session) firstPrompt(plan event.UndoPlan) (first point, ok bool) {
	if len(plan.Turns) == 0 || s.Broken != "" || !s.Transcript.Settled {
		return point{PastPrompt: event.PastPrompt{At: -1}}, false
	}
	for _, t := range slices.Backward(plan.Turns) { // one that is rewound is not in the list
		for _, p := range s.Feed.TurnPrompts() {
			if p.At == t.At {
				return point{PastPrompt: p}, true
			}
		}
	}
	return point{PastPrompt: event.PastPrompt{At: -1}}, false
}

// undoTitle returns the question about a plan.
func undoTitle(plan event.UndoPlan, rewind *point) string {
	verb := "Undo"
	if plan.Redo {
		verb = "Redo"
	}
	switch {
	case rewind != nil:
		return "Rewind to before " + quotedPrompt(rewind.Text) + "?"
	case len(plan.Turns) == 0:
		return verb + " these changes?"
	case len(plan.Turns) == 1:
		return verb + " the changes of " + quotedPrompt(plan.Turns[0].Prompt) + "?"
	}
	return verb + " the changes of " + stepCount(plan.Turns) + "?"
}

// stepCount counts turns and commands that the user typed.
func stepCount(all []event.ChangedTurn) string {
	commands := 0
	for _, t := range all {
		if strings.HasPrefix(t.Prompt, "!") {
			commands++
		}
	}
	var parts []string
	if n := len(all) - commands; n > 0 {
		parts = append(parts, phrase.Count(n, "turn"))
	}
	if commands > 0 {
		parts = append(parts, phrase.Count(commands, "typed command"))
	}
	return strings.Join(parts, " and ")
}

// quotedPrompt returns the beginning of a prompt in quotes.
func quotedPrompt(text string) string {
	const limit = 60
	return "“" + ink.Truncate(ink.SanitizeLine(strings.TrimSpace(text)), limit) + "”"
}

// maxAlerts is how many files that are not restored a question names.
const maxAlerts = 20

// maxTurns is how many turns a question lists.
const maxTurns = 10

// undoNotes returns what the user must know of a plan besides its diffs. offersIgnored
// names the command that also removes ignored files.
func undoNotes(plan event.UndoPlan, offersIgnored bool) []dialog.Note {
	var notes []dialog.Note
	add := func(text string) { notes = append(notes, dialog.Note{Text: text}) }
	alert := func(text string) { notes = append(notes, dialog.Note{Text: text, Alert: true}) }
	if plan.ID == "" && plan.Why != "" {
		alert(sentenceOf(plan.Why, ""))
	}
	if len(plan.Turns) > 1 {
		for i, t := range plan.Turns {
			if i == maxTurns {
				add("… and " + phrase.Count(len(plan.Turns)-i, "more turn"))
				break
			}
			add(strings.TrimRight(quotedPrompt(t.Prompt)+"  "+transcript.SumText(event.ChangeSum{Files: t.Files, Added: t.Added, Removed: t.Removed, Commands: t.Commands}), " "))
		}
	}
	var alerts []string
	for _, d := range plan.Conflicts {
		alerts = append(alerts, transcript.ConflictText(d.Path))
	}
	for _, l := range plan.Lost {
		alerts = append(alerts, transcript.LostText(l))
	}
	for i, text := range alerts {
		if i == maxAlerts {
			alert("… and " + phrase.Count(len(alerts)-i, "more file"))
			break
		}
		alert(text)
	}
	if len(plan.Merged) > 0 {
		add("merged with later changes: " + strings.Join(plan.Merged, ", "))
	}
	rest := transcript.RestLines(plan.Ignored, plan.Git)
	if plan.Ignored > 0 && offersIgnored {
		rest[0] += "; /undo ignored removes them"
	}
	for _, l := range rest {
		add(l)
	}
	return notes
}

// showChanges lets the user keep or undo each change since the session began.
func (s *Session) showChanges(now event.ChangesNow) {
	if now.ID == "" {
		lines := []string{sentenceOf(now.Why, "No files have changed since the session began.")}
		for _, l := range now.Lost {
			lines = append(lines, transcript.LostText(l))
		}
		s.Say(strings.Join(lines, "\n"))
		return
	}
	own := dialog.Own{Title: "Changes since the session began", Diffs: now.Diffs, Review: true, Rows: []dialog.Row{
		{Digit: 1, Kind: dialog.Yes, Text: "Undo these hunks", Short: "Undo"},
		{Digit: 2, Kind: dialog.No, Text: "Keep all changes", Short: "Keep"},
	}}
	own.Notes = s.jobNotes()
	for _, l := range now.Lost {
		own.Notes = append(own.Notes, dialog.Note{Text: transcript.LostText(l), Alert: true})
	}
	own.Notes = append(own.Notes, dialog.Note{Text: "To undo a hunk removes its lines with + and brings back those with -."})
	own.Give = func(row int, kept []event.HunkAnswer) {
		if picks := undonePicks(now.Diffs, kept); row == 0 && len(picks) > 0 {
			s.sendUndo(event.UndoChanges{ID: now.ID, Hunks: picks})
		}
	}
	s.Front.Ask(own)
}

// undonePicks returns the hunks of diffs that kept does not accept.
func undonePicks(diffs []event.Diff, kept []event.HunkAnswer) []event.HunkPick {
	var picks []event.HunkPick
	for i, a := range kept {
		var hunks []int
		n := 0
		for _, k := range a.Accepted {
			for ; n < k; n++ {
				hunks = append(hunks, n)
			}
			n = k + 1
		}
		all := len(hunk.Of(diffs[i]))
		for ; n < all; n++ {
			hunks = append(hunks, n)
		}
		switch {
		case len(hunks) == all:
			picks = append(picks, event.HunkPick{Path: a.Path})
		case len(hunks) > 0:
			picks = append(picks, event.HunkPick{Path: a.Path, Hunks: hunks})
		}
	}
	return picks
}
