package screen

import (
	"strings"

	"agent/internal/tui/ink"
	"agent/internal/tui/transcript"
)

// AboutModel describes the current model in a sentence.
func AboutModel(f *transcript.SessionState) string {
	if f.Model == "" {
		return "No model is connected."
	}
	return "Model: " + ModelDetails(f) + "."
}

// ModelDetails returns the current model, its effort and host, and why it was selected;
// empty if there is none.
func ModelDetails(f *transcript.SessionState) string {
	if f.Model == "" {
		return ""
	}
	text := ink.SanitizeLine(f.Model)
	if f.Effort != "" {
		text += ", effort " + ink.SanitizeLine(f.Effort)
	}
	if f.Host != "" {
		text += " at " + ink.SanitizeLine(f.Host)
	}
	if f.Why != "" {
		text += " (" + strings.TrimRight(ink.SanitizeLine(f.Why), ".") + ")"
	}
	return text
}
