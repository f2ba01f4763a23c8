package main

import (
	"context"
	"os"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// offlineNotice and unconnected are what somebody without a model sees first.
const (
	offlineNotice = `No model is connected, so the built-in offline guide answers. It is no language model: it follows simple requests such as  read FILE · find WORD in *.go · replace A with B in FILE · run COMMAND.`

	connectNotice = offlineNotice + "\n" + `To connect one:  agent login openai | anthropic | openrouter …,  or set its key in the environment,  or start Ollama: it is found by itself.  /model  lists what can be used.`
)

// advise puts into o how to connect a model. While servers are searched for, it
// is shown only once none was found, unless prompts are sent before.
func (a *app) advise(o *screen.Options, prompts []screen.Prompt, plain bool) {
	o.Models.Searching = a.findLocal != nil
	if !plain {
		o.Models.Welcome = a.welcome(prompts)
	}
	switch {
	case o.Models.Welcome != "":
	case o.Models.Searching && !plain && len(prompts) == 0:
		a.advice = connectNotice
	default:
		o.Notices = append([]string{connectNotice}, o.Notices...)
	}
}

// welcome returns the notice of the first start without a model; empty at later
// starts, and if the user has named a model or sends a prompt.
func (a *app) welcome(prompts []screen.Prompt) string {
	state := screenStateFile(os.Getenv)
	if len(prompts) > 0 || a.pick.flags.model != "" || os.Getenv("AGENT_MODEL") != "" || state.read().Welcomed {
		return ""
	}
	state.update(func(s *screenState) { s.Welcomed = true })
	return offlineNotice
}

// searchModel searches for a model on this machine and tells the agent how that ended.
// If there is none, the user is shown how to connect one.
func (a *app) searchModel(ctx context.Context, commands chan<- event.Command) {
	if a.findLocal == nil {
		return
	}
	found := a.findLocal(ctx)
	if found.Model == "" && a.advice != "" {
		found.Notices = append([]string{a.advice}, found.Notices...)
	}
	select {
	case commands <- found:
	case <-ctx.Done():
	}
}
