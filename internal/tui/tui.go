package tui

import (
	"context"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/terminal"
	"agent/internal/tui/transcript"
)

// Options are what the terminal program is made of.
type Options struct {
	Events   <-chan event.Event   // closed when the agent is gone, which ends the program
	Commands chan<- event.Command // never closed here
	History  []event.Event        // the last durable events of the resumed session, from the start of a turn on
	// Page returns the durable events from one number up to another, as
	// event.Opened counts them. It takes a moment. Without it, History is all
	// there is.
	Page func(from, to int) ([]event.Event, error)

	SessionID string      // of the session that is shown
	Title     string      // that the person gave it; may be empty
	Draft     event.Draft // what was not sent before; the editor begins with it

	// Sessions returns those that can be opened, the latest first, or those in
	// whose text query is found.
	Sessions func(ctx context.Context, query string) ([]list.Session, error)
	// Preview returns the last events of a session.
	Preview func(id string) ([]event.Event, error)
	// Export writes the session to a file: as "md", "html" or "json".
	Export func(format string) (path string, err error)

	// Files returns the files and directories that query stands for, the best
	// first: those used last for an empty one. It answers with what is known by
	// then, so that it never keeps somebody who types waiting. An answer that is
	// not final may be another a moment later.
	Files func(ctx context.Context, query string, limit int) (found []Match, final bool)
	// Image reads an image file, relative to the workspace or not, and tells in
	// a few words what it is: "PNG, 640 x 480".
	Image func(path string) (img llm.Image, what string, err error)
	// ClipboardImage returns the image that the clipboard holds. Its error says
	// what to do.
	ClipboardImage func(ctx context.Context) (llm.Image, error)
	// Blind reports whether a model, by PROVIDER/NAME, is known to see no images.
	Blind func(model string) bool
	// Earlier returns what was said in earlier sessions of the directory, the
	// latest last, and of that the latest where it is more than limit.
	Earlier func(ctx context.Context, limit int) []string
	// Editor returns what edits a file in the person's editor; nil if they have
	// none.
	Editor func(path string) *exec.Cmd
	Vi     bool // text is edited with the keys of vi
	// Custom are the person's own typed commands, and the repository's. One that
	// has the name of one of the program's is left out, and the person is told.
	Custom []CustomCommand

	// Forced is told true when the user interrupts what runs a second time, and
	// false once that has ended. May be nil.
	Forced func(bool)

	// Copy puts text on the clipboard of the system and returns the program that
	// did. Where there is none, its error says what to do.
	Copy     func(text string) (by string, err error)
	Terminal Terminal
	// Models returns the models that there are: whole is whether providers and
	// servers are asked, which takes a moment.
	Models func(ctx context.Context, whole bool) ([]Model, error)
	// Recent is what was done last, by Remember's account.
	Recent   []string
	Remember func(recent []string)
	// Welcome says, at the first start of somebody without a model, what answers
	// meanwhile; empty at every other.
	Welcome string
	// Searching says that a model is being searched for, until event.Searched. The
	// welcome waits for that: it is not shown if a model is found.
	Searching bool
	// BranchNow reads which branch is checked out.
	BranchNow func() string
	// Spent returns what each model of the session has used so far, as far as
	// the log has it, and how much of that was taken back.
	Spent func() (all []Spent, back Spent, err error)

	// Short shortens an absolute directory for the screen: "~/src/shop". nil
	// leaves it as it is.
	Short func(dir string) string

	Version     string
	Dir, Branch string // as shown: "~/src/shop", "main"
	Model       string // PROVIDER/NAME, until a ModelSet says otherwise
	ModelWhy    string // why it was chosen, in words that follow "because"
	Context     int    // its window in tokens, 0 if unknown
	Effort      string // how hard it thinks, empty where that is its own
	Host        string // where its requests go, if that is not the provider's own address
	BaseURL     string // the same as a whole URL, without secrets
	SessionPath string // of the session's log, as shown; empty if none is kept
	Mode        string // event.Mode, until a ModeSet says otherwise

	Notices []string            // shown below the header
	Prompts []Prompt            // sent one after another, each when the turn before has ended
	Keys    map[string][]string // keys by the name of an action, in place of the default ones
	NoColor bool
	Theme   string               // one of Themes; empty is the first
	Colours colorprofile.Profile // that the terminal has, until it says better
	ASCII   bool                 // the terminal shows no other characters
	Diffs   ink.DiffLayout
	// SaveTheme keeps the choice of a theme for other sessions.
	SaveTheme func(name string) error
	Status    []string // what the last line tells, in order; nil is the usual

	NoMouse    bool // the mouse is the terminal's until a key takes it
	KeepMarked bool // what the mouse marks stays marked, and is copied by a key alone

	Input  io.Reader // nil: the terminal
	Output io.Writer // nil: the terminal
	Fault  string    // see terminal.Options
}

// Prompt is something to send that nobody types.
type Prompt struct {
	Note string // shown before it, for the person; may be empty
	Text string
}

// heading is the first line of the transcript of a session of that title.
func (o *Options) heading(title string) string {
	parts := []string{strings.TrimSpace("agent " + o.Version)}
	for _, p := range []string{o.Dir, o.Branch, title} {
		if p != "" {
			parts = append(parts, ink.SanitizeLine(p))
		}
	}
	return strings.Join(parts, " · ")
}

// Exit is what is left of the screen for the one that called it.
type Exit struct {
	LastAnswer string // of the model in this session, as markdown; empty if there was none
	Turns      int    // of the session, the resumed ones included
	Jobs       int    // that ran in the background when it was left
	Lent       bool   // the user's editor still has the terminal

	BaseURL string // of the model that the session had at the end, without secrets
	Host    string // where its requests went, if that is not the provider's own address

	// What the person wants next; at most one of them. All zero is to leave.
	Open string // the session of that ID
	Fork *int   // a fork of this session that keeps so many of its events, as event.Rewound does
	New  bool   // a new session

	// Draft is what the editor of the fork begins with.
	Draft string
}

// Run shows the screen until the person leaves, the agent is gone or ctx ends,
// none of which is an error. However it ends, the terminal is as it was found.
// Signals are the caller's to turn into the end of ctx.
func Run(ctx context.Context, o Options) (Exit, error) {
	all, stop := context.WithCancel(context.WithoutCancel(ctx)) // what was typed is handed over even so
	defer stop()
	commands, passed := make(chan event.Command), make(chan struct{})
	go func() {
		defer close(passed)
		relay(all, commands, o.Commands)
	}()
	m := newModel(o, time.Now, func(c event.Command) {
		select {
		case commands <- c:
		case <-all.Done():
		}
	})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	drawn, err := terminal.Show(ctx, cancel, m, terminal.Options{In: o.Input, Out: o.Output, Fault: o.Fault}, func(send func(any)) {
		pump(ctx, o.Events, send)
	})
	if !drawn {
		return Exit{}, err
	}
	m.drafts.save()
	close(commands)
	go drain(all, o.Events)
	if !m.orphan {
		select {
		case <-passed:
		case <-time.After(terminal.Grace):
		}
	}
	m.table.saveRecent()
	exit := m.next
	exit.LastAnswer, exit.Turns, exit.Jobs = m.feed.Answer, m.feed.Turns, transcript.Running(m.feed.Jobs)
	exit.BaseURL, exit.Host, exit.Lent = m.feed.BaseURL, m.feed.Host, m.prompt.external.editing
	return exit, err
}
