package main

import (
	"slices"
	"strings"
	"testing"

	"agent/internal/llm/catalog"
	"agent/internal/tools/shell"
)

// The user's own programs get the user's environment, but not the keys of
// providers; commands get no secret at all.
func TestKeysOfProvidersReachNoProgram(t *testing.T) {
	var env []string
	for _, r := range catalog.Providers() {
		for _, n := range r.KeyNames {
			env = append(env, n+"=key")
		}
		if r.Client != nil {
			env = append(env, r.Client.SecretName+"=key")
		}
	}
	if got := shell.Scrub(slices.Clone(env), shell.Limits{}); got != nil {
		t.Errorf("a command would get %q", got)
	}
	if got := withoutKeys(slices.Clone(env)); len(got) > 0 {
		t.Errorf("the user's own programs would get %q", got)
	}
	t.Setenv("OPENAI_API_KEY", "key")
	t.Setenv("GITHUB_TOKEN", "needed by a plugin")
	edit := personsEditor(func(string) string { return "vim" })("draft.md")
	if slices.ContainsFunc(edit.Env, func(v string) bool { return strings.HasPrefix(v, "OPENAI_API_KEY=") }) {
		t.Error("the editor would get OPENAI_API_KEY")
	}
	if !slices.Contains(edit.Env, "GITHUB_TOKEN=needed by a plugin") {
		t.Error("the editor would not get GITHUB_TOKEN")
	}
}
