package settings

import (
	"bytes"
	"encoding/json"
	"fmt"

	"agent/internal/loop/policy/rule"
)

// Permissions holds permission rules.
type Permissions struct {
	Allow []Rule `json:"allow,omitempty" what:"calls that run without approval, such as \"command: go test\" or \"edit: docs/**\""`
	Ask   []Rule `json:"ask,omitempty" what:"calls that always need approval"`
	Deny  []Rule `json:"deny,omitempty" what:"calls that are never allowed, such as \"command: git push\""`
}

// Rule is a permission rule: a text, or an object that adds examples.
type Rule struct {
	Text     string   `json:"rule" format:"rule" what:"KIND: PATTERN"`
	Match    []string `json:"match,omitempty" what:"examples that the rule must match"`
	NotMatch []string `json:"not_match,omitempty" what:"examples that the rule must not match"`
}

// UnmarshalJSON decodes a text or an object.
func (r *Rule) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &r.Text)
	}
	type object Rule
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode((*object)(r))
}

// MarshalJSON encodes a rule without examples as a text.
func (r Rule) MarshalJSON() ([]byte, error) {
	if len(r.Match)+len(r.NotMatch) == 0 {
		return json.Marshal(r.Text)
	}
	type object Rule
	return json.Marshal(object(r))
}

// Rules returns the rules in p, which come from a file with these lines. Their source
// is file:LINE. An error names the line too.
func (p Permissions) Rules(file string, lines map[string]int) ([]rule.Rule, error) {
	var all []rule.Rule
	for _, action := range []rule.Action{rule.Deny, rule.Ask, rule.Allow} {
		for i, configured := range *p.list(action) {
			source := fmt.Sprintf("%s:%d", file, lines[fmt.Sprintf("permissions.%s[%d]", action, i)])
			r, err := rule.Parse(action, configured.Text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", source, err)
			}
			r.Match, r.NotMatch, r.Source = configured.Match, configured.NotMatch, source
			if err := r.Check(); err != nil {
				return nil, fmt.Errorf("%s: %w", source, err)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// list returns the rules of an action.
func (p *Permissions) list(a rule.Action) *[]Rule {
	switch a {
	case rule.Deny:
		return &p.Deny
	case rule.Ask:
		return &p.Ask
	}
	return &p.Allow
}
