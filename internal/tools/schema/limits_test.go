package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"agent/internal/tools/schema"
)

// A schema cannot end the program, or keep it busy: the validator has no limit of its own.
func TestHostileSchemas(t *testing.T) {
	t.Parallel()
	chain := ""
	for i := range 40 {
		chain += fmt.Sprintf(`"x%d":{"allOf":[{"$ref":"#/$defs/x%d"},{"$ref":"#/$defs/x%d"}]},`, i, i+1, i+1)
	}
	for text, want := range map[string]string{
		`{"$ref":"#"}`: `$ref "#" leads back to itself`,
		`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"$ref":"#/$defs/y"},"y":{"anyOf":[{"$ref":"#/$defs/x"}]}}}`: "leads back to itself",
		`{"properties":{"a":{"not":{"$ref":"#/properties/a"}}}}`:                                                            "leads back to itself",
		`{"$defs":{` + chain + `"x40":{}},"properties":{"a":{"$ref":"#/$defs/x0"}}}`:                                        "more than 1000 schemas apply to one value",
		`{"properties":{"a":{"$ref":"other.json"}}}`:                                                                        `$ref "other.json" is not a path in the schema`,
		`{"$dynamicRef":"#"}`: "$dynamicRef is not supported",
		strings.Repeat(`{"properties":{"a":`, 4000) + `{}` + strings.Repeat(`}}`, 4000): "it has more than 100 levels",
		strings.Repeat(`{"not":`, 90000) + `{}` + strings.Repeat(`}`, 90000):            "exceeded max depth",
		`{"properties":{"a":{"pattern":"(a{1,1000}){1,1000}"}}}`:                        "invalid repeat count",
		`{"type":"object","properties":[]}`:                                             "cannot unmarshal",
	} {
		if _, err := schema.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: %v, want %s", text, err, want)
		}
	}
}

// A schema that refers to itself for an inner value is fine.
func TestRecursiveSchema(t *testing.T) {
	t.Parallel()
	s, err := schema.Parse([]byte(`{"type":"object","$defs":{"a~b/c":{"type":"string"}},"properties":{"$ref":{"$ref":"#/$defs/a~0b~1c"},"inner":{"$ref":"#"},"list":{"prefixItems":[{"type":"null"},{"$ref":"#/properties/list/prefixItems/0"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		value any
		ok    bool
	}{
		{map[string]any{"inner": map[string]any{"inner": map[string]any{"$ref": "x"}}, "list": []any{nil, nil}}, true},
		{map[string]any{"inner": map[string]any{"$ref": 1}}, false},
		{map[string]any{"list": []any{nil, 1}}, false},
	} {
		if err := s.Validate(c.value); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.value, err)
		}
	}
}
