package main

import (
	"context"

	"agent/cmd/agent/credentials"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// offlineNotice explains the offline guide.
const offlineNotice = "No model is connected. The built-in offline guide answers simple requests:\n" +
	"read FILE · find WORD in *.go · replace A with B in FILE · run COMMAND."

// connectNotice returns offlineNotice and how to connect a model. login is set if
// there is a keyring for API keys.
func connectNotice(login bool) string {
	text := offlineNotice + `

To connect a model, do one of the following:
  export ANTHROPIC_API_KEY=… (or OPENAI_API_KEY, OPENROUTER_API_KEY, …)`
	if login {
		text += `
  agent login anthropic          store an API key in the system keyring`
	}
	return text + `
  ollama serve                   local servers are detected automatically`
}

// advise adds to o how to connect a model. With a prompt, and in plain mode, it does
// not wait for the search for local servers.
func (a *app) advise(o *screen.Options, prompts []screen.Prompt, plain bool) {
	o.Models.Searching = a.findLocal != nil
	advice := connectNotice(credentials.KeyringAvailable())
	if plain || len(prompts) > 0 {
		o.Notices = append([]string{advice}, o.Notices...)
		return
	}
	o.Models.Welcome = advice
}

// searchModel searches for a model on this machine and sends the agent the result.
func (a *app) searchModel(ctx context.Context, commands chan<- event.Command) {
	if a.findLocal == nil {
		return
	}
	select {
	case commands <- a.findLocal(ctx):
	case <-ctx.Done():
	}
}
