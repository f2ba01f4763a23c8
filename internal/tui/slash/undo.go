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
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// undo is /undo, /redo, /changes, and rewinding the conversation, which can undo files.
type undo struct {
	*screen.Window
	output
	front   *Front
	feed    *transcript.Feed
	agent   *screen.Sender
	rewinds *screen.Rewinds
	editor  *editor.Editor
	undoRequest
}

// undoRequest is a request of the user that is not complete yet.
type undoRequest struct {
	sent   event.Ref // the last command: for a plan, a list or an undo
	asking bool      // a question is open
	// to is the point of a rewind that comes with an undo of files; nil for none. Its
	// prompt comes back into the editor with the Rewound.
	to *point
}

// undoCommand requests a plan that undoes file changes.
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
	s.undo.request(plan, nil)
	return nil, nil
}

// redoCommand requests a plan that undoes the last undo.
func redoCommand(s *Session, arg string) (tea.Cmd, error) {
	if arg != "" {
		return nil, errors.New("usage: /redo")
	}
	s.undo.request(event.PlanUndo{Redo: true}, nil)
	return nil, nil
}

// changesCommand requests the list of all file changes.
func changesCommand(s *Session, _ string) (tea.Cmd, error) {
	s.undo.undoRequest = undoRequest{}
	s.agent.SendCommand(event.ListChanges{Ref: await(s.undo, s.undo.showChanges)})
	return nil, nil
}

// request requests a plan. rewind is the point to rewind to, or nil.
func (u *undo) request(plan event.PlanUndo, rewind *point) {
	u.undoRequest = undoRequest{}
	plan.Ref = await(u, func(p event.UndoPlan) { u.showPlan(p, rewind) })
	u.agent.SendCommand(plan)
	u.Flash = "comparing files with their earlier contents · " + u.Keys.Name(keys.Interrupt) + " cancels"
}

// CancelUndo cancels a request about undoing that the agent has not answered yet. It
// reports false if there is none.
func (s *Session) CancelUndo() bool { return s.undo.cancel() }

func (u *undo) cancel() bool {
	if !u.agent.Answers.Forget(u.sent) {
		return false
	}
	u.undoRequest = undoRequest{}
	u.agent.Send(event.Interrupt{})
	u.Flash = "undo cancelled"
	return true
}

// turnBegan is shown if a question about undoing is withdrawn.
const turnBegan = "A turn began, so no changes were undone. Repeat the command after it."

// await is like screen.Await. If a turn has begun, it says so instead of showing the answer.
func await[E event.Event](u *undo, show func(E)) event.Ref {
	u.sent = screen.Await(&u.agent.Answers, func(answer E) {
		if u.feed.Running {
			u.Say(turnBegan)
			return
		}
		show(answer)
	})
	return u.sent
}

// handleEvent handles an event that withdraws a question or ends a rewind.
func (u *undo) handleEvent(ev event.Event) {
	if u.asking && u.feed.Running { // the agent rejects an undo during a turn
		u.asking = false
		u.front.Withdraw()
		u.Say(turnBegan)
	}
	if ev, ok := ev.(*event.Rewound); ok {
		if u.to != nil && u.to.At == ev.Keep {
			u.rewinds.Undoing = true
			u.editor.Prepend(u.to.Text)
		}
		u.to = nil
	}
}

// showPlan asks about a plan. rewind is the point that the user chose in the list of
// prompts; nil for /undo and /redo.
func (u *undo) showPlan(plan event.UndoPlan, rewind *point) {
	u.Flash = ""
	if plan.ID == "" && rewind == nil {
		u.sayNothing(plan)
		return
	}
	notes := slices.Concat(u.jobNotes(), undoNotes(plan, rewind == nil && !plan.Redo))
	own := dialog.LocalQuestion{Title: undoTitle(plan, rewind), Notes: notes, Diffs: plan.Diffs}
	for _, d := range plan.Conflicts {
		own.Kept = append(own.Kept, dialog.Kept{Heading: "not applied: " + d.Path, Diff: d})
	}
	rows := u.rows(plan, rewind)
	for i, r := range rows {
		r.row.Digit = i + 1
		own.Rows = append(own.Rows, r.row)
	}
	own.Give = func(row int, _ []event.HunkAnswer) tea.Cmd {
		rows[row].give()
		return nil
	}
	u.ask(own)
}

// ask asks the user. A turn that begins withdraws the question.
func (u *undo) ask(own dialog.LocalQuestion) {
	give := own.Give
	own.Give = func(row int, hunks []event.HunkAnswer) tea.Cmd {
		u.asking = false
		return give(row, hunks)
	}
	u.asking = true
	u.front.Ask(own)
}

// jobNotes warns of background jobs, which do not stop for an undo.
func (u *undo) jobNotes() []dialog.Note {
	n := transcript.Running(u.feed.State.Jobs)
	if n == 0 {
		return nil
	}
	verb := " is running and may change these files again"
	if n > 1 {
		verb = " are running and may change these files again"
	}
	return []dialog.Note{{Text: phrase.Count(n, "job") + verb + ": /jobs", Alert: true}}
}

// sayNothing says why there is nothing to undo, and lists conflicts, lost changes and jobs.
func (u *undo) sayNothing(plan event.UndoPlan) {
	lines := []string{sentenceOf(plan.Why, "There is nothing to undo.")}
	for _, d := range plan.Conflicts {
		lines = append(lines, transcript.ConflictText(d.Path))
	}
	if len(plan.Conflicts) > 0 && !plan.Redo {
		lines = append(lines, "/changes undoes single hunks, /undo N goes further back")
	}
	for _, n := range u.jobNotes() {
		lines = append(lines, n.Text)
	}
	for _, n := range undoNotes(event.UndoPlan{Lost: plan.Lost, Ignored: plan.Ignored, Git: plan.Git}, !plan.Redo) {
		lines = append(lines, n.Text)
	}
	u.Say(strings.Join(lines, "\n"))
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

// rows returns the rows that a plan allows. The first one does what the command is for:
// /undo undoes files, /rewind goes back in both. The last one cancels.
func (u *undo) rows(plan event.UndoPlan, rewind *point) []undoRow {
	yes := func(text, short string, give func()) undoRow {
		return undoRow{dialog.Row{Kind: dialog.Yes, Text: text, Short: short}, give}
	}
	apply := func() { u.apply(event.ApplyUndo{ID: plan.ID}) }
	first, found := u.firstPrompt(plan)
	var rows []undoRow
	switch {
	case rewind != nil && plan.ID == "":
		rows = append(rows, yes("Rewind only the conversation", "Rewind", func() { u.rewindNow(*rewind) }))
	case rewind != nil:
		rows = append(rows, yes("Rewind the conversation and undo the files", "Both", func() { u.rewindBoth(plan, first, *rewind) }),
			yes("Rewind only the conversation", "Conversation", func() { u.rewindNow(*rewind) }),
			yes("Undo only the files", "Files", apply))
	case plan.Redo:
		rows = append(rows, yes("Redo the files; the conversation stays as it is", "Redo", apply))
	case found:
		rows = append(rows, yes("Undo only the files", "Files", apply),
			yes("Undo the files and rewind the conversation", "Both", func() { u.rewindBoth(plan, first, first) }))
	default:
		rows = append(rows, yes("Undo the files", "Undo", apply))
	}
	return append(rows, undoRow{dialog.Row{Kind: dialog.No, Text: "Cancel", Short: "Cancel"}, func() {}})
}

// rewindBoth applies a plan and rewinds the conversation to a point. first is where the
// agent rewinds to with the plan; if the user chose an earlier point, that comes before.
func (u *undo) rewindBoth(plan event.UndoPlan, first, to point) {
	u.to = &to
	if first.At == to.At {
		u.apply(event.ApplyUndo{ID: plan.ID, Conversation: true})
		return
	}
	u.sent = screen.Await(&u.agent.Answers, func(*event.Rewound) { u.apply(event.ApplyUndo{ID: plan.ID}) })
	u.agent.SendCommand(event.Rewind{Ref: u.sent, Keep: to.At})
}

// apply performs a plan.
func (u *undo) apply(c event.ApplyUndo) {
	c.Ref = u.awaitEnd()
	u.agent.SendCommand(c)
}

// awaitEnd returns the Ref of a command that ends with an Undone.
func (u *undo) awaitEnd() event.Ref {
	u.sent = screen.Await(&u.agent.Answers, func(*event.Undone) {})
	return u.sent
}

// firstPrompt returns the prompt of the oldest turn of a plan that is in the conversation.
// It reports false if the conversation cannot be rewound to it.
func (u *undo) firstPrompt(plan event.UndoPlan) (first point, ok bool) {
	if len(plan.Turns) == 0 || u.rewinds.Problem() != "" {
		return point{PastPrompt: event.PastPrompt{At: -1}}, false
	}
	for _, t := range slices.Backward(plan.Turns) { // one that is rewound is not in the list
		for _, p := range u.feed.Log.TurnPrompts() {
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
	for _, l := range plan.Unsaved {
		alerts = append(alerts, transcript.UnkeptText(l))
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
func (u *undo) showChanges(now event.ChangesNow) {
	if now.ID == "" {
		lines := []string{sentenceOf(now.Why, "No files have changed since the session began.")}
		for _, l := range now.Lost {
			lines = append(lines, transcript.LostText(l))
		}
		u.Say(strings.Join(lines, "\n"))
		return
	}
	own := dialog.LocalQuestion{Title: "Changes since the session began", Diffs: now.Diffs, Review: true, Rows: []dialog.Row{
		{Digit: 1, Kind: dialog.Yes, Text: "Undo these hunks", Short: "Undo"},
		{Digit: 2, Kind: dialog.No, Text: "Keep all changes", Short: "Keep"},
	}}
	own.Notes = u.jobNotes()
	for _, l := range now.Lost {
		own.Notes = append(own.Notes, dialog.Note{Text: transcript.LostText(l), Alert: true})
	}
	own.Notes = append(own.Notes, dialog.Note{Text: "Undoing a hunk removes its + lines and restores its - lines."})
	own.Give = func(row int, kept []event.HunkAnswer) tea.Cmd {
		if picks := undonePicks(now.Diffs, kept); row == 0 && len(picks) > 0 {
			u.agent.SendCommand(event.UndoChanges{Ref: u.awaitEnd(), ID: now.ID, Hunks: picks})
		}
		return nil
	}
	u.ask(own)
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
