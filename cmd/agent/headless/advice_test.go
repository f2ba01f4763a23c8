package headless_test

import (
	"testing"

	"agent/cmd/agent/headless"
)

// A run gives no advice that only a screen can follow.
func TestAdvice(t *testing.T) {
	for text, want := range map[string]string{
		"Shorten the context with /compact, remove messages with /rewind, start a new session with /new, or choose a model with a larger context window.": "Choose a model with a larger context window.",
		"Shorten the context with /compact. The text received is kept.":                                                                                   "The text received is kept.",
		"Shorten the context with /compact.":                                                 "",
		"Rephrase the prompt, or choose another model with /model.":                          "Rephrase the prompt, or choose another model with --model.",
		"The model is \"x\" at http://h/v1. Choose another one with /model or --model.":      "The model is \"x\" at http://h/v1. Choose another one with --model.",
		"Choose it with /model openai/x or --model openai/x.":                                "Choose it with --model openai/x.",
		"Choose a model with a larger context window with /model, or send a shorter prompt.": "Choose a model with a larger context window with --model, or send a shorter prompt.",
		"Turn the web search off with /web off, or choose another model with /model.":        "Set web_search to false, or choose another model with --model.",
		"The text received is kept. Press Enter to continue.":                                "The text received is kept.",
		"Send a message to continue.":                                                        "To continue, run agent with --continue.",
		"To confirm them again: /trust or `agent trust`":                                     "To confirm them again: `agent trust`",
		"Confirm it with /trust, then start a new session with /new":                         "Confirm it with `agent trust`",
		"Free up disk space below /new/home, or fix the error: open /model.json.":            "Free up disk space below /new/home, or fix the error: open /model.json.",
		"Fix the cause, or start a new session with /new.":                                   "Fix the cause.",
		"": "",
	} {
		if got := headless.Advice(text); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", text, got, want)
		}
	}
}
