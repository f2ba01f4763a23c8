package acp

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/coder/acp-go-sdk"

	"agent/internal/llm/offline"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// The IDs of the configuration options.
const (
	modeOption   = "mode"
	modelOption  = "model"
	effortOption = "effort"
)

// modeTexts describe the permission modes.
var modeTexts = map[event.Mode]string{
	event.ModeAsk:  "Ask before each edit and command",
	event.ModeAuto: "Edits and sandboxed commands run without asking",
	event.ModePlan: "Read only: make a plan",
	event.ModeAll:  "Approve everything except commands that write outside or use the network",
}

// efforts are the values of the option for reasoning effort.
var efforts = []string{event.DefaultEffort, "low", "medium", "high"}

// choices are the settings of a session that the user can change: the permission mode, the
// model and the reasoning effort. Any goroutine may call its methods.
type choices struct {
	opened  *Opened
	outbox  *screen.Outbox
	answers *screen.Answers
	ended   <-chan struct{} // closed when the session has ended

	mu    sync.Mutex
	mode  event.Mode
	model event.ModelSet // the current model
}

// all returns the configuration options, and the modes for editors that do not know
// options.
func (c *choices) all(ctx context.Context) ([]acp.SessionConfigOption, *acp.SessionModeState) {
	c.mu.Lock()
	modes := &acp.SessionModeState{CurrentModeId: acp.SessionModeId(c.mode)}
	c.mu.Unlock()
	for _, m := range c.opened.Modes {
		text := modeTexts[m]
		modes.AvailableModes = append(modes.AvailableModes, acp.SessionMode{Id: acp.SessionModeId(m), Name: m.Name(), Description: &text})
	}
	return c.options(ctx), modes
}

// options returns the configuration options with their current values.
func (c *choices) options(ctx context.Context) []acp.SessionConfigOption {
	c.mu.Lock()
	mode, model := c.mode, c.model
	c.mu.Unlock()
	var modes, models, levels acp.SessionConfigSelectOptionsUngrouped
	for _, m := range c.opened.Modes {
		modes = append(modes, selectOption(string(m), m.Name(), modeTexts[m]))
	}
	all := c.opened.Models(ctx)
	if !slices.ContainsFunc(all, func(m Model) bool { return m.Name == model.Model }) {
		all = append([]Model{{Name: model.Model, Why: model.Why}}, all...)
	}
	for _, m := range all {
		models = append(models, selectOption(m.Name, m.Name, m.Why))
	}
	out := []acp.SessionConfigOption{
		selection(modeOption, "Permission mode", acp.SessionConfigOptionCategoryMode, string(mode), modes),
		selection(modelOption, "Model", acp.SessionConfigOptionCategoryModel, model.Model, models),
	}
	if model.Model == offline.Name {
		return out
	}
	effort := model.Effort
	if effort == "" {
		effort = event.DefaultEffort
	}
	values := efforts
	if !slices.Contains(values, effort) {
		values = append(slices.Clone(values), effort)
	}
	for _, e := range values {
		levels = append(levels, selectOption(e, e, ""))
	}
	return append(out, selection(effortOption, "Reasoning effort", acp.SessionConfigOptionCategoryThoughtLevel, effort, levels))
}

func selection(id, name string, category acp.SessionConfigOptionCategory, value string, values acp.SessionConfigSelectOptionsUngrouped) acp.SessionConfigOption {
	return acp.SessionConfigOption{Select: &acp.SessionConfigOptionSelect{
		Type: "select", Id: acp.SessionConfigId(id), Name: name, Category: &category, CurrentValue: acp.SessionConfigValueId(value),
		Options: acp.SessionConfigSelectOptions{Ungrouped: &values},
	}}
}

func selectOption(value, name, text string) acp.SessionConfigSelectOption {
	o := acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(value), Name: clean(name)}
	if text = clean(text); text != "" {
		o.Description = &text
	}
	return o
}

// setMode sets the permission mode, from the next tool call on. It returns a function that
// waits until the change is recorded: from then on, it is not lost if the editor exits.
func (c *choices) setMode(id string) (wait func(context.Context) error, err error) {
	mode := event.Mode(id)
	if !slices.Contains(c.opened.Modes, mode) {
		var known []string
		for _, m := range c.opened.Modes {
			known = append(known, string(m))
		}
		return nil, invalid("unknown permission mode %q: use %s", id, strings.Join(known, ", "))
	}
	c.modeSet(mode)
	to, wait := c.await()
	c.outbox.Send(event.SetMode{Ref: to, Mode: mode})
	return wait, nil
}

// await returns the Ref for the command of a change, and a function that waits for its
// answer. It stops waiting when the session or its context ends.
func (c *choices) await() (to event.Ref, wait func(context.Context) error) {
	result := make(chan error, 1)
	to = screen.Await(c.answers, func(e event.Event) {
		var err error
		if n, failed := e.(event.Notice); failed {
			err = invalid("%s", clean(n.Text))
		}
		result <- err
	})
	return to, func(ctx context.Context) error {
		select {
		case err := <-result:
			return err
		case <-c.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case err := <-result:
			return err
		default:
			return invalid("the session was closed")
		}
	}
}

// modeSet notes the current permission mode.
func (c *choices) modeSet(mode event.Mode) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mode = mode
}

// modelSet notes the current model.
func (c *choices) modelSet(model event.ModelSet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model = model
}

// setOption sets an option and returns the task that answers with all of them.
func (c *choices) setOption(id, value string) (task, error) {
	var wait func(context.Context) error
	switch id {
	case modeOption:
		var err error
		if wait, err = c.setMode(value); err != nil {
			return nil, err
		}
	case modelOption, effortOption:
		next := event.SetModel{Model: value}
		if id == effortOption {
			c.mu.Lock()
			next = event.SetModel{Model: c.model.Model, Effort: value}
			c.mu.Unlock()
		}
		next.Ref, wait = c.await()
		c.outbox.Send(next)
	default:
		return nil, invalid("unknown option %q: use %s, %s or %s", id, modeOption, modelOption, effortOption)
	}
	return func(ctx context.Context) (any, func(), error) {
		if err := wait(ctx); err != nil {
			return nil, nil, err
		}
		return acp.SetSessionConfigOptionResponse{ConfigOptions: c.options(ctx)}, nil, nil
	}, nil
}
