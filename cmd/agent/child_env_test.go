package main

import (
	"slices"
	"strings"
	"testing"

	"agent/cmd/agent/credentials"
	"agent/cmd/agent/desktop"
	"agent/internal/llm/catalog"
	"agent/internal/tools/shell"
)

// The user's own programs get the user's environment, but not the keys of
// providers; commands get no secret at all.
func TestChildEnvHasNoAPIKeys(t *testing.T) {
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
	if got := credentials.Strip(slices.Clone(env)); len(got) > 0 {
		t.Errorf("the user's own programs would get %q", got)
	}
	t.Setenv("OPENAI_API_KEY", "key")
	t.Setenv("GITHUB_TOKEN", "needed by a plugin")
	edit := desktop.Editor(func(string) string { return "vim" })("draft.md")
	if slices.ContainsFunc(edit.Env, func(v string) bool { return strings.HasPrefix(v, "OPENAI_API_KEY=") }) {
		t.Error("the editor would get OPENAI_API_KEY")
	}
	if !slices.Contains(edit.Env, "GITHUB_TOKEN=needed by a plugin") {
		t.Error("the editor would not get GITHUB_TOKEN")
	}
}

// A variable for a base URL reaches no command if the URL carries a key, and
// reaches it otherwise.
func TestCommandEnvHasNoBaseURLWithSecret(t *testing.T) {
	for base, secret := range map[string]bool{
		"http://h.test/v1": false, "http://h.test/v1?api-version=2024-10-21": false, "127.0.0.1:11434": false, "http://[::1]:8080/v1": false,
		"http://user:secret@h.test/v1": true, "http://token@h.test/v1": true, "http://h.test/v1?key=abc": true, "http://h.test/v1?api_key=abc": true,
		"http://h.test/v1?x=1&code=2&authcode=3": true, "user:secret@h.test:11434": true,
	} {
		for _, r := range catalog.Providers() {
			if r.URLName == "" {
				continue
			}
			getenv := func(name string) string { return map[string]string{r.URLName: base}[name] }
			got := shell.Scrub([]string{r.URLName + "=" + base}, shell.Limits{Hide: credentials.SecretURLs(getenv)})
			if secret != (got == nil) {
				t.Errorf("%s=%s: a command gets %v", r.URLName, base, got)
			}
		}
	}
}
