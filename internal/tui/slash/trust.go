package slash

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// trust is the state of /trust.
type trust struct {
	*screen.Window
	output
	front   *Front
	waiting bool // for the items of the repository, or for a decision to be stored
}

// trustRead is what the repository configures, for /trust.
type trustRead struct {
	all      []screen.TrustItem
	problems []string
}

// trustDecided is the result of a decision of the user on an item.
type trustDecided struct {
	item    screen.TrustItem
	confirm bool
	err     error
}

// trustCommand lists what the repository configures.
func trustCommand(s *Session, _ string) (tea.Cmd, error) {
	read := s.Options.Trust.Items
	if read == nil {
		s.Say("This session uses nothing of the repository that needs a confirmation.")
		return nil, nil
	}
	s.trust.waiting = true
	return func() tea.Msg {
		all, problems := read()
		return trustRead{all, problems}
	}, nil
}

// show shows the list of items, or the only one.
func (t *trust) show(r trustRead) {
	t.waiting = false
	for _, p := range r.problems {
		t.Say(ink.Sanitize(p))
	}
	switch {
	case len(r.all) == 0 && len(r.problems) == 0:
		t.Say("This repository configures nothing that needs a confirmation.")
		return
	case len(r.all) == 0:
		return
	case len(r.all) == 1:
		t.ask(r.all[0])
		return
	}
	u := &list.Menu{Chooser: list.Chooser{Keys: t.Keys, St: t.Styles}, Head: "Configured by this repository", None: "No match.",
		Hint: "type to search · enter show the content · esc close", Chose: func(o list.Option) tea.Cmd {
			t.front.Lists.Close()
			if i, err := strconv.Atoi(o.ID); err == nil {
				t.ask(r.all[i])
			}
			return nil
		}}
	var all []list.Option
	for i, item := range r.all {
		state := "not confirmed"
		if item.Offer {
			state = "off"
		}
		if item.Changed {
			state = "changed, not confirmed"
		}
		if item.Confirmed {
			state = "confirmed"
		}
		all = append(all, list.Option{ID: strconv.Itoa(i), Name: ink.SanitizeLine(item.Kind + " " + item.Name), What: ink.SanitizeLine(item.File), Right: state})
	}
	u.Fill(all)
	t.front.Lists.Show(u) // without a command, because the options are complete
}

// ask shows the exact content of an item and asks for a decision.
func (t *trust) ask(i screen.TrustItem) {
	content := ink.Exact(strings.TrimRight(i.Content, "\n"))
	lines := strings.Count(content, "\n") + 1
	shown := event.Diff{
		Path: i.File, Created: true, Added: lines,
		Unified: "@@ -0,0 +1," + strconv.Itoa(lines) + " @@\n+" + strings.ReplaceAll(content, "\n", "\n+") + "\n",
	}
	own := dialog.LocalQuestion{Diffs: []event.Diff{shown}, Read: true, Title: "Use " + i.Kind + " " + i.Name + " of this repository?",
		Notes: []dialog.Note{{Text: i.Effect + " The content:", Alert: true}},
		Rows: []dialog.Row{
			{Digit: 1, Kind: dialog.Yes, Text: "Confirm this content in this workspace", Short: "Confirm"},
			{Digit: 2, Kind: dialog.No, Text: "Not now", Short: "Not now"},
		}}
	if i.Offer {
		own.Title = "Use " + i.Kind + " " + i.Name + " in this workspace?"
	}
	if i.Changed {
		own.Notes = slices.Insert(own.Notes, 0, dialog.Note{Text: "The content has changed since you confirmed it.", Alert: true})
	}
	if i.Confirmed {
		own.Title = "Revoke " + i.Kind + " " + i.Name + " of this repository?"
		own.Read, own.Notes = false, []dialog.Note{{Text: "You have confirmed this content:"}}
		own.Rows = []dialog.Row{{Digit: 1, Kind: dialog.Yes, Text: "Revoke: do not use it anymore", Short: "Revoke"}, {Digit: 2, Kind: dialog.No, Text: "Keep it", Short: "Keep"}}
	}
	own.Give = func(row int, _ []event.HunkAnswer) tea.Cmd {
		if row != 0 {
			return nil
		}
		t.waiting = true
		return func() tea.Msg { return trustDecided{i, !i.Confirmed, t.Options.Trust.Decide(i, !i.Confirmed)} }
	}
	t.front.Ask(own)
}

// reportDecision says what a decision on an item has changed.
func (t *trust) reportDecision(d trustDecided) {
	t.waiting = false
	name := ink.SanitizeLine(d.item.Kind + " " + d.item.Name)
	from := " from the next session on. To start one: /new"
	if d.item.Live {
		from = " from now on."
	}
	switch {
	case d.err != nil:
		t.Say("Cannot change the confirmation: " + ink.Sanitize(d.err.Error()))
	case d.confirm:
		t.Say("Confirmed: " + name + " is used" + from)
	default:
		t.Say("Revoked: " + name + " is not used" + from)
	}
}
