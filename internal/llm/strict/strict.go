// Package strict decides whether a JSON schema qualifies for a provider's
// strict mode, in which the model's output is guaranteed to match it.
package strict

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// The limits of a strict schema.
const (
	maxDepth      = 5
	maxProperties = 100
)

// schema holds the parts of a JSON schema that matter for strict mode.
type schema struct {
	Type                 any                        `json:"type"`
	Properties           map[string]json.RawMessage `json:"properties"`
	Required             []string                   `json:"required"`
	AdditionalProperties any                        `json:"additionalProperties"`
	Items                json.RawMessage            `json:"items"`
	AnyOf                []json.RawMessage          `json:"anyOf"`
	Format               string                     `json:"format"`
}

// Fits reports whether b is a valid strict schema: an object whose properties
// are all required, without additional properties, at every level, and only
// with keywords that providers support. Providers reject other schemas in
// strict mode.
func Fits(b json.RawMessage) bool {
	properties := 0
	var root schema
	return json.Unmarshal(b, &root) == nil && root.Type == "object" && fits(b, 0, &properties)
}

// Parameters returns the schema of a tool's arguments, and whether the provider
// is to enforce it. Supported is whether the provider has a strict mode.
func Parameters(t llm.ToolSpec, supported bool) (schema json.RawMessage, enforce bool) {
	plain := wire.Parameters(t)
	switch {
	case supported && Fits(t.Strict):
		return t.Strict, true
	case supported && Fits(plain):
		return plain, true
	}
	return plain, false
}

// maxOptional is the maximum number of optional arguments of a small tool.
const maxOptional = 4

// Small reports whether a tool has a strict form and a simple plain schema: few
// optional arguments and no keywords that limit values. Some providers can enforce
// only such schemas, and reject requests with complex ones. Optional is the number of the
// optional arguments, of which providers limit the sum.
func Small(t llm.ToolSpec) (optional int, ok bool) {
	var s schema
	if json.Unmarshal(t.Schema, &s) != nil {
		return 0, false
	}
	optional = len(s.Properties) - len(s.Required)
	return optional + nestedOptional(s), Fits(t.Strict) && optional <= maxOptional && !slices.ContainsFunc(
		[]string{"pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"},
		func(word string) bool { return bytes.Contains(t.Schema, []byte(`"`+word+`":`)) })
}

// nestedOptional returns the number of optional properties of the objects inside s.
func nestedOptional(s schema) (n int) {
	inner := slices.Collect(maps.Values(s.Properties))
	inner = append(inner, s.Items)
	for _, b := range append(inner, s.AnyOf...) {
		var in schema
		if len(b) > 0 && json.Unmarshal(b, &in) == nil {
			n += max(len(in.Properties)-len(in.Required), 0) + nestedOptional(in)
		}
	}
	return n
}

// fits checks a schema and those inside it. properties counts the properties
// seen.
func fits(b json.RawMessage, depth int, properties *int) bool {
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
		inner = append(inner, s.Items) // without items, any element is valid
	case s.Type == nil && len(s.AnyOf) == 0 && words["enum"] == nil && words["const"] == nil:
		return false // any value is valid
	}
	return !slices.ContainsFunc(inner, func(b json.RawMessage) bool { return !fits(b, depth+1, properties) })
}

// isType reports whether t, a type name or a list of them, includes typ.
func isType(t any, typ string) bool {
	list, ok := t.([]any)
	return t == typ || ok && slices.Contains(list, any(typ))
}

// allowed reports whether a strict schema may use the keyword w.
func allowed(w string) bool {
	switch w {
	case "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const",
		"title", "description", "pattern", "format", "multipleOf", "minimum", "maximum",
		"exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems":
		return true
	}
	return false
}
