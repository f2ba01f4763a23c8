package policy

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/policy/command"
	"agent/internal/loop/policy/rule"
	"agent/internal/tools"
)

// Explanation says how a command is judged, and why.
type Explanation struct {
	Verdict string          `json:"verdict"` // "auto", "ask" or "deny"
	Mode    event.Mode      `json:"mode"`
	Command string          `json:"command"`
	Parts   []ExplainedPart `json:"parts"`
	Form    string          `json:"form,omitempty"` // why the command is not a list of simple commands; may be empty
	// Unreadable are the files that the command must not read without approval.
	Unreadable []string `json:"unreadable,omitempty"`
	Decider    string   `json:"decided_by"` // the rule with its source, or the row of the table of modes
	Why        string   `json:"why,omitempty"`
	Warning    string   `json:"warning,omitempty"`
	// Undo says how far undo can restore what the command deletes or overwrites; empty if it
	// does neither, or if undo does not record what commands change.
	Undo string `json:"undo,omitempty"`
	// Allow are rules that would together allow the command, as for --allow. Empty if it
	// needs no approval, or if no rules can.
	Allow []string `json:"allow,omitempty"`

	offer string // the standing permission that the dialog offers; empty for none
}

// ExplainedPart is a simple command of a command line.
type ExplainedPart struct {
	Words  []string `json:"words"` // as bash gets them, or as written if they are unknown
	Nested bool     `json:"nested,omitempty"`
	Does   []string `json:"does,omitempty"`   // what needs attention: "destructive", "network"
	Reason string   `json:"reason,omitempty"` // why it needs approval; empty if it only reads
}

// Explain judges the shell command line, which would run in the directory dir, as Judge
// does before it runs.
func (p *Policy) Explain(ctx context.Context, paths Paths, line, dir string) Explanation {
	c := tools.Call{Tool: "shell", Effect: tools.Execute, Targets: []tools.Target{{Kind: tools.Command, Value: line, Dir: dir}}}
	f := paths.Look(ctx, c)
	v := p.Judge(c, f)
	e := Explanation{Verdict: "auto", Mode: p.Mode, Command: line, Decider: v.Decider, Why: v.Why, Warning: v.Warning}
	switch {
	case v.Refuse:
		e.Verdict = "deny"
	case v.Ask:
		e.Verdict, e.Allow = "ask", p.allowing(c, f)
		if v.Offer.Kind != "" {
			e.offer = v.Offer.Describe(paths.Home)
		}
	}
	if f.Command == nil {
		return e
	}
	e.Form, e.Unreadable = f.Command.Form, f.Command.Unreadable
	if f.Command.Traits&command.Destroys != 0 {
		e.Undo = f.changes.note("")
	}
	for i := range f.Command.Parts {
		e.Parts = append(e.Parts, explainPart(&f.Command.Parts[i]))
	}
	return e
}

func explainPart(p *command.Part) ExplainedPart {
	out := ExplainedPart{Words: slices.Clone(p.Texts()), Nested: p.Nested, Reason: p.Reason}
	if p.Reason != "" && p.Traits != 0 {
		out.Does = strings.Split(p.Traits.String(), ", ")
	}
	return out
}

// Lines returns the explanation for the user. The first line is the verdict. Words with
// special characters are quoted, but other text may contain control characters.
func (e Explanation) Lines() []string {
	out := e.lines()
	if len(e.Allow) > 0 {
		out = append(out, "To allow it: "+allowFlags(e.Allow))
	}
	return out
}

// SessionLines is Lines for the user of a session, who cannot add flags.
func (e Explanation) SessionLines() []string {
	out := e.lines()
	switch {
	case e.offer != "":
		out = append(out, "To allow it: choose row 2 when the dialog asks. It always allows "+e.offer+".")
	case len(e.Allow) > 0:
		var rules []string
		for _, r := range e.Allow {
			rules = append(rules, strconv.Quote(r))
		}
		out = append(out, `To allow it: approve it each time, or add to "allow" in "permissions" of the configuration: `+strings.Join(rules, ", "))
	}
	return out
}

func (e Explanation) lines() []string {
	out := []string{e.Verdict}
	for _, p := range e.Parts {
		line := "  " + strings.TrimPrefix(p.text()+": ", ": ") // a part may only set variables
		switch {
		case p.Reason == "":
			line += "only reads"
		case len(p.Does) > 0:
			line += p.Reason + " (" + strings.Join(p.Does, ", ") + ")"
		default:
			line += p.Reason
		}
		out = append(out, line)
	}
	if e.Form != "" {
		out = append(out, "  The line is not a list of simple commands: "+e.Form)
	}
	for _, path := range e.Unreadable {
		if e.Verdict == "auto" { // a rule or the mode allows it
			break
		}
		out = append(out, "  Reading "+quoted(path)+" needs approval.")
	}
	if e.Undo != "" {
		out = append(out, strings.ToUpper(e.Undo[:1])+e.Undo[1:])
	}
	out = append(out, "Decided by: "+e.Decider)
	repeats := func(p ExplainedPart) bool { return p.Reason != "" && strings.HasPrefix(e.Warning, p.Reason) }
	if e.Warning != "" && e.Warning != e.Undo && !slices.ContainsFunc(e.Parts, repeats) {
		out = append(out, "Warning: "+e.Warning)
	}
	return out
}

// text returns the words of a part on one line.
func (p ExplainedPart) text() string {
	var words []string
	for _, w := range p.Words {
		words = append(words, quoted(w))
	}
	return strings.Join(words, " ")
}

// quoted returns a word as it is, or in double quotes with escapes if it has characters
// that are special to a shell or cannot be shown.
func quoted(word string) string {
	special := func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(" \t'\"\\$`&|;<>(){}*?[]#~!", r) }
	if word == "" || strings.ContainsFunc(word, special) {
		return strconv.Quote(word)
	}
	return word
}

// allowFlags returns the flags that add allow rules, quoted for a shell.
func allowFlags(rules []string) string {
	var out []string
	for _, r := range rules {
		out = append(out, "--allow '"+r+"'")
	}
	return strings.Join(out, " ")
}

// maxExact is the length in bytes up to which a suggested rule has all words of a
// command.
const maxExact = 80

// Remedies returns flags for a call that needs approval. Each of them would allow the call,
// such as "--allow 'command: go test'" and "--mode all". Modes are those that the user may
// choose; nil for all. Paths.Look must have returned f.
func (p *Policy) Remedies(c tools.Call, f Facts, modes []event.Mode) (out []string) {
	f, dirs := f.withoutRequested()
	if dirs != "" && p.autoApproved(c, f) {
		return []string{dirs[1:]}
	}
	if rules := p.allowing(c, f); rules != nil {
		out = append(out, allowFlags(rules)+dirs)
	}
	for _, m := range []event.Mode{event.ModeAuto, event.ModeAll} {
		if m != p.Mode && (modes == nil || slices.Contains(modes, m)) && p.RunsIn(m, c, f) {
			out = append(out, "--mode "+m.Name()+dirs)
		}
	}
	return out
}

// RunsIn reports whether a call would run without approval in mode m. Paths.Look must have
// returned f.
func (p *Policy) RunsIn(m event.Mode, c tools.Call, f Facts) bool {
	trial := p.trial()
	trial.Mode = m
	return trial.autoApproved(c, f)
}

// allowing returns the texts of rules that would together allow a call that needs
// approval; nil if no rules can.
func (p *Policy) allowing(c tools.Call, f Facts) []string {
	var texts []string
	trial := p.trial()
	for _, text := range candidates(c, f) {
		r, err := rule.Parse(rule.Allow, text)
		if err == nil {
			err = r.Check()
		}
		if err != nil || strings.ContainsFunc(text, func(r rune) bool { return r == '\'' || !unicode.IsPrint(r) }) {
			return nil
		}
		if !slices.Contains(texts, text) {
			texts, trial.Rules = append(texts, text), append(trial.Rules, r)
		}
	}
	if !trial.autoApproved(c, f) {
		return nil
	}
	return texts
}

// trial returns a copy of p, which can be changed.
func (p *Policy) trial() *Policy {
	trial := *p
	trial.Rules, trial.Set = slices.Clone(p.Rules), p.Set.Clone()
	return &trial
}

// autoApproved reports whether a call runs without approval.
func (p *Policy) autoApproved(c tools.Call, f Facts) bool {
	v := p.Judge(c, f)
	return !v.Ask && !v.Refuse
}

// candidates returns the texts of rules that could allow a call.
func candidates(c tools.Call, f Facts) (out []string) {
	if f.Command != nil {
		for i := range f.Command.Parts {
			p := &f.Command.Parts[i]
			if p.Traits&command.RunsCode != 0 && len(p.Argv) < 2 { // "sh" would run anything
				return nil
			}
			if p.Reason != "" && !p.Nested {
				out = append(out, commandRule(p, f.requested != nil && f.requested.network))
			}
		}
		return out
	}
	for _, t := range c.Targets {
		switch {
		case t.Kind == tools.MCP:
			out = append(out, string(rule.MCP)+": "+t.Value)
		case t.Kind == tools.Host:
			out = append(out, string(rule.Host)+": "+t.Value)
		case t.Kind == tools.Path && c.Effect == tools.Read:
			out = append(out, string(rule.Read)+": "+rule.LiteralGlob(t.Value))
		case t.Kind == tools.Path:
			out = append(out, string(rule.Edit)+": "+rule.LiteralGlob(t.Value))
		}
	}
	return out
}

// commandRule returns the text of a rule for a part: with all its words, or only the
// first ones if they are long or have spaces. Online is set if it needs the network.
func commandRule(p *command.Part, online bool) string {
	kind := rule.Command
	if online || p.Traits&command.Connects != 0 {
		kind = rule.Network
	}
	words := p.Argv
	if len(strings.Join(words, " ")) > maxExact || slices.ContainsFunc(words, func(w string) bool { return quoted(w) != w }) {
		words = p.Prefix()
	}
	return string(kind) + ": " + strings.Join(words, " ")
}

// maxPart limits the bytes of a Verdict.Part.
const maxPart = 120

// culprit returns the first command of a line with several that needs approval because of a row of the
// table of modes. Left is the first one that no rule and no permission allows; nil for none.
func (f Facts) culprit(row string, left *command.Part) string {
	if f.Command == nil || len(f.Command.Parts) < 2 {
		return ""
	}
	has := func(t command.Trait) func(*command.Part) bool {
		return func(part *command.Part) bool { return part.Traits&t != 0 }
	}
	is, known := map[string]func(*command.Part) bool{
		ruleCommands:      func(part *command.Part) bool { return part == left },
		ruleHistory:       func(part *command.Part) bool { return changesHistory(*part) },
		ruleHidden:        func(part *command.Part) bool { return f.partNamesHidden(part) },
		ruleNetwork:       func(part *command.Part) bool { return part.Traits&(command.Connects|command.Tries) == command.Connects },
		ruleWritesOutside: has(command.WritesOutside),
	}[row]
	if !known {
		return ""
	}
	for i := range f.Command.Parts {
		if part := &f.Command.Parts[i]; is(part) {
			return phrase.OneLine(strings.Join(explainPart(part).Words, " "), maxPart)
		}
	}
	return ""
}
