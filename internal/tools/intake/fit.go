package intake

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
)

// dropper collects the names of dropped arguments.
type dropper struct{ names []string }

func (d *dropper) drop(name string) {
	if !slices.Contains(d.names, name) {
		d.names = append(d.names, name)
	}
}

// fit makes a fit the schema of t.
func (t Tool) fit(d *dropper, a *Args) (json.RawMessage, error) {
	f := fitter{dropper: d, tool: t.label()}
	return f.object(a, t.Schema(), t.Form, "")
}

// fitter makes values fit a schema.
type fitter struct {
	*dropper
	tool string
}

// object makes the object at a path fit s. An empty path is that of the arguments.
func (f fitter) object(a *Args, s *jsonschema.Schema, form Form, path string) (json.RawMessage, error) {
	required := slices.Concat(s.Required, a.needs)
	a.members = slices.DeleteFunc(a.members, func(m member) bool { // empty values
		p, needed := s.Properties[m.name], slices.Contains(required, m.name)
		switch {
		case isNull(m.value):
			return p == nil || !needed || !isKind(p, "null")
		case isEmpty(m.value):
			return p != nil && !needed && !mayHold(p, m.value)
		}
		return false
	})
	if err := f.missing(a, s, form, required, path); err != nil {
		return nil, err
	}
	var kept []member
	for _, m := range a.members {
		p := s.Properties[m.name]
		if p == nil {
			keep, err := f.unknown(m, s, form, path)
			if err != nil {
				return nil, err
			}
			if keep {
				kept = append(kept, m)
			}
			continue
		}
		v, err := f.value(m.value, p, form, m.name, join(path, m.name))
		if err != nil {
			return nil, err
		}
		kept = append(kept, member{m.name, v})
	}
	return (&Args{members: kept}).object(), nil
}

// missing returns the error for required arguments that were not sent.
func (f fitter) missing(a *Args, s *jsonschema.Schema, form Form, required []string, path string) error {
	var names, unknown []string
	for _, r := range required {
		if !slices.Contains(names, r) && !slices.ContainsFunc(a.members, func(m member) bool { return m.name == r }) {
			names = append(names, r)
		}
	}
	if len(names) == 0 {
		return nil
	}
	for _, m := range a.members {
		if s.Properties[m.name] == nil && !form.isHarmless(m) {
			unknown = append(unknown, m.name)
		}
	}
	sent := "nothing"
	if len(unknown) > 0 {
		sent = quoted(unknown...)
	} else if len(a.sent) > 0 {
		sent = quoted(a.sent...)
	}
	where := ""
	if path != "" {
		where = " in " + phrase.Clip(path, maxQuoted)
	}
	return fmt.Errorf("%s needs %s%s (you sent %s)", f.tool, quoted(names...), where, sent)
}

// unknown reports whether to keep a member that is not in the schema.
func (f fitter) unknown(m member, s *jsonschema.Schema, form Form, path string) (keep bool, err error) {
	switch {
	case isOpen(s):
		return true, nil
	case form.ReadOnly, isEmpty(m.value), form.isHarmless(m):
		f.drop(m.name)
		return false, nil
	}
	known := keys(s.Properties)
	cause := fmt.Errorf("%s does not take %s", f.tool, quoted(join(path, m.name)))
	if near := phrase.Nearest(m.name, known); near != "" {
		return false, advice.Add(cause, "Did you mean %q?", near)
	}
	return false, advice.Add(cause, "Nothing was done. It takes %s", strings.Join(known[:min(len(known), maxNamed)], ", "))
}

// isHarmless reports whether dropping the unknown argument m changes nothing.
func (f Form) isHarmless(m member) bool {
	return slices.ContainsFunc(slices.Concat(harmless, f.Harmless), func(h string) bool {
		name, value, limited := strings.Cut(h, "=")
		return fold(name) == fold(m.name) && (!limited || strings.EqualFold(value, m.text()))
	})
}

// value makes v fit s. Name is that of the argument, path its place.
func (f fitter) value(v json.RawMessage, s *jsonschema.Schema, form Form, name, path string) (json.RawMessage, error) {
	wrong := func(want string) error {
		return fmt.Errorf("%s: %q must be %s (you sent %s)", f.tool, phrase.Clip(path, 2*maxQuoted), want, clip(string(v)))
	}
	switch {
	case isNull(v) && isKind(s, "null"):
		return v, nil
	case isKind(s, "integer"), isKind(s, "number"):
		n, ok := toNumber(v, isKind(s, "integer"))
		if !ok {
			want := "a number"
			if isKind(s, "integer") {
				want = "a whole number"
			}
			return nil, wrong(want)
		}
		return f.limit(n, s, form, name)
	case isKind(s, "boolean"):
		switch t := strings.ToLower(strings.TrimSpace(text(v))); t {
		case "true", "false":
			return json.RawMessage(t), nil
		}
		return nil, wrong("true or false")
	case isKind(s, "string"):
		return f.text(v, s, form, name, wrong)
	case isKind(s, "array"):
		return f.list(v, s, form, name, path, wrong)
	case isKind(s, "object"):
		return f.nested(v, s, form.Elements[name], path, wrong)
	}
	return v, nil
}

// text makes v a string, with the repairs of paths and named values.
func (f fitter) text(v json.RawMessage, s *jsonschema.Schema, form Form, name string, wrong func(string) error) (json.RawMessage, error) {
	isPath := slices.Contains(form.Paths, name)
	if isPath && v[0] == '[' {
		var list []string
		if json.Unmarshal(v, &list) != nil || len(list) == 0 {
			return nil, wrong("a string")
		}
		if len(list) > 1 {
			return nil, advice.Add(fmt.Errorf("%s takes one %s, not %d", f.tool, name, len(list)), "Make one call for each")
		}
		v = encode(list[0])
	}
	if c := v[0]; c == '-' || c >= '0' && c <= '9' {
		v = encode(string(v)) // a number has one spelling
	}
	if v[0] != '"' {
		return nil, wrong("a string")
	}
	t := text(v)
	if isPath {
		fixed := form.fixPath(t)
		switch {
		case strings.ContainsFunc(fixed, unicode.IsControl) && (form.Exists == nil || !form.Exists(fixed)):
			return nil, advice.Add(fmt.Errorf("%s: %q contains a control character (you sent %s)", f.tool, name, clip(string(v))), "Write / in paths, or double each backslash")
		case fixed != t:
			return encode(fixed), nil
		}
		return v, nil
	}
	for spelling, value := range form.Values[name] {
		if fold(spelling) == fold(t) {
			return encode(value), nil
		}
	}
	if len(s.Enum) == 0 {
		return v, nil
	}
	var all []string
	for _, e := range s.Enum {
		one, _ := e.(string)
		if fold(one) == fold(t) {
			return encode(one), nil
		}
		all = append(all, one)
	}
	return nil, wrong(phrase.List(all, "or"))
}

// fixPath removes what models add to a path: blanks around it, the @ of a mention,
// the scheme of a URL. The @ stays if it can be part of a name.
func (f Form) fixPath(p string) string {
	p = strings.TrimSpace(p)
	if rest := strings.TrimSpace(strings.TrimLeft(p, "@")); rest != p && rest != "" {
		first, _, below := strings.Cut(p, "/")
		dir := strings.TrimLeft(first, "@")
		if f.Exists != nil && (f.Exists(first) || below && !slices.Contains([]string{"", "file:", "~"}, dir) && !f.Exists(dir)) {
			return p
		}
		p = rest
	}
	for _, scheme := range []string{"file://localhost/", "file:///", "file:/"} {
		if rest, ok := strings.CutPrefix(p, scheme); ok {
			if decoded, err := url.PathUnescape(rest); err == nil {
				rest = decoded
			}
			return "/" + rest
		}
	}
	return p
}

// list makes v a list.
func (f fitter) list(v json.RawMessage, s *jsonschema.Schema, form Form, name, path string, wrong func(string) error) (json.RawMessage, error) {
	if v[0] == '"' {
		if inner, err := parse(text(v)); err == nil && (inner[0] == '[' || inner[0] == '{') {
			v = inner
		}
	}
	var list []json.RawMessage
	switch {
	case v[0] == '[':
		if err := json.Unmarshal(v, &list); err != nil {
			return nil, wrong("a list")
		}
	case s.Items != nil && (v[0] == '{' && isKind(s.Items, "object") || v[0] == '"' && isKind(s.Items, "string")):
		list = []json.RawMessage{v}
	default:
		return nil, wrong("a list")
	}
	out := []json.RawMessage{}
	for i, e := range list {
		if s.Items == nil {
			out = append(out, e)
			continue
		}
		at := fmt.Sprintf("%s[%d]", path, i)
		var err error
		if isKind(s.Items, "object") {
			e, err = f.nested(e, s.Items, form.Elements[name], at, func(want string) error {
				return fmt.Errorf("%s: %s must be %s (you sent %s)", f.tool, at, want, clip(string(e)))
			})
		} else {
			e, err = f.value(e, s.Items, Form{}, "", at)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return encode(out), nil
}

// nested makes v an object. Text stands for its only required member.
func (f fitter) nested(v json.RawMessage, s *jsonschema.Schema, form Form, path string, wrong func(string) error) (json.RawMessage, error) {
	if v[0] == '"' {
		if inner, err := parse(text(v)); err == nil && inner[0] == '{' {
			v = inner
		} else if only := onlyText(s); only != "" {
			v = (&Args{members: []member{{only, v}}}).object()
		}
	}
	if v[0] != '{' {
		return nil, wrong("an object")
	}
	a, err := newArgs(v)
	if err == nil {
		err = a.rename(path, s, form)
	}
	if err == nil && form.Rewrite != nil {
		err = form.Rewrite(a)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.tool, err)
	}
	return f.object(a, s, form, path)
}

// limit keeps a number in its range.
func (f fitter) limit(n json.RawMessage, s *jsonschema.Schema, form Form, name string) (json.RawMessage, error) {
	x, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return nil, err
	}
	lowest, highest := s.Minimum, s.Maximum
	if r, ok := form.Ranges[name]; ok {
		lowest, highest = ptr(float64(r.Min)), ptr(float64(r.Max))
	}
	switch {
	case lowest != nil && x < *lowest:
		return nil, fmt.Errorf("%s: %s is %s; it must be at least %v", f.tool, name, n, *lowest)
	case highest != nil && x > *highest:
		return encode(*highest), nil
	}
	return n, nil
}

func ptr[T any](v T) *T { return &v }

// toNumber returns the number that v is or holds as text.
func toNumber(v json.RawMessage, whole bool) (json.RawMessage, bool) {
	t := strings.TrimSpace(text(v))
	if number.FindString(t) != t || t == "" || len(t) > maxQuoted {
		return nil, false
	}
	if !whole {
		return json.RawMessage(t), true
	}
	n, err := wholeNumber(t)
	return json.RawMessage(strconv.FormatInt(n, 10)), err == nil
}

// wholeNumber returns the integer in t: 5, 5.0 or 5e0.
func wholeNumber(t string) (int64, error) {
	if n, err := strconv.ParseInt(t, 10, 64); err == nil {
		return n, nil
	}
	x, ok := new(big.Float).SetString(t)
	if !ok || !x.IsInt() {
		return 0, errors.New("not a whole number")
	}
	n, accuracy := x.Int64()
	if accuracy != big.Exact {
		return 0, errors.New("too large")
	}
	return n, nil
}

// isKind reports whether s wants values of that type.
func isKind(s *jsonschema.Schema, kind string) bool {
	return s.Type == kind || slices.Contains(s.Types, kind)
}

// mayHold reports whether v has a type that s wants.
func mayHold(s *jsonschema.Schema, v json.RawMessage) bool {
	switch v[0] {
	case '"':
		return isKind(s, "string") && len(s.Enum) == 0
	case '[':
		return isKind(s, "array")
	case '{':
		return isKind(s, "object")
	}
	return false
}

// isOpen reports whether s allows members that it does not name.
func isOpen(s *jsonschema.Schema) bool {
	return s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
