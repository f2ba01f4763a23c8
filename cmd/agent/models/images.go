package models

import (
	"strings"

	"agent/internal/llm/catalog"
	"agent/internal/llm/offline"
)

// WithoutImages returns a function that reports whether a model is known to lack
// image input.
func WithoutImages(known catalog.Changes) func(model string) bool {
	return func(model string) bool {
		if model == offline.Name {
			return true
		}
		provider, name, _ := strings.Cut(model, "/")
		vision := known.Lookup(provider, name).Vision
		return vision != nil && !*vision
	}
}
