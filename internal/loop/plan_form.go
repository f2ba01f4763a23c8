package loop

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/loop/plan"
	"agent/internal/loop/session"
	"agent/internal/tools/intake"
)

// planForm returns how calls of present_plan may be written besides its schema.
func planForm() intake.Form {
	return intake.Form{
		Names: []string{"exit_plan_mode", "exit_plan", "create_plan", "plan_mode_respond", "submit_plan", "propose_plan"},
		Aliases: map[string][]string{
			"title": {"name", "goal"}, "checks": {"check", "verification", "validation", "tests", "test_plan"},
			"notes": {"context", "summary", "overview", "description", "details", "explanation"},
		},
		Rewrite: func(a *intake.Args) error {
			a.Remove("needs_more_exploration", "allowed_prompts", "task_progress", "options") // without effect
			if v := a.Value("plan"); len(v) > 0 && v[0] == '{' {
				if err := a.Flatten("plan"); err != nil {
					return err
				}
			} else if len(v) > 0 && v[0] == '[' && !a.Has("steps") {
				a.Remove("plan")
				a.Set("steps", v)
			}
			if err := planFromMarkdown(a); err != nil {
				return err
			}
			planLists(a)
			return nil
		},
	}
}

// planFromMarkdown replaces a plan that is one text by its parts.
func planFromMarkdown(a *intake.Args) error {
	s := string(a.Value("steps"))
	given := s != "" && s != "[]" && s != `""`
	for _, name := range []string{"plan", "response", "markdown", "content", "text"} {
		text := a.Text(name)
		if text == "" || given {
			continue
		}
		given = true
		p := plan.Parse(text)
		if len(p.Steps) == 0 {
			return fmt.Errorf("%s has no steps: send title and steps, or Markdown with a numbered list", name)
		}
		a.Remove(name)
		if !a.Has("title") {
			a.Set("title", titleOf(p))
		}
		setParts(a, p)
	}
	if text := a.Text("steps"); strings.Contains(text, "\n") && !strings.HasPrefix(text, "[") {
		if p := plan.Parse("## Steps\n\n" + text); len(p.Steps) > 0 {
			setParts(a, p)
		}
	}
	return nil
}

// setParts sets the steps to those of p, and what the call has not set itself.
func setParts(a *intake.Args, p event.Plan) {
	a.Set("steps", p.Steps)
	for _, list := range []struct {
		name  string
		items []string
	}{{"files", p.Files}, {"risks", p.Risks}, {"checks", p.Checks}} {
		if len(list.items) > 0 && !a.Has(list.name) {
			a.Set(list.name, list.items)
		}
	}
	addNotes(a, p.Notes)
}

// addNotes adds text to the notes.
func addNotes(a *intake.Args, text string) {
	if text != "" {
		a.Set("notes", strings.TrimSpace(a.Text("notes")+"\n\n"+text))
	}
}

// titleOf returns the title of p, or its first step if it has none.
func titleOf(p event.Plan) string {
	if p.Title != "" {
		return p.Title
	}
	return session.FirstWords(p.Steps[0])
}

// planLists makes each element of the lists one line. What a step says in further lines
// becomes notes.
func planLists(a *intake.Args) {
	for _, name := range []string{"steps", "files", "risks", "checks"} {
		v := a.Value(name)
		var lines []string
		for _, e := range a.List(name) {
			lines = append(lines, elementText(e))
		}
		if len(lines) == 0 || v[0] == '{' || slices.Contains(lines, "") {
			continue
		}
		if name == "steps" {
			lines = withoutNumbers(lines)
			for i, line := range lines {
				head, rest, more := strings.Cut(strings.TrimSpace(line), "\n")
				if lines[i] = head; more {
					lines[i] = strings.TrimSpace(head)
					addNotes(a, fmt.Sprintf("Step %d:\n%s", i+1, strings.TrimRight(rest, " \n")))
				}
			}
		}
		a.Set(name, lines)
	}
}

// numbered matches a line with its number in a list.
var numbered = regexp.MustCompile(`^(?i:step )?(\d{1,2})[.):] +(\S(?s:.*))$`)

// withoutNumbers returns lines without their numbers, if each has its own.
func withoutNumbers(lines []string) []string {
	var out []string
	for i, line := range lines {
		m := numbered.FindStringSubmatch(line)
		if m == nil || m[1] != strconv.Itoa(i+1) {
			return lines
		}
		out = append(out, m[2])
	}
	return out
}

// elementText returns an element of a list as text: of an object its main member, then
// the others. It returns an empty text if there is none.
func elementText(e json.RawMessage) string {
	var text string
	if json.Unmarshal(e, &text) == nil {
		return text
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(e, &object) != nil {
		return ""
	}
	head := ""
	for _, name := range []string{"step", "title", "name", "text", "content", "task", "path", "file", "risk", "check", "command", "action", "description"} {
		if json.Unmarshal(object[name], &head) == nil && head != "" {
			delete(object, name)
			break
		}
	}
	if head == "" {
		return ""
	}
	var others []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		var text string
		var list []string
		switch {
		case slices.Contains([]string{"id", "status", "state", "priority", "active_form", "activeForm"}, name):
		case json.Unmarshal(object[name], &text) == nil:
			others = append(others, strings.TrimSpace(text))
		case json.Unmarshal(object[name], &list) == nil:
			others = append(others, strings.Join(list, ", "))
		case strings.Trim(string(object[name]), "0123456789") != "": // no number of a step
			return ""
		}
	}
	others = slices.DeleteFunc(others, func(o string) bool { return o == "" })
	rest := strings.Join(others, "; ")
	switch {
	case rest == "":
		return head
	case strings.Contains(rest, "\n"), len(head)+len(rest) > maxPlanLine-2:
		return head + "\n" + rest
	}
	return head + ": " + rest
}
