package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/llm/phrase"
	"agent/internal/loop/policy/rule"
)

// check validates a file with a T and returns the line of every key and of every
// element of a list. Its error begins with the line number.
func check[T any](b []byte) (map[string]int, error) {
	var whole any
	if err := json.Unmarshal(b, &whole); err != nil {
		at := int64(len(b))
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = e.Offset
		}
		return nil, fmt.Errorf("%d: invalid JSON: %w", 1+bytes.Count(b[:min(at, int64(len(b)))], []byte("\n")), err)
	}
	c := &checker{b: b, d: json.NewDecoder(bytes.NewReader(b)), lines: map[string]int{}}
	c.d.UseNumber()
	if err := c.value(reflect.TypeFor[T](), "", ""); err != nil {
		return nil, fmt.Errorf("%d: %w", c.line(), err)
	}
	return c.lines, nil
}

// checker validates valid JSON against a Go type.
type checker struct {
	b     []byte
	d     *json.Decoder
	lines map[string]int
}

// line returns the line of the last token.
func (c *checker) line() int { return 1 + bytes.Count(c.b[:c.d.InputOffset()], []byte("\n")) }

// value checks the next value, at path, against t and the tag of its field.
func (c *checker) value(t reflect.Type, tag reflect.StructTag, path string) error {
	token, err := c.d.Token()
	if err != nil {
		return err
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	element := strings.HasSuffix(path, "]") // of a list
	if element {
		c.lines[path] = c.line()
	}
	switch v := token.(type) {
	case nil: // like a missing key
		if !element {
			delete(c.lines, path)
			return nil
		}
	case json.Delim:
		switch {
		case v == '{' && t == reflect.TypeFor[Object]():
			return c.skip()
		case v == '{' && t.Kind() == reflect.Struct && t != reflect.TypeFor[Command]():
			return c.object(t, path)
		case v == '{' && t.Kind() == reflect.Map:
			return c.mapping(t.Elem(), tag, path)
		case v == '[' && t == reflect.TypeFor[Command]():
			return c.list(reflect.TypeFor[string](), tag, path)
		case v == '[' && t.Kind() == reflect.Slice:
			return c.list(t.Elem(), tag, path)
		}
	case string:
		switch {
		case t == reflect.TypeFor[Command](), t.Kind() == reflect.String:
			return text(v, tag, path)
		case t == reflect.TypeFor[Rule]():
			return text(v, `format:"rule"`, path)
		}
	case bool:
		if t.Kind() == reflect.Bool {
			return nil
		}
	case json.Number:
		if t.Kind() == reflect.Int || t.Kind() == reflect.Float64 {
			return number(v, t, tag, path)
		}
	}
	return fmt.Errorf("%s must be %s", displayPath(path), typeName(t))
}

// skip skips the rest of an object or a list.
func (c *checker) skip() error {
	for depth := 1; depth > 0; {
		token, err := c.d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil
}

// object checks an object against the fields of a struct.
func (c *checker) object(t reflect.Type, path string) error {
	known := map[string]reflect.StructField{}
	for f := range fields(t) {
		known[key(f)] = f
	}
	err := c.pairs(path, func(name, at string) error {
		f, ok := known[name]
		if !ok {
			return unknownKeyError(name, path, slices.Sorted(maps.Keys(known)))
		}
		return c.value(f.Type, f.Tag, at)
	})
	for f := range fields(t) {
		_, set := c.lines[strings.TrimPrefix(path+"."+key(f), ".")]
		if err == nil && !set && !optional(f) {
			err = errors.New(strings.TrimPrefix(fmt.Sprintf("%s: missing %q: %s", path, key(f), f.Tag.Get("what")), ": "))
		}
	}
	return err
}

// mapping checks an object against a map, and its keys against the tag.
func (c *checker) mapping(elem reflect.Type, tag reflect.StructTag, path string) error {
	names := regexp.MustCompile(tag.Get("names"))
	return c.pairs(path, func(name, at string) error {
		if !names.MatchString(name) {
			return fmt.Errorf("%s: invalid name %q: use %s", path, name, charactersOf(names))
		}
		return c.value(elem, "", at)
	})
}

// charactersOf describes the names that a pattern of a map matches.
func charactersOf(names *regexp.Regexp) string {
	use := []string{"lower-case letters", "digits"}
	for _, c := range []struct{ example, what string }{{"a.b", "dots"}, {"a-b", "dashes"}, {"a_b", "underscores"}} {
		if names.MatchString(c.example) {
			use = append(use, c.what)
		}
	}
	text := phrase.List(use, "and")
	if !names.MatchString("1") {
		text += ", and begin with a letter"
	}
	return text
}

// pairs calls each for every key of an object and rejects duplicate keys.
func (c *checker) pairs(path string, each func(name, at string) error) error {
	seen := map[string]bool{}
	for c.d.More() {
		token, err := c.d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		at := strings.TrimPrefix(path+"."+name, ".")
		if seen[name] {
			return fmt.Errorf("%s is set twice", at)
		}
		seen[name] = true
		c.lines[at] = c.line()
		if err := each(name, at); err != nil {
			return err
		}
	}
	_, err := c.d.Token() // the closing brace
	return err
}

func (c *checker) list(elem reflect.Type, tag reflect.StructTag, path string) error {
	for i := 0; c.d.More(); i++ {
		if err := c.value(elem, tag, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	_, err := c.d.Token()
	return err
}

func text(v string, tag reflect.StructTag, path string) error {
	if choice := tag.Get("enum"); choice != "" && !slices.Contains(strings.Split(choice+","+tag.Get("also"), ","), v) {
		return fmt.Errorf("%s must be one of %s, not %q", path, strings.ReplaceAll(choice, ",", ", "), v)
	}
	switch tag.Get("format") {
	case "uri":
		u, err := url.Parse(v)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("%s must be a URL like http://127.0.0.1:8080/v1", path)
		}
	case "host":
		_, notIP := netip.ParseAddr(v) // IPv6 addresses are allowed without brackets
		if u, err := url.Parse("http://" + v); notIP != nil && (err != nil || v == "" || u.Host != v) {
			return fmt.Errorf("%s must be a host like gpu.lan or gpu.lan:8000", path)
		}
	case "glob":
		if v == "" || !doublestar.ValidatePattern(v) {
			return fmt.Errorf("%s must be a file pattern like *.go or web/**/*.{ts,tsx}", path)
		}
	case "variable":
		if v == "" || strings.ContainsAny(v, "=\x00 \t\n") {
			return fmt.Errorf("%s must be the name of an environment variable like TEST_TOKEN", path)
		}
	case "duration":
		if d, err := time.ParseDuration(v); err != nil || d <= 0 {
			return fmt.Errorf("%s must be a duration like 90s, 10m or 1h30m", path)
		}
	case "rule":
		if _, err := rule.Parse("", v); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	case "command":
		if strings.TrimSpace(v) == "" {
			return fmt.Errorf("%s must be a command like make check", path)
		}
	}
	return nil
}

func number(v json.Number, t reflect.Type, tag reflect.StructTag, path string) error {
	n, err := v.Float64()
	if t.Kind() == reflect.Int {
		var i int64
		i, err = v.Int64()
		n = float64(i)
	}
	if err != nil {
		return fmt.Errorf("%s must be %s", path, typeName(t))
	}
	if least, err := strconv.ParseFloat(tag.Get("min"), 64); err == nil && n < least || n < 0 {
		return fmt.Errorf("%s cannot be %s", path, v)
	}
	if most, err := strconv.ParseFloat(tag.Get("max"), 64); err == nil && n > most {
		return fmt.Errorf("%s cannot be %s: at most %s", path, v, tag.Get("max"))
	}
	return nil
}

// typeName describes a value of type t for an error.
func typeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[Command]():
		return "text or a list of texts"
	case t == reflect.TypeFor[Rule]():
		return "a rule such as \"command: go test\", or an object with rule, match, not_match"
	case t.Kind() == reflect.Struct && t.NumField() <= 3:
		var names []string
		for f := range fields(t) {
			names = append(names, key(f))
		}
		return "an object with " + strings.Join(names, ", ")
	case t.Kind() == reflect.Struct || t.Kind() == reflect.Map:
		return "an object"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int:
		return "a whole number"
	case t.Kind() == reflect.Float64:
		return "a number"
	}
	return "text"
}

func displayPath(path string) string {
	if path == "" {
		return "the configuration"
	}
	return path
}

// optional reports whether a field is optional.
func optional(f reflect.StructField) bool {
	return strings.HasSuffix(f.Tag.Get("json"), ",omitempty")
}

// key returns the name of a field in the file.
func key(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// unknownKeyError returns the error for an unknown key. It suggests the nearest known
// one.
func unknownKeyError(name, path string, keys []string) error {
	where := ""
	if path != "" {
		where = " in " + path
	}
	if name == "mcpServers" && path == "" {
		return fmt.Errorf("unknown setting %q: MCP servers are in mcp.servers, see agent help mcp. To add one: agent mcp add", name)
	}
	if near := phrase.Nearest(name, keys); near != "" {
		return fmt.Errorf("unknown setting %q%s (did you mean %q?)", name, where, near)
	}
	return fmt.Errorf("unknown setting %q%s. Settings: %s", name, where, strings.Join(keys, ", "))
}
