package main

import (
	"context"

	"agent/cmd/agent/credentials"
	"agent/cmd/agent/lines"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// offlineNotice explains the offline guide.
const offlineNotice = "No model is connected. The built-in offline guide answers simple requests:\n" +
	"read FILE · find WORD in *.go · replace A with B in FILE · run COMMAND."

// connectScreen says how to connect a model on the screen.
const connectScreen = offlineNotice + `

To connect a model, press Enter or type /connect. You choose a provider or a server on this machine; your API key is tested and stored.`

// connectLine says how to connect a model in plain mode.
const connectLine = offlineNotice + "\n\nTo connect a model, type /connect."

// connectShell says how to connect a model with other programs. login is set if there is a
// keyring for API keys.
func connectShell(login bool) string {
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

// advise adds to o how to connect a model. During a search for local servers the
// advice is held back until the search has failed.
func (c *modelChoice) advise(o *screen.Options, prompts []screen.Prompt, in *lines.Input) {
	o.Models.Searching = c.findLocal != nil
	advice := connectLine
	if in != nil && !in.Typed {
		advice = connectShell(credentials.KeyringAvailable())
	}
	switch {
	case in == nil && len(prompts) == 0:
		o.Models.Welcome = connectScreen
	case o.Models.Searching:
		c.advice = advice
	default:
		o.Notices = append([]string{advice}, o.Notices...)
	}
}

// search searches for a model on this machine and sends the agent the result,
// with advice for the user if there is none.
func (c *modelChoice) search(ctx context.Context, commands chan<- event.Command) {
	if c.findLocal == nil {
		return
	}
	found := c.findLocal(ctx)
	if found.Model == "" && c.advice != "" {
		found.Notices = append([]string{c.advice}, found.Notices...)
	}
	select {
	case commands <- found:
	case <-ctx.Done():
	}
}
