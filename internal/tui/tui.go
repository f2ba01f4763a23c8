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

	Session    Session
	Files      Files
	Clipboard  Clipboard
	Models     Models
	Appearance Appearance
	Terminal   Terminal

	Keys    map[string][]string // keys by the name of an action, in place of the default ones
	Vi      bool                // text is edited with the keys of vi
	NoMouse bool                // the mouse is the terminal's until a key takes it
	// Custom are the slash commands of the user and of the repository. One that has
	// the name of one of the program's is left out, with a notice.
	Custom []CustomCommand
	// Recent is what was done last, by Remember's account.
	Recent   []string
	Remember func(recent []string)

	Version string
	Notices []string // shown below the header
	Prompts []Prompt // sent one after another, each when the turn before has ended
	// Forced is told true when the user interrupts what runs a second time, and
	// false once that has ended. May be nil.
	Forced func(bool)

	Input  io.Reader // nil: the terminal
	Output io.Writer // nil: the terminal
	Fault  string    // see terminal.Options
}

// Session is the session that is shown, and the way to the others.
type Session struct {
	ID    string      // empty if the session is not kept
	Path  string      // of its log, as shown; empty if none is kept
	Title string      // that the user gave it; may be empty
	Mode  string      // event.Mode, until a ModeSet says otherwise
	Draft event.Draft // what was not sent before; the editor begins with it

	History []event.Event // the last durable events, from the start of a turn on
	// Page returns the durable events from one number up to another, as
	// event.Opened counts them. It takes a moment. Without it, History is all
	// there is.
	Page func(from, to int) ([]event.Event, error)
	// Spent returns what each model of the session has used so far, as far as the
	// log has it, and how much of that was rewound.
	Spent func() (all []Spent, back Spent, err error)
	// Export writes the session to a file: as "md", "html" or "json".
	Export func(format string) (path string, err error)

	// List returns the sessions that can be opened, the latest first, or those in
	// whose text query is found.
	List func(ctx context.Context, query string) ([]list.Session, error)
	// Preview returns the last events of a session.
	Preview func(id string) ([]event.Event, error)
	// Earlier returns the prompts of earlier sessions of the directory, the latest
	// last, and at most limit of them.
	Earlier func(ctx context.Context, limit int) []string
}

// Files are the workspace as the screen sees it.
type Files struct {
	Dir, Branch string // as shown: "~/src/shop", "main"
	// ReadBranch returns the branch that is checked out.
	ReadBranch func() string
	// ShortDir shortens an absolute directory for the screen: "~/src/shop". nil
	// leaves it as it is.
	ShortDir func(dir string) string

	// Find returns the files and directories that match query, the best first; for
	// an empty one, those used last. It returns what is known by then, so that
	// typing never waits for it. A result that is not final may be another a moment
	// later.
	Find func(ctx context.Context, query string, limit int) (found []Match, final bool)
	// ReadImage reads an image file, relative to the workspace or not, and describes
	// it in a few words: "PNG, 640 x 480".
	ReadImage func(path string) (img llm.Image, what string, err error)
	// Editor returns the command that edits a file in the user's editor; nil if none
	// is set.
	Editor func(path string) *exec.Cmd
}

// Clipboard is the clipboard of the system.
type Clipboard struct {
	// Copy puts text on it and returns the program that did. Without a clipboard,
	// its error says what to do.
	Copy func(text string) (by string, err error)
	// ReadImage returns the image on it. Its error says what to do.
	ReadImage func(ctx context.Context) (llm.Image, error)
	// KeepMarked keeps what the mouse selected: it is copied by a key only.
	NoCopyOnSelect bool
}

// Models are the model that answers and the others that there are.
type Models struct {
	Name    string // PROVIDER/NAME, until a ModelSet says otherwise
	Why     string // why it was chosen, in words that follow "because"
	Context int    // its context window in tokens, 0 if unknown
	Effort  string // reasoning effort, empty for the model's default
	Host    string // where its requests go, if that is not the provider's own address
	BaseURL string // the same as a whole URL, without secrets

	// List returns the models that there are. whole asks providers and servers too,
	// which takes a moment.
	List func(ctx context.Context, whole bool) ([]Model, error)
	// Blind reports whether a model, by PROVIDER/NAME, is known to see no images.
	Blind func(model string) bool
	// Welcome says what answers at the first start without a model; empty at every
	// other start.
	Welcome string
	// Searching says that a model is being searched for, until event.Searched. The
	// welcome waits for that: it is not shown if a model is found.
	Searching bool
}

// Appearance is how the screen looks.
type Appearance struct {
	Theme   string // one of ink.Themes; empty is the first
	NoColor bool
	Colors  colorprofile.Profile // that the terminal has, until it says better
	ASCII   bool                 // the terminal shows no other characters
	Diffs   ink.DiffLayout
	// SaveTheme keeps the choice of a theme for other sessions.
	SaveTheme  func(name string) error
	StatusLine []string // what the last line shows, in order; nil is the default
}

// Prompt is something to send that nobody types.
type Prompt struct {
	Note string // shown before it, for the person; may be empty
	Text string
}

// heading is the first line of the transcript of a session of that title.
func (o *Options) heading(title string) string {
	parts := []string{strings.TrimSpace("agent " + o.Version)}
	for _, p := range []string{o.Files.Dir, o.Files.Branch, title} {
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
