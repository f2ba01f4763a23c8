package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

const (
	// maxDepth limits how deep the objects and arrays of a schema are nested.
	maxDepth = 100
	// maxWork limits how many schemas apply to one value because of references and
	// alternatives.
	maxWork = 1000
)

// Parse returns the JSON schema in b. The validator follows references without a
// limit: a schema that refers to itself for the same value would end the program, and one
// with many references would never end. Such a schema is an error.
func Parse(b []byte) (*jsonschema.Resolved, error) {
	var root any
	if err := json.Unmarshal(b, &root); err != nil {
		return nil, err
	}
	if err := checkDepth(root); err != nil {
		return nil, err
	}
	c := references{root: root, work: map[string]int{}}
	if err := c.check(root); err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// checkDepth returns an error if a decoded schema is nested too deep for the models and for
// this program.
func checkDepth(schema any) error {
	if tooDeep(schema, 0) {
		return fmt.Errorf("it has more than %d levels", maxDepth)
	}
	return nil
}

func tooDeep(v any, depth int) bool {
	if depth > maxDepth {
		return true
	}
	for _, e := range elements(v) {
		if tooDeep(e, depth+1) {
			return true
		}
	}
	return false
}

// elements returns the elements of an array or the values of an object.
func elements(v any) (all []any) {
	switch v := v.(type) {
	case []any:
		return v
	case map[string]any:
		for _, e := range v {
			all = append(all, e)
		}
	}
	return all
}

// references checks the references of a schema.
type references struct {
	root any
	work map[string]int // by reference, as workOf returns it; 0 while it is computed
}

// check checks all references in v.
func (c references) check(v any) error {
	if m, ok := v.(map[string]any); ok {
		if _, err := c.workOf(m); err != nil {
			return err
		}
	}
	for _, e := range elements(v) {
		if err := c.check(e); err != nil {
			return err
		}
	}
	return nil
}

// workOf returns how many schemas apply to a value to which the schema v applies.
func (c references) workOf(v any) (int, error) {
	m, ok := v.(map[string]any)
	if !ok { // true, false, or nothing
		return 1, nil
	}
	var same []any // schemas for the same value
	for _, key := range []string{"allOf", "anyOf", "oneOf", "dependentSchemas"} {
		same = append(same, elements(m[key])...)
	}
	for _, key := range []string{"not", "if", "then", "else"} {
		same = append(same, m[key])
	}
	sum := 1
	for _, s := range same {
		n, err := c.workOf(s)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	if ref, ok := m["$ref"].(string); ok {
		n, err := c.follow(ref)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	if _, ok := m["$dynamicRef"].(string); ok {
		return 0, errors.New("$dynamicRef is not supported: use $ref")
	}
	if sum > maxWork {
		return 0, fmt.Errorf("more than %d schemas apply to one value", maxWork)
	}
	return sum, nil
}

// follow is workOf for a reference.
func (c references) follow(ref string) (int, error) {
	if n, known := c.work[ref]; known {
		if n == 0 {
			return 0, fmt.Errorf("$ref %q leads back to itself", ref)
		}
		return n, nil
	}
	target, err := c.target(ref)
	if err != nil {
		return 0, err
	}
	c.work[ref] = 0
	n, err := c.workOf(target)
	c.work[ref] = n
	return n, err
}

// target returns the schema to which a reference leads: #, or # and a JSON pointer
// (RFC 6901).
func (c references) target(ref string) (any, error) {
	unknown := fmt.Errorf("$ref %q is not a path in the schema, such as #/$defs/name", ref)
	path, ok := strings.CutPrefix(ref, "#")
	if !ok || path != "" && path[0] != '/' || strings.Contains(path, "%") {
		return nil, unknown
	}
	at := c.root
	for i, name := range strings.Split(path, "/") {
		if i == 0 {
			continue
		}
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		found := false
		switch v := at.(type) {
		case map[string]any:
			at, found = v[name]
		case []any:
			n, err := strconv.Atoi(name)
			if found = err == nil && n >= 0 && n < len(v); found {
				at = v[n]
			}
		}
		if !found {
			return nil, unknown
		}
	}
	return at, nil
}

// types are the types of JSON schemas.
var types = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// CheckTypes returns an error if a decoded schema has a type that JSON schemas do not have.
// The parser accepts every type, and the provider would reject the request.
func CheckTypes(schema map[string]any) error {
	if wrong := unknownType(schema); wrong != "" {
		return fmt.Errorf("unknown type %q. Types: %s", wrong, strings.Join(types, ", "))
	}
	return nil
}

// unknownType returns a type in a decoded schema that JSON schemas do not have; empty for
// none.
func unknownType(schema map[string]any) string {
	named, ok := schema["type"].([]any)
	if !ok {
		named = []any{schema["type"]}
	}
	for _, t := range named {
		if name, ok := t.(string); ok && !slices.Contains(types, name) {
			return name
		}
	}
	var inner []any
	for _, key := range []string{"properties", "patternProperties", "$defs", "definitions"} {
		if named, ok := schema[key].(map[string]any); ok {
			inner = append(inner, elements(named)...)
		}
	}
	for _, key := range []string{"items", "additionalProperties", "not", "anyOf", "oneOf", "allOf"} {
		if list, ok := schema[key].([]any); ok {
			inner = append(inner, list...)
		}
		inner = append(inner, schema[key])
	}
	for _, e := range inner {
		if s, ok := e.(map[string]any); ok {
			if wrong := unknownType(s); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}
