// Package schema reads the JSON schemas of tools that come from outside: it limits them,
// and rewrites them to the form that all providers accept. It validates no values. Start
// reading at Parse and Portable.
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Portable returns the JSON schema of the arguments of a tool in the form that all providers
// accept. It completes what other programs leave out, such as a type or the items of an
// array, and replaces the forms of older versions of JSON Schema. Schema is decoded JSON; nil
// stands for no arguments. It is not changed. Invalid names the keywords that no version of
// JSON Schema permits and that are left out. An error says that the schema cannot be used.
//
// References, and alternatives at the top, stay as they are: not all providers accept them.
func Portable(schema any) (portable map[string]any, invalid []string, err error) {
	switch s := schema.(type) {
	case nil, bool:
		schema = map[string]any{}
	case []any: // an empty object of PHP
		if len(s) == 0 {
			schema = map[string]any{}
		}
	}
	root, ok := schema.(map[string]any)
	if !ok {
		return nil, nil, errors.New("it is not an object")
	}
	if err := checkDepth(root); err != nil {
		return nil, nil, err
	}
	var n normalizer
	portable = n.schema(root, "")
	switch t := portable["type"].(type) {
	case nil:
	case string:
		if t != "object" {
			return nil, nil, errors.New(`its type is not "object"`)
		}
	case []any:
		if !slices.Contains(t, any("object")) {
			return nil, nil, errors.New(`its type is not "object"`)
		}
	}
	portable["type"] = "object"
	if portable["properties"] == nil {
		portable["properties"] = map[string]any{}
	}
	slices.Sort(n.invalid)
	return portable, n.invalid, nil
}

// normalizer normalizes the schemas in a schema.
type normalizer struct{ invalid []string }

// wrong notes that a keyword is left out.
func (n *normalizer) wrong(path, keyword string) {
	const most = 20
	if len(n.invalid) < most {
		n.invalid = append(n.invalid, strings.TrimPrefix(path+"."+keyword, "."))
	}
}

// schema returns a normalized copy of s. Path says where s is, for invalid.
func (n *normalizer) schema(s map[string]any, path string) map[string]any {
	out := map[string]any{}
	for keyword, value := range s {
		if kept, ok := n.keyword(keyword, value, path); ok {
			out[keyword] = kept
		}
	}
	limit(out, s, "exclusiveMinimum", "minimum")
	limit(out, s, "exclusiveMaximum", "maximum")
	n.elements(out, s, path)
	n.required(out, s)
	return out
}

// keyword returns the normalized value of a keyword; ok is false if it is left out. The
// keywords that depend on others are completed by the caller.
func (n *normalizer) keyword(keyword string, value any, path string) (kept any, ok bool) {
	at := strings.TrimPrefix(path+"."+keyword, ".")
	switch keyword {
	case "$schema", "$id", "$comment", "items", "prefixItems", "additionalItems":
		return nil, false
	case "type":
		kept, ok = typeOf(value)
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		kept, ok = n.named(value, at)
	case "anyOf", "oneOf", "allOf":
		kept, ok = n.list(value, at)
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
		if kept, ok = value.(bool); !ok {
			kept, ok = n.inner(value, at)
		}
	case "not", "if", "then", "else", "contains", "propertyNames":
		kept, ok = n.inner(value, at)
	case "required":
		if _, is := value.(bool); is {
			return nil, false // draft 3, where it belongs to the property
		}
		kept, ok = namesIn(value)
	case "exclusiveMinimum", "exclusiveMaximum":
		if _, is := value.(bool); is {
			return nil, false // draft 4
		}
		kept, ok = value.(float64)
	case "enum":
		kept, ok = distinct(value)
	case "pattern":
		text, is := value.(string)
		if is && !portablePattern(text) {
			return nil, false
		}
		kept, ok = text, is
	default:
		kept, ok = value, wellFormed(keyword, value)
	}
	if !ok && value != nil {
		n.wrong(path, keyword)
	}
	return kept, ok
}

// inner returns a schema inside another one. Not all providers accept true and false.
func (n *normalizer) inner(value any, path string) (map[string]any, bool) {
	switch v := value.(type) {
	case map[string]any:
		return n.schema(v, path), true
	case bool:
		if !v {
			return map[string]any{"not": map[string]any{}}, true
		}
		return map[string]any{}, true
	case []any: // an empty object of PHP
		return map[string]any{}, len(v) == 0
	}
	return nil, false
}

// named returns the schemas of an object, without those that nothing matches.
func (n *normalizer) named(value any, path string) (map[string]any, bool) {
	out := map[string]any{}
	if list, ok := value.([]any); ok && len(list) == 0 {
		return out, true // an empty object of PHP
	}
	all, ok := value.(map[string]any)
	for name, s := range all {
		if s == false {
			continue
		}
		kept, ok := n.inner(s, path+"."+name)
		if !ok {
			n.wrong(path, name)
			kept = map[string]any{}
		}
		out[name] = kept
	}
	return out, ok
}

// list returns a list of schemas. It must not be empty.
func (n *normalizer) list(value any, path string) ([]any, bool) {
	all, ok := value.([]any)
	out := []any{}
	for i, s := range all {
		kept, ok := n.inner(s, fmt.Sprintf("%s.%d", path, i))
		if !ok {
			return nil, false
		}
		out = append(out, kept)
	}
	return out, ok && len(out) > 0
}

// elements completes the items of an array in out. The items of a tuple become alternatives,
// because each provider understands another form of tuples.
func (n *normalizer) elements(out, s map[string]any, path string) {
	tuple, isTuple := s["prefixItems"].([]any)
	rest := s["items"]
	if list, ok := s["items"].([]any); ok {
		tuple, isTuple, rest = list, len(list) > 0, s["additionalItems"]
	}
	var kinds []any
	seen := map[string]bool{}
	add := func(value any, at string) {
		kind, ok := n.inner(value, at)
		if !ok {
			n.wrong(path, at)
			kind = map[string]any{}
		}
		if key, _ := json.Marshal(kind); !seen[string(key)] {
			seen[string(key)] = true
			kinds = append(kinds, kind)
		}
	}
	for _, value := range tuple {
		add(value, "items")
	}
	switch {
	case rest == false:
		out["maxItems"] = float64(len(tuple))
	case rest != nil && !(isTuple && rest == true):
		add(rest, "items")
	}
	anything := slices.ContainsFunc(kinds, func(k any) bool { return len(k.(map[string]any)) == 0 })
	switch {
	case len(kinds) == 1 && !anything:
		out["items"] = kinds[0]
	case len(kinds) > 1 && !anything:
		out["items"] = map[string]any{"anyOf": kinds}
	case anything || isKind(out["type"], "array"):
		out["items"] = map[string]any{}
	}
}

// required makes properties required that say so themselves, as in draft 3, and no others
// than those that can be present.
func (n *normalizer) required(out, s map[string]any) {
	names, _ := out["required"].([]any)
	listed := map[any]bool{}
	for _, name := range names {
		listed[name] = true
	}
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		object, _ := properties[name].(map[string]any)
		if object["required"] == true && !listed[name] {
			names = append(names, name)
		}
	}
	names = slices.DeleteFunc(names, func(name any) bool { return properties[name.(string)] == false })
	delete(out, "required")
	if len(names) > 0 {
		out["required"] = names
	}
}

// limit replaces a boolean exclusive limit, as in draft 4.
func limit(out, s map[string]any, exclusive, inclusive string) {
	if value, ok := out[inclusive]; ok && s[exclusive] == true {
		out[exclusive] = value
		delete(out, inclusive)
	}
}

// typeOf returns a type, or a list of types, with the names of JSON Schema.
func typeOf(value any) (any, bool) {
	list, ok := value.([]any)
	if !ok {
		name, ok := typeName(value)
		return name, ok
	}
	var out []any
	for _, t := range list {
		if name, ok := typeName(t); ok && !slices.Contains(out, any(name)) {
			out = append(out, name)
		}
	}
	if len(out) == 1 {
		return out[0], true
	}
	return out, len(out) > 0
}

// typeName returns the type of JSON Schema that other languages call value.
func typeName(value any) (string, bool) {
	text, _ := value.(string)
	name := strings.ToLower(text)
	switch name {
	case "int", "int32", "int64", "long":
		name = "integer"
	case "float", "double", "decimal":
		name = "number"
	case "str", "text":
		name = "string"
	case "bool":
		name = "boolean"
	case "dict", "map":
		name = "object"
	case "list":
		name = "array"
	}
	return name, slices.Contains(types, name)
}

// isKind reports whether t, a type or a list of types, includes kind.
func isKind(t any, kind string) bool {
	list, _ := t.([]any)
	return t == kind || slices.Contains(list, any(kind))
}

// namesIn returns the names in a list without duplicates; ok is false if something else is
// in it.
func namesIn(value any) (names []any, ok bool) {
	list, ok := value.([]any)
	names, _ = distinct(list)
	return names, ok && !slices.ContainsFunc(names, func(e any) bool { _, is := e.(string); return !is })
}

// distinct returns a list that is not empty without duplicates.
func distinct(value any) (out []any, ok bool) {
	list, _ := value.([]any)
	seen := map[string]bool{}
	for _, e := range list {
		key, _ := json.Marshal(e)
		if !seen[string(key)] {
			seen[string(key)] = true
			out = append(out, e)
		}
	}
	return out, len(out) > 0
}

// wellFormed reports whether JSON Schema permits a value of a keyword. Unknown keywords are
// permitted.
func wellFormed(keyword string, value any) bool {
	number, isNumber := value.(float64)
	switch keyword {
	case "minimum", "maximum":
		return isNumber
	case "multipleOf":
		return isNumber && number > 0
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		return isNumber && number >= 0 && number == math.Trunc(number)
	case "title", "description", "format", "$ref", "$anchor", "$dynamicRef", "contentEncoding", "contentMediaType":
		_, ok := value.(string)
		return ok
	case "uniqueItems", "deprecated", "readOnly", "writeOnly", "nullable":
		_, ok := value.(bool)
		return ok
	case "examples":
		_, ok := value.([]any)
		return ok
	case "dependentRequired", "dependencies", "$vocabulary":
		_, ok := value.(map[string]any)
		return ok
	}
	return true
}

// specialPattern matches the parts of regular expressions that not all languages have.
var specialPattern = regexp.MustCompile(`\\[^dDwWsSbBnrtfv.*+?^$|(){}\[\]/\\-]|\(\?[^:]|\[\[:|[*+?}]\+`)

// portablePattern reports whether providers in all languages can read a regular expression.
// The program behind the tool itself checks the values.
func portablePattern(text string) bool {
	_, err := syntax.Parse(text, syntax.Perl) // to compile it can take long
	return err == nil && !specialPattern.MatchString(text)
}
