package delegate

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"agent/internal/tools/intake"
)

// withheld are the tools that no delegate has.
func withheld() []string { return []string{"delegate", "jobs"} }

// tools returns the names of the agent's tools; nil for all.
func (d *definition) tools(accepted intake.Tools) []string {
	chosen := d.chosen(accepted)
	denied := toolList(d.value("disallowed_tools"))
	switch {
	case len(denied) == 0:
		return chosen
	case len(denied) > maxTools:
		d.notice("disallowed_tools has more than %d names, so its delegates have no tools. List its tools under tools.", maxTools)
		return []string{}
	}
	if chosen == nil {
		chosen = []string{}
		for _, t := range accepted {
			if !slices.Contains(withheld(), t.Name) {
				chosen = append(chosen, t.Name)
			}
		}
	}
	for _, name := range denied {
		name, _, _ = strings.Cut(name, "(")
		names := ToolsCalled(accepted, name)
		chosen = slices.DeleteFunc(chosen, func(c string) bool { return slices.Contains(names, c) })
	}
	return chosen
}

// chosen returns the tools that the file lists; nil for all. It adds notices about tools
// that it leaves out.
func (d *definition) chosen(accepted intake.Tools) []string {
	if _, ok := d.values["tools"]; !ok {
		return nil
	}
	chosen, missing, limited := []string{}, []string{}, []string{}
	list := toolList(d.value("tools"))
	if len(list) > maxTools {
		d.notice("only the first %d tools are used. Remove the others.", maxTools)
		list = list[:maxTools]
	}
	for _, name := range list {
		switch {
		case name == "*" || strings.EqualFold(name, "all"):
			return nil
		case strings.EqualFold(name, "none"):
			continue
		case strings.Contains(name, "("):
			limited = append(limited, shown(name))
			continue
		}
		names := ToolsCalled(accepted, name)
		if len(names) == 0 {
			missing = append(missing, shown(name))
		}
		for _, n := range names {
			if !slices.Contains(chosen, n) {
				chosen = append(chosen, n)
			}
		}
	}
	if len(missing) > 0 {
		d.notice("these tools are left out, because delegates do not have them: %s. To list all tools: agent tool", join(missing))
	}
	if len(limited) > 0 {
		d.notice("these tools are left out, because a tool cannot be limited to certain calls: %s. Write only the name; each call is approved or rejected as always.", join(limited))
	}
	if d.value("tools") == "" {
		d.notice("tools is empty, so its delegates have no tools. Write tools: [] for none, or remove the line for all tools.")
	}
	return chosen
}

// ToolsCalled returns the tools of delegates that have that name or alias; none if there
// is no such tool. A model gets either edit or patch, so either name selects both. A name of
// MCP tools is a pattern, because the tools are known only later: see Selected.
func ToolsCalled(accepted intake.Tools, name string) []string {
	if rest, ok := strings.CutPrefix(name, mcpPrefix); ok {
		if !strings.Contains(rest, "__") && !strings.HasSuffix(rest, "*") { // a server
			name += "__*"
		}
		return []string{name}
	}
	t, ok := accepted.Find(name)
	switch {
	case !ok || slices.Contains(withheld(), t.Name):
		return nil
	case t.Name == "edit" || t.Name == "patch":
		return []string{"edit", "patch"}
	}
	return []string{t.Name}
}

// Selected reports whether a list of tools, as ToolsCalled returns them, selects the tool
// with that name.
func Selected(list []string, name string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		if !strings.HasPrefix(pattern, mcpPrefix) {
			return pattern == name
		}
		matches, err := path.Match(pattern, name)
		return matches && err == nil
	})
}

const (
	mcpPrefix = "mcp__" // of the names of MCP tools: mcp__SERVER__TOOL

	maxTools = 100 // names in a list: each one is compared with those of all tools
	maxNamed = 8   // names in a notice
)

func join(names []string) string {
	if len(names) > maxNamed {
		names = append(names[:maxNamed:maxNamed], "…")
	}
	return strings.Join(names, ", ")
}

// toolList splits a list of tools at commas and blanks, except in parentheses: "Read,
// Bash(git diff:*)" or "[read, shell]".
func toolList(text string) []string {
	depth := 0
	all := strings.FieldsFunc(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"), func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth <= 0 && (r == ',' || unicode.IsSpace(r))
	})
	for i, name := range all {
		all[i] = strings.Trim(name, `"'`)
	}
	return all
}
