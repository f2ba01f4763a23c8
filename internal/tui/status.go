package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/pager"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// status is what the last line tells: what answers, where, how full its window
// is, what is asked about, and on the right what goes on.
type status struct {
	model, dir, branch string
	effort             string // of the model, where it is not its own
	host               string // of the model, if that is not its provider's own
	used, context      int
	cost               float64 // US dollars
	mode               string
	jobs               int // that run
	right              string
}

// usualLayout is what the last line tells, and in which order.
func usualLayout() []string {
	return []string{"model", "directory", "branch", "tokens", "cost", "mode", "jobs"}
}

// fact is a part of the last line.
type fact struct {
	text  string
	short string // what stands for it before it goes; may be empty
	keep  int    // where room is short, the lowest goes first
	warn  bool   // it is to be seen
}

// leastFact is how many columns the last fact needs to tell anything.
const leastFact = 12

// line draws it: what the names in layout stand for, in their order; nil is the
// usual. Where room is short, what can be found elsewhere goes first.
func (s status) line(st *ink.Styles, width int, layout []string) string {
	room := width - lipgloss.Width(s.right) - 2
	for facts := s.facts(layout); ; {
		var texts []string
		wide, least := 0, -1
		for i, f := range facts {
			style := st.Dim
			if f.warn {
				style = st.Yellow
			}
			texts = append(texts, style.Render(f.text))
			wide += lipgloss.Width(f.text) + 3
			if least < 0 || f.keep < facts[least].keep {
				least = i
			}
		}
		if wide-3 > room && room < leastFact && s.right != "" && len(facts) <= 1 {
			return st.Dim.Render(ink.Truncate(s.right, width)) // what a key does now matters more
		}
		if wide-3 <= room || len(facts) <= 1 {
			return ink.Spread(strings.Join(texts, st.Dim.Render(" · ")), st.Dim.Render(s.right), width)
		}
		if f := &facts[least]; f.short != "" {
			f.text, f.short = f.short, ""
			if f.warn {
				f.keep = 8
			}
			continue
		}
		facts = slices.Delete(facts, least, least+1)
	}
}

// facts are what there is to tell, in the order of the layout.
func (s status) facts(layout []string) []fact {
	model := ink.SanitizeLine(s.model)
	if model == "" {
		model = "no model"
	}
	if s.effort != "" {
		model += " " + ink.SanitizeLine(s.effort)
	}
	if layout == nil {
		layout = usualLayout()
	}
	var facts []fact
	for _, name := range layout {
		switch name {
		case "model":
			facts = append(facts, fact{text: model, keep: 9}, fact{text: ink.SanitizeLine(s.host), keep: 8}, fact{text: s.offline(), keep: 4})
		case "directory":
			facts = append(facts, fact{text: ink.SanitizeLine(s.dir), keep: 2})
		case "branch":
			facts = append(facts, fact{text: ink.SanitizeLine(s.branch), keep: 1})
		case "tokens":
			facts = append(facts, s.tokens())
		case "cost":
			facts = append(facts, fact{text: s.spent(), keep: 3})
		case "mode":
			facts = append(facts, fact{text: modeWords(s.mode), keep: 6})
		case "jobs":
			facts = append(facts, fact{text: s.running(), keep: 7})
		}
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return f.text == "" })
}

// offline says what the built-in stand-in is not.
func (s status) offline() string {
	if strings.HasPrefix(s.model, "offline/") {
		return "no language model"
	}
	return ""
}

// nearlyFull is how many hundredths of a window are taken when that is worth a
// warning: what is cut by itself is cut soon.
const nearlyFull = 80

// tokens tells how much of the model's window the conversation takes.
func (s status) tokens() fact {
	switch {
	case s.used == 0:
		return fact{}
	case s.context == 0:
		return fact{text: phrase.Thousands(s.used) + " tokens", keep: 5}
	}
	text, full := phrase.Thousands(s.used)+" of "+phrase.Thousands(s.context), 100*s.used/s.context
	switch {
	case full == 0:
		return fact{text: text, keep: 5}
	case full >= nearlyFull:
		return fact{text: fmt.Sprintf("%s (%d%%, nearly full)", text, full), short: fmt.Sprintf("%d%% full", full), keep: 7, warn: true}
	}
	return fact{text: fmt.Sprintf("%s (%d%%)", text, full), short: fmt.Sprintf("%d%% full", full), keep: 5}
}

// spent tells what the session has cost, where that is known.
func (s status) spent() string {
	if s.cost == 0 {
		return ""
	}
	return phrase.Dollars(s.cost)
}

// running tells what runs in the background.
func (s status) running() string {
	if s.jobs == 0 {
		return ""
	}
	return phrase.Count(s.jobs, "job")
}

// modeWords says in words what is asked about.
func modeWords(mode string) string {
	switch event.Mode(mode) {
	case event.ModeAsk:
		return "asks before changes"
	case event.ModeEdits:
		return "edits unasked"
	case event.ModePlan:
		return "plans, edits nothing"
	case event.ModeAll:
		return "asks nothing"
	}
	return mode
}

// hints say what goes on, and which keys mean something now.
type hints struct {
	*screen.Conversation
	dialog *dialog.Dialog
	editor *editor.Editor
	popup  *suggestions
	find   *pager.Finder
	queue  *messageQueue
	ticker *ticker
	pager  *pager.Pager
	chord  string // keys that were pressed, and more of which are to come
}

// behindPager says what goes on behind the pager, empty if nothing does.
func (h *hints) behindPager() string {
	if h.Busy() || h.chord != "" {
		return h.doing()
	}
	return ""
}

// doing says what goes on, and what ends it.
func (h *hints) doing() string {
	stops := h.stopKey() + " stops"
	words := stops + " · " + phrase.Seconds(h.Now().Sub(h.Feed.Since).Truncate(time.Second))
	switch {
	case h.chord != "":
		return h.chord + " …"
	case h.ticker.leaving(h.Now()):
		return h.Keys.Name(keys.Clear) + " again leaves" + h.lost()
	case h.ticker.rewinding(h.Now()):
		return h.Keys.Name(keys.Rewind) + " again goes back"
	case h.dialog.Waits():
		return "waits for you · " + stops
	case !h.Busy() && h.Feed.Cut && len(h.queue.waits) == 0 && h.editor.Empty():
		return h.Keys.Name(keys.Send) + " goes on · " + h.Keys.Name(keys.Help) + " keys"
	case !h.Busy():
		return h.idleHint()
	case !h.Feed.Running && !h.Feed.Stopping:
		words = stops
	case h.Feed.Killing:
		words = "killing"
	case h.Feed.Stopping:
		words = "stopping · " + h.stopKey() + " again: kill the command"
	}
	if h.pager.Open() || !h.Feed.Working() {
		words = transcript.Spinner(h.Transcript.Frame) + " " + words
	}
	return words
}

// stopKey is the key that stops what runs: one that does not only go back from
// what is shown or begun.
func (h *hints) stopKey() string {
	for _, k := range h.Keys.Keys(keys.Interrupt) {
		if (!h.pager.Open() || !h.Keys.Is(k, keys.ViewClose)) && !h.dismisses(k) {
			return k
		}
	}
	return h.Keys.Name(keys.Interrupt)
}

// idleHint says how one finds the rest: all of it to who has said nothing yet.
// Where something is typed, it says what sending it does.
func (h *hints) idleHint() string {
	const wide = 100
	if !h.editor.Empty() || h.find.Open() {
		return h.sendHint()
	}
	hint := h.Keys.Name(keys.Help) + " keys"
	if h.Feed.Turns == 0 && h.Width >= wide {
		hint += " · / commands · @ files · ! shell"
	}
	return hint
}

// sendHint says what the key that sends does with what is typed, where it does
// anything with it that is not told elsewhere.
func (h *hints) sendHint() string {
	e, does := h.editor, " sends"
	typed := e.Raw()
	_, _, command := parseSlash(typed)
	_, _, shell := parseShell(typed)
	switch {
	case h.find.Open():
		k := h.Keys.Name
		return k(keys.Older) + " above · " + k(keys.Newer) + " below · " + k(keys.Dismiss) + " closes"
	case h.popup.open() || e.History.Searching() || e.Blank():
		return ""
	case strings.HasSuffix(e.Before(), `\`):
		does = " begins a new line"
	case command:
		does = " does it"
	case shell:
		does = " runs it"
	}
	return h.Keys.Name(keys.Send) + does
}

// lost says what ends with the program.
func (h *hints) lost() string {
	if n := transcript.Running(h.Feed.Jobs); n > 0 {
		return " and ends " + phrase.Count(n, "job")
	}
	return ""
}

// dismisses reports whether a key takes something away that stands before the
// turn: suggestions, a search, a mode of vi.
func (h *hints) dismisses(k string) bool {
	switch {
	case !h.Keys.Is(k, keys.Dismiss):
		return false
	case h.dialog.Takes():
		return h.dialog.Dismisses()
	}
	return h.find.Typing || h.popup.open() || h.editor.History.Searching() || h.editor.Mode.HandlesEscape() || h.editor.Selection.ByKeys()
}
