// Package strict tells which schemas a provider can hold a model to word for
// word.
package strict

import (
	"encoding/json"
	"slices"
)

// The bounds within which a provider takes a schema for strict.
const (
	maxDepth      = 5
	maxProperties = 100
)

// schema is a JSON schema, in as far as it decides about strict.
type schema struct {
	Type                 any                        `json:"type"`
	Properties           map[string]json.RawMessage `json:"properties"`
	Required             []string                   `json:"required"`
	AdditionalProperties any                        `json:"additionalProperties"`
	Items                json.RawMessage            `json:"items"`
	AnyOf                []json.RawMessage          `json:"anyOf"`
	Format               string                     `json:"format"`
}

// Fits reports whether a provider can hold the model to the schema b. That wants an object of which every property is required and none other
// allowed, all the way down, in the few words that providers know; a request
// that claims it for any other schema is refused.
func Fits(b json.RawMessage) bool {
	properties := 0
	var root schema
	return json.Unmarshal(b, &root) == nil && root.Type == "object" && below(b, 0, &properties)
}

// below judges one schema and those in it. properties counts what was
// seen in all.
func below(b json.RawMessage, depth int, properties *int) bool {
	var words map[string]json.RawMessage
	var s schema
	if json.Unmarshal(b, &words) != nil || json.Unmarshal(b, &s) != nil || depth > maxDepth {
		return false
	}
	for w := range words {
		if !allowed(w) {
			return false
		}
	}
	if s.Format != "" && !slices.Contains([]string{"date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}, s.Format) {
		return false
	}
	inner := slices.Clone(s.AnyOf)
	switch {
	case isType(s.Type, "object"):
		*properties += len(s.Properties)
		if s.AdditionalProperties != false || *properties > maxProperties {
			return false
		}
		for name, p := range s.Properties {
			if !slices.Contains(s.Required, name) {
				return false
			}
			inner = append(inner, p)
		}
	case isType(s.Type, "array"):
		inner = append(inner, s.Items) // without items, anything may be in it
	case s.Type == nil && len(s.AnyOf) == 0 && words["enum"] == nil && words["const"] == nil:
		return false // anything may be there
	}
	return !slices.ContainsFunc(inner, func(b json.RawMessage) bool { return !below(b, depth+1, properties) })
}

// isType reports whether t, a name or a list of names, names typ.
func isType(t any, typ string) bool {
	list, ok := t.([]any)
	return t == typ || ok && slices.Contains(list, any(typ))
}

// allowed reports whether strict schemas may hold the word w.
func allowed(w string) bool {
	switch w {
	case "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const",
		"title", "description", "pattern", "format", "multipleOf", "minimum", "maximum",
		"exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems":
		return true
	}
	return false
}
