package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/llm/wire"
)

// outputFormat converts a JSON schema to the subset that the provider supports.
// Unsupported keywords move into descriptions.
func outputFormat(schema json.RawMessage) (*wireFormat, error) {
	var s map[string]any
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber() // keep numbers in descriptions as written
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("read the schema of the answer: %w", err)
	}
	f := &wireFormat{Schema: fit(s), Type: "json_schema"}
	if f.Schema == true {
		f.Schema = s // let the provider report the error
	}
	return f, nil
}

// fit converts a schema to the supported subset: objects have no additional
// properties, oneOf becomes anyOf, and unsupported keywords move into the
// description, where the model reads them. A schema without any supported
// keyword becomes true.
func fit(schema any) any {
	s, ok := schema.(map[string]any)
	if !ok {
		return schema // true or false
	}
	if ref, ok := s["$ref"]; ok { // no other keyword may stand next to $ref
		return map[string]any{"$ref": ref}
	}
	out, aside := map[string]any{}, map[string]any{}
	for word, v := range s {
		if taken(s, word, v) {
			out[word] = v
		} else {
			aside[word] = v
		}
	}
	if one, ok := out["oneOf"]; ok {
		delete(out, "oneOf")
		if out["anyOf"] == nil {
			out["anyOf"] = one
		}
	}
	fitWithin(out)
	if !slices.ContainsFunc([]string{"type", "anyOf", "allOf", "enum", "const", "$defs"}, func(word string) bool { return out[word] != nil }) {
		return true
	}
	if len(aside) > 0 {
		out["description"] = strings.TrimSpace(fmt.Sprint(text(out["description"]), "\n\n", inWords(aside)))
	}
	return out
}

// taken reports whether the provider supports the keyword word of s with that
// value.
func taken(s map[string]any, word string, value any) bool {
	switch word {
	case "$defs", "type", "anyOf", "oneOf", "allOf", "description", "title", "enum", "const",
		"properties", "additionalProperties", "required", "items", "pattern":
		return true
	case "format":
		return s["type"] != "string" || slices.Contains([]string{"date-time", "time", "date", "duration",
			"email", "hostname", "uri", "ipv4", "ipv6", "uuid"}, text(value))
	case "minItems":
		n := fmt.Sprint(value)
		return n == "0" || n == "1"
	}
	return false
}

// fitWithin converts the schemas inside s.
func fitWithin(s map[string]any) {
	if s["type"] == "object" {
		if _, ok := s["properties"].(map[string]any); ok {
			s["additionalProperties"] = false
		} else if s["additionalProperties"] == nil {
			s["properties"], s["additionalProperties"] = map[string]any{}, false
		}
	}
	for _, word := range []string{"items", "additionalProperties"} {
		if within, ok := s[word]; ok {
			s[word] = fit(within)
		}
	}
	for _, word := range []string{"$defs", "properties"} {
		if named, ok := s[word].(map[string]any); ok {
			fitted := map[string]any{}
			for name, within := range named {
				fitted[name] = fit(within)
			}
			s[word] = fitted
		}
	}
	for _, word := range []string{"anyOf", "allOf"} {
		if list, ok := s[word].([]any); ok {
			var fitted []any
			for _, within := range list {
				// An alternative that accepts anything would make the others
				// pointless.
				if f := fit(within); word != "anyOf" || f != true {
					fitted = append(fitted, f)
				}
			}
			s[word] = fitted
			if fitted == nil {
				delete(s, word)
			}
		}
	}
}

// inWords returns the unsupported keywords as text for the model.
func inWords(aside map[string]any) string {
	var all []string
	for _, word := range slices.Sorted(maps.Keys(aside)) {
		value, ok := aside[word].(string)
		if !ok {
			b, err := wire.Marshal(aside[word])
			if err != nil {
				continue // cannot happen: it was decoded from JSON
			}
			value = string(b)
		}
		all = append(all, word+": "+value)
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// text returns v if it is a string, otherwise "".
func text(v any) string {
	s, _ := v.(string)
	return s
}
