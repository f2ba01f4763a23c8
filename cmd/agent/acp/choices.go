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
	event.ModeAsk:   "Ask before each edit and command",
	event.ModeEdits: "Auto-approve file edits, ask before commands",
	event.ModePlan:  "Read only: make a plan",
	event.ModeAll:   "Approve everything except what destroys data, writes outside or uses the network",
}

// efforts are the values of the option for reasoning effort.
var efforts = []string{event.DefaultEffort, "low", "medium", "high"}

// choices are the settings of a session that the user can change: the permission mode, the
// model and the reasoning effort. Any goroutine may call its methods.
type choices struct {
	opened *Opened
	outbox *screen.Outbox
	ended  <-chan struct{} // closed when the session has ended

	mu    sync.Mutex
	mode  event.Mode
	model event.ModelSet // the current model
	// switching receives the result of a change of the model; nil if none is under way.
	switching chan error
	// recording has a channel for each change of the mode that is not recorded yet, in order.
	// The channel receives nil when the change is recorded.
	recording []chan error
}

// all returns the configuration options, and the modes for editors that do not know
// options.
func (c *choices) all(ctx context.Context) ([]acp.SessionConfigOption, *acp.SessionModeState) {
	c.mu.Lock()
	modes := &acp.SessionModeState{CurrentModeId: acp.SessionModeId(c.mode)}
	c.mu.Unlock()
	for _, m := range c.opened.Modes {
		text := modeTexts[m]
		modes.AvailableModes = append(modes.AvailableModes, acp.SessionMode{Id: acp.SessionModeId(m), Name: string(m), Description: &text})
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
		modes = append(modes, selectOption(string(m), string(m), modeTexts[m]))
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
	recorded := make(chan error, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mode, c.recording = mode, append(c.recording, recorded)
	c.outbox.Send(event.SetMode{Mode: mode})
	return c.waiter(recorded), nil
}

// waiter returns a function that waits for the result of a change. It stops waiting when the
// session or its context ends.
func (c *choices) waiter(result <-chan error) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case err := <-result:
			return err
		case <-c.ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// modeRecorded notes a recorded change of the permission mode.
func (c *choices) modeRecorded(mode event.Mode) {
	c.modeSet(mode)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.recording) > 0 {
		c.recording[0] <- nil
		c.recording = c.recording[1:]
	}
}

// modeSet notes the current permission mode.
func (c *choices) modeSet(mode event.Mode) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mode = mode
}

// modelSet notes the current model, and ends a change of the model.
func (c *choices) modelSet(model event.ModelSet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model = model
	c.endSwitch(nil)
}

// failed ends a change of the model with an error, if one is under way.
func (c *choices) failed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endSwitch(invalid("%v", err))
}

// endSwitch ends a change of the model, if one is under way. c.mu is held.
func (c *choices) endSwitch(err error) {
	if c.switching != nil {
		c.switching <- err
		c.switching = nil
	}
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
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.switching != nil {
			return nil, invalid("the model is already being changed: wait for the answer")
		}
		next := event.SetModel{Model: c.model.Model, Effort: value}
		if id == modelOption {
			next = event.SetModel{Model: value}
		}
		switched := make(chan error, 1)
		c.switching = switched
		c.outbox.Send(next)
		wait = c.waiter(switched)
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
