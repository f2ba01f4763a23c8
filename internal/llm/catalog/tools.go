package catalog

import (
	"slices"
	"strings"

	"agent/internal/llm"
)

// editing is how a family of models changes files.
type editing struct {
	patch    bool // with apply_patch instead of edit
	freeform bool // it can write the patch as plain text
}

// families are the models that were trained on apply_patch, by the prefix of their
// names without provider and vendor. The first match counts. All others get edit.
func families() []struct {
	prefix string
	editing
} {
	return []struct {
		prefix string
		editing
	}{
		{"gpt-3", editing{patch: true}},
		{"gpt-4", editing{patch: true}},
		{"gpt-oss", editing{patch: true}},
		{"gpt-", editing{patch: true, freeform: true}},
		{"chatgpt-", editing{patch: true}},
		{"codex-", editing{patch: true}},
		{"o1", editing{patch: true}},
		{"o3", editing{patch: true}},
		{"o4", editing{patch: true}},
	}
}

// toolSet is the selection of tools for small context windows.
type toolSet struct {
	below int      // window in tokens
	names []string // edit stands for apply_patch too
	brief bool     // descriptions are reduced to their first line
}

func toolSets() []toolSet {
	return []toolSet{
		{16_000, []string{"read", "search", "edit", "write", "shell"}, true},
		{32_000, []string{"read", "search", "edit", "write", "shell", "todo", "ask", "present_plan", "jobs", "skill"}, false},
		{64_000, []string{"read", "search", "edit", "write", "shell", "todo", "ask", "present_plan", "jobs", "skill", "delegate"}, false},
	}
}

// Offer selects the tools that a model is offered from all, in the same order. The
// selection depends on the model's family and on its context window in tokens; 0
// means unknown and counts as large.
func Offer(model string, window int, all []llm.ToolSpec) []llm.ToolSpec {
	edits := editingOf(model)
	var set *toolSet
	for _, s := range toolSets() {
		if window > 0 && window < s.below {
			set = &s
			break
		}
	}
	var out []llm.ToolSpec
	for _, t := range all {
		name := t.Name
		switch {
		case name == "edit" && edits.patch, name == "patch" && !edits.patch:
			continue
		case name == "patch":
			name = "edit"
			t.Name, t.Tool = "apply_patch", t.Name
			if !edits.freeform {
				t.Freeform = nil
			}
		}
		if set != nil {
			if !slices.Contains(set.names, name) && !connected(name) {
				continue
			}
			if set.brief {
				t.Description, _, _ = strings.Cut(t.Description, "\n")
			}
		}
		out = append(out, t)
	}
	return out
}

// connected reports whether a tool is one of those for MCP servers, which the user has
// configured, so that every model is offered it.
func connected(name string) bool {
	return strings.HasPrefix(name, "mcp__") || name == "mcp_call" || name == "mcp_resource" || name == "tool_search"
}

func editingOf(model string) editing {
	name := baseName(model)
	for _, f := range families() {
		if strings.HasPrefix(name, f.prefix) {
			return f.editing
		}
	}
	return editing{}
}
