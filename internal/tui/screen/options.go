package screen

import (
	"context"
	"io"
	"os/exec"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
)

// Options configure a front end.
type Options struct {
	Events   <-chan event.Event   // its close ends the program
	Commands chan<- event.Command // never closed by the front end

	Session    Session
	Files      Files
	Clipboard  Clipboard
	Models     Models
	Connect    Connect
	Appearance Appearance
	Terminal   Terminal

	Keys    map[string][]string // key bindings by action name, which replace the default ones
	Vi      bool                // edit text with vi keys
	NoMouse bool                // start without mouse capture
	// Custom are the slash commands of the user and of the repository. Those with the
	// name of a built-in command are ignored, with a notice.
	Custom       []CustomCommand
	Instructions Instructions
	Trust        Trust
	MCP          MCP
	Servers      Servers
	Manual       Manual
	// Agents returns the agents that can be started, from memory: it is called while the
	// screen is drawn. ReadAgents reads them again, and may block. Nil if there are none.
	Agents     func() []Agent
	ReadAgents func()
	// Recent are the recently used actions of the command palette, and Remember saves
	// them.
	Recent   []string
	Remember func(recent []string)
	// RecentModels are the recently selected models, and RememberModels saves them.
	RecentModels   []string
	RememberModels func(recent []string)

	// Shown is called once, after the first frame. It may block. Nil for nothing.
	Shown func()

	Version string
	Notices []string // shown below the header
	Prompts []Prompt // sent automatically, each after the previous turn
	// OnForcedInterrupt is called with true when the user interrupts a second time, and with
	// false once the turn has ended. May be nil.
	OnForcedInterrupt func(bool)

	Input  io.Reader // nil: the terminal
	Output io.Writer // nil: the terminal
	Fault  string    // fault injection: see terminal.Options
}

// Session is the session on the screen, with functions to read it and others.
type Session struct {
	ID    string       // empty if the session is not saved
	Path  string       // of its log, for display; empty if the session is not saved
	Title string       // set by the user; may be empty
	Mode  string       // the initial event.Mode
	Modes []event.Mode // that the user may choose; nil for all
	Draft event.Draft  // saved with the session

	History []event.Event // the last durable events, from the start of a turn
	// Page returns the durable events from number from up to number to, counted as in
	// event.Opened. It may block. Nil if History is complete.
	Page func(from, to int) ([]event.Event, error)
	// Spent returns the logged usage of the session by model, and the part of it in
	// rewound turns.
	Spent func() (all []Spent, rewound Spent, err error)
	// UndoSizes returns the sizes of the old contents of files that are stored for undo, in
	// bytes: of the session and of all sessions. Nil if the session is not saved.
	UndoSizes func() (own, all int64, err error)
	// Inspect rebuilds the request of a step from the log; step 0 is the last one. It
	// returns what the request consists of, and the request itself.
	Inspect func(step int) (summary, request string, err error)
	// Export writes the session to a file: as "md", "html" or "json".
	Export func(format string) (path string, err error)

	// List returns the sessions that can be resumed, the latest first. If query is not
	// empty, only those with query in their text.
	List func(ctx context.Context, query string) ([]list.Session, error)
	// Preview returns the last events of a session.
	Preview func(id string) ([]event.Event, error)
	// Earlier returns the last prompts, at most limit, of earlier sessions in the
	// directory, the latest last.
	Earlier func(ctx context.Context, limit int) []string
}

// Files is the workspace.
type Files struct {
	Dir, Branch string // for display: "~/src/shop", "main"
	// ReadBranch returns the current branch.
	ReadBranch func() string
	// ShortDir shortens an absolute path for display: "~/src/shop". May be nil.
	ShortDir func(dir string) string

	// Find returns the files and directories that match query, the best match first;
	// for an empty query, the recently used ones. It does not wait for a running scan:
	// a result that is not final may change a moment later.
	Find func(ctx context.Context, query string, limit int) (found []Match, final bool)
	// ReadImage reads an image file and describes it: "PNG, 640 x 480". A relative path
	// is relative to the workspace.
	ReadImage func(path string) (img llm.Image, what string, err error)
	// Editor returns the command that opens a file in the user's editor. Nil if no
	// editor is configured.
	Editor func(path string) *exec.Cmd
}

// Clipboard is the clipboard of the system.
type Clipboard struct {
	// Copy copies text and returns the program that did. Its error says what to do.
	Copy func(text string) (by string, err error)
	// ReadImage returns the image on the clipboard. Its error says what to do.
	ReadImage func(ctx context.Context) (llm.Image, error)
	// NoCopyOnSelect leaves copying a mouse selection to a key.
	NoCopyOnSelect bool
}

// Models describes the current model and the available ones.
type Models struct {
	Name    string // PROVIDER/NAME of the initial model
	Why     string // why it was selected: "ANTHROPIC_API_KEY is set"
	Context int    // context window in tokens, 0 if unknown
	Effort  string // reasoning effort, empty for the model's default
	Host    string // of BaseURL, if it is not the provider's own address
	BaseURL string // without secrets

	// List returns the available models. If complete is set, it queries providers and
	// servers, which may block.
	List func(ctx context.Context, complete bool) ([]Model, error)
	// Choose is set if the screen starts with the list of models.
	Choose bool
	// NoImages reports whether a model, as PROVIDER/NAME, is known not to support images.
	NoImages func(model string) bool
	// Welcome tells the user of a new session without a model how to connect one;
	// empty for other sessions.
	Welcome string
	// Searching is set during the search for a model on this machine, which ends with
	// event.Searched. The welcome is shown only if it finds none.
	Searching bool
}

// Appearance is how the screen looks.
type Appearance struct {
	Theme   string // the name of one of ink.Themes; empty for the first
	NoColor bool
	Colors  colorprofile.Profile // until the terminal reports a better one
	ASCII   bool                 // draw with ASCII characters only
	Diffs   ink.DiffLayout
	// SaveTheme saves the theme for other sessions.
	SaveTheme  func(name string) error
	StatusLine []string // items of the status line, in order; nil for the default
}

// Prompt is a prompt that is sent automatically.
type Prompt struct {
	Note string // shown before it; may be empty
	Text string
}

// Heading returns the first line of the transcript of a session with a model and a
// title, which may be empty.
func (o *Options) Heading(model, title string) string {
	parts := []string{strings.TrimSpace("agent " + o.Version)}
	for _, p := range []string{model, o.Files.Dir, o.Files.Branch, title} {
		if p != "" {
			parts = append(parts, ink.SanitizeLine(p))
		}
	}
	return strings.Join(parts, " · ")
}

// Match is a file or directory that matches a query.
type Match struct {
	Path string // relative to the workspace, with slashes, but none at the end; untrusted text
	Dir  bool
	At   []int // byte offsets in Path of the query's characters, ascending
}

// CustomCommand is a slash command from a file: a prompt with a name. All of its text
// is untrusted.
type CustomCommand struct {
	Name           string // without the slash
	Args           string // for display: "FILE [LINE]"; may be empty
	What           string // description, one line; may be empty
	Source         string // the file, for display: "~/.config/agent/commands/fix.md"
	FromRepository bool   // from the repository, not from the user
	Skill          bool   // the text of a skill, whose only placeholder is $ARGUMENTS
	Text           string // the prompt, with the placeholders $ARGUMENTS and $1 to $9
}

// Agent is a kind of delegate that can be started. Its texts are untrusted.
type Agent struct {
	Name        string
	Description string // when to use it, in one line
	Source      string // its file, for display; empty if it is built in
}

// Look returns the initial look: for a dark background, until the terminal reports
// its background.
func (o *Options) Look() ink.Look {
	return ink.Look{Theme: o.Appearance.Theme, Dark: true, NoColor: o.Appearance.NoColor, Can: o.Appearance.Colors, ASCII: o.Appearance.ASCII, Diffs: o.Appearance.Diffs}
}

// Model is a connected model, or a provider that is not connected. Its texts are
// untrusted.
type Model struct {
	Name          string   // PROVIDER/NAME, or only PROVIDER
	Context       int      // context window in tokens, 0 if unknown
	Tools         *bool    // native tool calls; nil if unknown
	Images        *bool    // image input; nil if unknown
	Thinking      *bool    // reasoning effort; nil if unknown
	Input, Output *float64 // US dollars per million tokens; nil if unknown
	Why           string   // why it is connected
	Needs         string   // how to connect it; empty if connected
	Default       bool     // the provider's default model
}

// Summary describes the context window and the price of a model, and what it supports.
func (d Model) Summary() string {
	var facts []string
	if d.Context > 0 {
		facts = append(facts, phrase.Thousands(d.Context))
	}
	switch {
	case d.Input == nil || d.Output == nil:
	case *d.Input == 0 && *d.Output == 0:
		facts = append(facts, "free")
	default:
		facts = append(facts, phrase.Price(*d.Input)+" in, "+phrase.Price(*d.Output)+" out")
	}
	for _, f := range []struct {
		has  *bool
		name string
	}{{d.Tools, "tools"}, {d.Images, "images"}, {d.Thinking, "thinking"}} {
		if f.has != nil && *f.has {
			facts = append(facts, f.name)
		}
	}
	return strings.Join(facts, " · ")
}
