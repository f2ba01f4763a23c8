package transcript

import (
	"slices"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// Activity says in a few words what the turn is doing: which tool runs, or what the
// model writes. It is sanitized. Since is when that began; zero for the beginning of the
// turn.
func (f *Feed) Activity() (text string, since time.Time) {
	if len(f.hooks) > 0 {
		return f.hooks[0].text, f.hooks[0].since
	}
	return f.activity(), time.Time{}
}

func (f *Feed) activity() string {
	if line := f.ShellLine(); line != "" {
		return "running " + ink.SanitizeLine(line)
	}
	var calls []*Tool
	delegates := 0
	for _, row := range f.reply.calls {
		if t := row.Item.(*Tool); t.Stage == running && (t.delegate == nil || t.delegate.Running() && !t.delegate.Background) {
			calls = append(calls, t)
			if t.delegates() {
				delegates++
			}
		}
	}
	switch len(calls) {
	case 0:
		return f.reply.activity()
	case 1:
		return calls[0].activity()
	}
	if delegates == len(calls) {
		return "waiting for " + phrase.Count(delegates, "delegate")
	}
	return "running " + phrase.Count(len(calls), "tool")
}

// hookRun is a hook that the agent waits for.
type hookRun struct {
	id    int
	text  string // "hook before_tool: lint.sh", sanitized
	since time.Time
}

// hookNow adds a hook of the agent, or removes one that has ended. A delegate that waits
// for its hook is not the activity of this transcript.
func (f *Feed) hookNow(ev event.HookNow) {
	f.hooks = slices.DeleteFunc(f.hooks, func(h hookRun) bool { return h.id == ev.ID })
	if !ev.Ended && ev.Agent == "" {
		f.hooks = append(f.hooks, hookRun{ev.ID, "hook " + ink.SanitizeLine(ev.Event+": "+ev.Command), f.now().Add(-ev.For)})
	}
}

// RunsCommand reports whether a command is running, of a tool call or of the user.
func (f *Feed) RunsCommand() bool {
	return f.shell.row != nil || slices.ContainsFunc(f.reply.calls, func(row *Row) bool {
		t := row.Item.(*Tool)
		return t.Stage == running && t.Effect == event.ExecuteEffect
	})
}

// activity says what a running call does: a command by its line, any other call by
// its title.
func (t *Tool) activity() string {
	if t.delegates() {
		return "waiting for " + DelegateLabel(t.delegate.Name, t.delegate.ID)
	}
	title := ink.SanitizeLine(t.Title)
	if _, line, found := strings.Cut(title, " "); found && t.Effect == event.ExecuteEffect {
		return "running " + strings.TrimSpace(line)
	}
	return title
}

// activity says what the model writes, or that its reply is waited for.
func (r *reply) activity() string {
	if r.summary != nil {
		return "summarizing"
	}
	if r.retry != nil {
		return "waiting to retry"
	}
	if n := len(r.previews); n > 0 {
		switch r.previews[n-1].kind {
		case llm.Assistant:
			return "answering"
		case llm.ToolCall:
			return "preparing a tool call"
		}
	}
	return "thinking"
}
