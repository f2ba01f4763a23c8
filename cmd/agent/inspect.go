package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/models"
	"agent/cmd/agent/sessions"
	"agent/cmd/agent/settings"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/catalog"
	"agent/internal/llm/phrase"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/inspect"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
	"agent/internal/tools/workspace"
	"agent/internal/tui/ink"
)

// inspectOptions are what `agent inspect` needs.
type inspectOptions struct {
	IO       command.IO
	Settings func() (settings.File, error)
	Store    func() (*history.Store, error)
	end      *exit.Signals

	ID      string
	Step    int    // 0 for the last one
	Dialect string // empty for that of the model
	Output  string // text or json
}

// newCmdInspect returns `agent inspect`.
func newCmdInspect(f *command.Factory, end *exit.Signals, runF command.RunFunc[inspectOptions]) *cobra.Command {
	opts := &inspectOptions{IO: f.IO, Settings: f.Settings, Store: f.Store, end: end}
	cmd := &cobra.Command{
		Use:   "inspect SESSION",
		Short: "print the exact request that a model got in a step of a session",
		Long: `Inspect rebuilds the request of a step from the log of the session and prints it
as it was sent, without headers. It also prints the tokens of each part, the changes
since the previous step, and how much of the request the provider read from its
cache. It sends nothing.

The system prompt and the tools are those that the session recorded. If an older
version, which recorded none, wrote the session, the current ones are used. A schema
(agent run --schema) is not recorded, so it is missing.`,
		Example: `  agent inspect 1ng2j0n
  agent inspect 1ng2j0n --step 3 --dialect anthropic
  agent inspect 1ng2j0n --output json | jq .request`,
		Args: command.OneArg("one session ID: agent inspect SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.TextOrJSON(opts.Output); err != nil {
				return err
			}
			if cmd.Flags().Changed("step") && opts.Step < 1 {
				return command.Usage("--step: steps are counted from 1")
			}
			if err := checkDialect(opts.Dialect); err != nil {
				return command.Usage("--dialect: %w", err)
			}
			opts.ID = args[0]
			return command.Or(runF, inspectRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().IntVar(&opts.Step, "step", 0, "`number` of the step, from 1 (default: the last one)")
	cmd.Flags().StringVar(&opts.Dialect, "dialect", "", "encode the request for another `dialect`: openai, responses or anthropic")
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "text", "output `format`: text or json")
	return cmd
}

// checkDialect returns an error if name is not a dialect.
func checkDialect(name string) error {
	switch d := catalog.Dialect(name); d {
	case "", catalog.OpenAI, catalog.Responses, catalog.Anthropic:
		return nil
	}
	return fmt.Errorf("unknown dialect %q: use openai, responses or anthropic", name)
}

func inspectRun(_ context.Context, opts *inspectOptions) error {
	file, err := opts.Settings()
	if err != nil {
		return err
	}
	store, err := opts.Store()
	if err != nil {
		return err
	}
	v, err := store.View(opts.ID)
	if err != nil {
		return sessions.HintList(err)
	}
	defer v.Close()
	state, err := sessions.StateOf(v.From(0), func(err error) { opts.IO.Warn("%v", err) })
	if err != nil {
		return fmt.Errorf("read session %s: %w", v.Header().ID, err)
	}
	i := inspector{settings: file.Settings, header: v.Header(), events: state.Events, end: opts.end}
	r, err := i.request(opts.Step, catalog.Dialect(opts.Dialect))
	if err != nil {
		return fmt.Errorf("inspect session %s: %w", v.Header().ID, err)
	}
	if opts.Output == "json" {
		return opts.IO.Out.JSON(r)
	}
	opts.IO.Out.Say(r.summary() + "\n" + r.body())
	return nil
}

// inspector rebuilds the requests of a session.
type inspector struct {
	settings settings.Settings
	header   history.Header
	events   []event.Durable // of the session, without rewound ones
	end      *exit.Signals
}

// inspected is a rebuilt request.
type inspected struct {
	Session string `json:"session"`
	Step    int    `json:"step"`
	Steps   int    `json:"steps"` // of the session
	Model   string `json:"model"`
	Dialect string `json:"dialect"`
	// Rebuilt is set if the session did not record its system prompt and tools, so
	// that the current ones are used.
	Rebuilt      bool                    `json:"rebuilt_with_todays_prompt"`
	Instructions []event.InstructionFile `json:"instructions,omitempty"`
	Parts        []inspect.Part          `json:"parts"`
	Tokens       int                     `json:"tokens_estimated"`
	Usage        llm.Usage               `json:"usage"`             // as the provider counted
	Since        *inspect.Change         `json:"changes,omitempty"` // since the previous step; nil for the first one
	Compacted    []string                `json:"compacted,omitempty"`
	Request      json.RawMessage         `json:"request"`
}

// request rebuilds the request of a step; step 0 is the last one.
func (i inspector) request(step int, d catalog.Dialect) (inspected, error) {
	s, err := session.SentAt(i.events, step)
	if err != nil {
		return inspected{}, err
	}
	in := catalog.Input{Changes: i.settings.Changes(), Learned: models.Learned}
	choice := in.Described(s.Model.Model, s.Model.BaseURL, d)
	model := turn.Model{Name: s.Model.Model, ID: choice.Model, Effort: s.Model.Effort, Context: choice.Info.Context, NoImages: !valueOr(choice.Info.Vision, true)}
	r := inspected{Session: i.header.ID, Step: s.Step, Steps: s.Steps, Model: s.Model.Model, Dialect: string(choice.Dialect()), Usage: s.End.Usage}
	if r.Rebuilt = s.Prefix == nil; r.Rebuilt {
		if s.Prefix, err = i.currentPrefix(model); err != nil {
			return r, err
		}
	}
	req := turn.NewRequest(*s.Prefix, s.Messages, model)
	req.CacheKey = i.header.ID
	if r.Request, err = choice.Encode(req); err != nil {
		return r, err
	}
	r.Instructions, r.Parts = s.Prefix.Instructions, inspect.Parts(req)
	r.Tokens = inspect.Sum(r.Parts)
	for _, e := range s.Notes {
		r.Compacted = append(r.Compacted, e.(*event.Compacted).Why)
	}
	if s.Step > 1 {
		before, err := session.SentAt(i.events, s.Step-1)
		if err != nil {
			return r, err
		}
		if before.Prefix == nil {
			before.Prefix = s.Prefix
		}
		c := inspect.Compare(turn.NewRequest(*before.Prefix, before.Messages, model), req)
		r.Since = &c
	}
	return r, nil
}

// currentPrefix returns the prefix that a new session in the same directory would
// send to m. If the directory is gone, a temporary one replaces it.
func (i inspector) currentPrefix(m turn.Model) (*event.Prefix, error) {
	a := &app{dir: i.header.Dir, set: i.settings, end: i.end}
	if _, err := os.Stat(a.dir); err != nil {
		if a.dir, err = os.MkdirTemp("", "agent-inspect-"); err != nil {
			return nil, fmt.Errorf("create a directory: %w", err)
		}
		defer os.Remove(a.dir)
	}
	var err error
	if a.work, err = workspace.Open(a.dir); err != nil {
		return nil, err
	}
	defer a.close()
	if err := a.addTools(); err != nil {
		return nil, err
	}
	a.options.Model = m
	p := loop.NewAgent(a.options).Prefix(m, nil)
	return &p, nil
}

// summary describes the request. It contains untrusted text.
func (r inspected) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Step %d of %d · %s · dialect %s\n", r.Step, r.Steps, r.Model, r.Dialect)
	if r.Rebuilt {
		b.WriteString("This session did not record its system prompt and tools: the request is rebuilt with the current ones.\n")
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PART\tTOKENS")
	for _, p := range r.Parts {
		fmt.Fprintf(w, "%s\t%d\t%s\n", strings.TrimSpace(p.Kind+" "+ink.SanitizeLine(p.Name)), p.Tokens, ink.SanitizeLine(p.Begin))
	}
	fmt.Fprintf(w, "all, estimated\t%d\n", r.Tokens)
	_ = w.Flush()
	for _, f := range r.Instructions {
		fmt.Fprintf(&b, "instructions: %s\n", ink.SanitizeLine(f.Path))
	}
	return b.String() + "\n" + r.counted() + r.since()
}

// body returns the body of the request, indented.
func (r inspected) body() string {
	var b bytes.Buffer
	if err := json.Indent(&b, r.Request, "", "  "); err != nil {
		return string(r.Request)
	}
	return b.String() + "\n"
}

// counted describes the provider's token counts in one line.
func (r inspected) counted() string {
	u := r.Usage
	if u.Input == 0 {
		return "The provider counted no tokens.\n"
	}
	return fmt.Sprintf("The provider counted %s: %d read from its cache (%d %%), %d written to it.\n",
		phrase.Count(u.Input, "input token"), u.Cached, 100*u.Cached/u.Input, u.CacheWrite)
}

// since describes the changes since the previous step.
func (r inspected) since() string {
	c := r.Since
	if c == nil {
		return ""
	}
	changed := func(is bool) string {
		if is {
			return "changed"
		}
		return "unchanged"
	}
	out := fmt.Sprintf("Since step %d: tools %s, system prompt %s, the first %s unchanged, %d removed, %d added.\n",
		r.Step-1, changed(c.Tools), changed(c.System), phrase.Count(c.Kept, "message"), c.Removed, c.Added)
	for _, why := range r.Compacted {
		out += "Compacted: " + ink.SanitizeLine(why) + ".\n"
	}
	return out + fmt.Sprintf("The unchanged beginning has about %s.\n", phrase.Count(c.KeptTokens, "token"))
}

// inspect returns the request of a step of this session for the screen.
func (a *app) inspect(step int) (summary, request string, err error) {
	if !a.record.saved() {
		return "", "", errors.New("no request of this session has an answer yet")
	}
	v, err := a.record.log.View()
	if err != nil {
		return "", "", err
	}
	defer v.Close()
	state, err := sessions.StateOf(v.From(0), func(error) {}) // damage was reported when the session was opened
	if err != nil {
		return "", "", err
	}
	i := inspector{settings: a.set, header: v.Header(), events: state.Events, end: a.end}
	r, err := i.request(step, "")
	if err != nil {
		return "", "", err
	}
	return r.summary(), r.body(), nil
}
