package screen

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
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

// Heading is the first line of the transcript of a session of that title.
func (o *Options) Heading(title string) string {
	parts := []string{strings.TrimSpace("agent " + o.Version)}
	for _, p := range []string{o.Files.Dir, o.Files.Branch, title} {
		if p != "" {
			parts = append(parts, ink.SanitizeLine(p))
		}
	}
	return strings.Join(parts, " · ")
}

// Match is a file or a directory of the workspace that a query found.
type Match struct {
	Path string // relative to the workspace, with slashes and none at its end; untrusted text
	Dir  bool
	At   []int // the bytes of Path that the query's letters stand for, rising; empty for an empty query
}

// CustomCommand is a typed command that somebody wrote as a file: a prompt with
// a name. All of it is untrusted text.
type CustomCommand struct {
	Name   string // as it is typed, without the slash
	Args   string // what it takes, for people: "FILE [LINE]"; may be empty
	What   string // what it does, on one line; may be empty
	Source string // the file, as it is shown: "~/.config/agent/commands/fix.md"
	Theirs bool   // it comes with the repository, and not from the person
	Text   string // the prompt that it stands for, with $ARGUMENTS, and $1 to $9
}

// Look is how the screen begins: on a dark background, as most are, until the
// terminal says what it is.
func (o *Options) Look() ink.Look {
	return ink.Look{Theme: o.Appearance.Theme, Dark: true, NoColor: o.Appearance.NoColor, Can: o.Appearance.Colors, ASCII: o.Appearance.ASCII, Diffs: o.Appearance.Diffs}
}

// Model is a model that can be used, or a provider that something is missing
// for. Its texts are untrusted.
type Model struct {
	Name          string // PROVIDER/NAME, or PROVIDER alone
	Context       int    // tokens of its window, 0 if unknown
	Input, Output *float64
	Why           string // why it can be used
	Needs         string // what is missing; empty for one that can be used
	Default       bool   // what the provider's name alone means
}

// Facts are the window and the price of a model.
func (d Model) Facts() string {
	var facts []string
	if d.Context > 0 {
		facts = append(facts, phrase.Thousands(d.Context))
	}
	switch {
	case d.Input == nil || d.Output == nil:
	case *d.Input == 0 && *d.Output == 0:
		facts = append(facts, "free")
	default:
		facts = append(facts, Price(*d.Input)+" in, "+Price(*d.Output)+" out")
	}
	return strings.Join(facts, " · ")
}

// Price writes US dollars with at least the cents.
func Price(usd float64) string {
	s := strconv.FormatFloat(usd, 'f', -1, 64)
	if _, cents, _ := strings.Cut(s, "."); len(cents) < 2 {
		s = fmt.Sprintf("%.2f", usd)
	}
	return "$" + s
}
