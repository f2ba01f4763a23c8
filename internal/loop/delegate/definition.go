package delegate

import (
	"fmt"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/instructions"
	"agent/internal/tools/intake"
)

const (
	maxDescription = 300 // bytes
	maxShown       = 40  // bytes of a value in a notice
)

// FromFile returns the agent that a file defines, and notices for the user about
// values that cannot be used. Accepted describes all tools of the program. Keys and
// values of Claude Code are understood too; other keys are ignored.
//
// The models sonnet, opus and haiku stay in Model. They mean a model of that family if
// the provider of the parent has one, otherwise the model of the parent.
func FromFile(f instructions.AgentFile, accepted intake.Tools) (Agent, []string) {
	d := definition{file: f, values: map[string]string{}}
	for key, value := range f.Values {
		d.values[foldKey(key)] = value
	}
	a := Agent{
		Name: f.Name, Description: d.description(), Instructions: strings.TrimSpace(f.Body),
		Tools: d.tools(accepted), Model: d.model(), Effort: d.effort(), MaxSteps: d.maxSteps(), MaxCost: d.maxCost(),
		Mode: d.mode(), Worktree: d.worktree(),
		Source: f.Source, FromRepository: f.FromRepository, Text: f.Text,
	}
	return a, d.notices
}

// definition reads the values of an agent file.
type definition struct {
	file    instructions.AgentFile
	values  map[string]string // by key as foldKey returns it
	notices []string
}

// foldKey returns the form in which keys are compared: max_steps, max-steps and
// maxSteps are the same.
func foldKey(key string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(key, "_", ""), "-", ""))
}

// notice adds a notice about the file.
func (d *definition) notice(format string, args ...any) {
	d.notices = append(d.notices, d.file.Source+": "+fmt.Sprintf(format, args...))
}

// value returns the value of the first of keys that the file has, without a comment.
func (d *definition) value(keys ...string) string {
	for _, key := range keys {
		if v := d.values[foldKey(key)]; v != "" {
			v, _, _ = strings.Cut(" "+v, " #")
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// shown returns a value for a notice.
func shown(value string) string { return fmt.Sprintf("%q", phrase.Clip(value, maxShown)) }

// description returns the description without examples, which would fill the context
// of the model, or else the first line of the instructions.
func (d *definition) description() string {
	text := strings.ReplaceAll(d.values["description"], `\n`, " ")
	text, _, examples := strings.Cut(text, "<example>")
	text = strings.TrimSpace(text)
	if examples {
		text = strings.TrimSpace(strings.TrimSuffix(text, "Examples:"))
	}
	if text == "" {
		text, _, _ = strings.Cut(strings.TrimSpace(d.file.Body), "\n")
		text = strings.TrimLeft(text, "# ")
	}
	return phrase.OneLine(text, maxDescription)
}

const (
	letters = "abcdefghijklmnopqrstuvwxyz"
	// modelRunes are the characters of the names of models.
	modelRunes = letters + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@+-"
	maxModel   = 200 // bytes of the name of a model
	maxEffort  = 20  // bytes of a reasoning effort
)

func (d *definition) model() string {
	v := d.value("model")
	switch {
	case v == "" || strings.EqualFold(v, "inherit"):
		return ""
	case strings.EqualFold(v, Small):
		return Small
	case len(v) > maxModel || strings.Trim(v, modelRunes) != "":
		d.notice("%s is not the name of a model, so the model of the session is used. Write PROVIDER/NAME, small or inherit.", shown(v))
		return ""
	}
	return v
}

func (d *definition) effort() string {
	v := strings.ToLower(d.value("effort"))
	switch {
	case v == "" || v == event.DefaultEffort:
		return ""
	case len(v) > maxEffort || strings.Trim(v, letters) != "":
		d.notice("%s is not a reasoning effort, so the default is used. Write low, medium, high or another level of the model.", shown(v))
		return ""
	}
	return v
}

func (d *definition) maxSteps() int {
	v := d.value("max_steps", "max_turns")
	if v == "" {
		return 0
	}
	n, err := event.LimitSteps.Parse(v)
	if err != nil || n == 0 {
		d.notice("max_steps is %s, so the default is used. Write a whole number like 20. For an agent that only answers, write tools: [].", shown(v))
		return 0
	}
	return int(n)
}

func (d *definition) maxCost() float64 {
	v := d.value("max_cost")
	if v == "" {
		return 0
	}
	usd, err := event.LimitCost.Parse(v)
	if err != nil {
		d.notice("max_cost is %s, so only the limits of the session apply. Write an amount in US dollars like 0.50.", shown(v))
		return 0
	}
	return usd
}

// otherModes are the permission modes of Claude Code, in the form of foldKey.
var otherModes = map[string]event.Mode{
	"default": event.ModeAsk, "acceptedits": event.ModeAuto, "plan": event.ModePlan, "bypasspermissions": event.ModeAll, "inherit": "",
}

func (d *definition) mode() event.Mode {
	v := d.value("mode", "permission_mode")
	if v == "" {
		return ""
	}
	if m, err := event.ParseMode(strings.ToLower(v)); err == nil {
		return m
	}
	if m, ok := otherModes[foldKey(v)]; ok {
		return m
	}
	d.notice("%s is not a permission mode, so ask is used. Write ask, auto, plan or all.", shown(v))
	return event.ModeAsk
}

func (d *definition) worktree() bool {
	switch v := strings.ToLower(d.value("isolation")); v {
	case "worktree":
		return true
	case "", "none":
	default:
		d.notice("isolation is %s, so its delegates work in the workspace. Write worktree, or remove the line.", shown(v))
	}
	return false
}
