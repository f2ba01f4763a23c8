package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"agent/internal/loop/policy"
)

// A text must not name a protected file or one that may hold secrets.
func TestWithheldFromPrompts(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(home, "work")
	if err := os.MkdirAll(filepath.Join(work, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := policy.Paths{Workspace: work, Home: home, Config: []string{filepath.Join(home, ".config")}, Shell: policy.Shell{Zsh: []string{home}}, ProgramFiles: []string{filepath.Join(home, ".config/agent/config.json")}}
	rule := p.WithheldFromPrompts()
	for name, withheld := range map[string]bool{
		".env~": true, "prod.env.bak": true, "id_rsa.bak": true, "service-account.json": true, "terraform.tfstate.backup": true, "notes.bak": false, "main.tf": false,
		".env": true, ".ENV": true, ".env.local": true, "prod.env": true, ".envrc": true, "sub/.env": true, "id_rsa": true, "id_ed25519.pub": true, "server.pem": true, "server.KEY": true,
		".npmrc": true, "credentials.json": true, ".git/config": true, "sub/.git/config": true, ".mcp.json": true, ".vscode/settings.json": true, ".claude/settings.json": true,
		".agents/config.toml": true, ".agent/config.json": true, "../.ssh/config": true, "../.aws/credentials": true, "../.netrc": true, "../.config/agent/config.json": true, "../.config/gh/hosts.yml": true,
		"README.md": false, "docs/env.md": false, "environment": false, "id_mapping.md": false, ".claude/rules.md": false, ".agents/skills/x/SKILL.md": false, ".agent/commands/x.md": false, "../notes.md": false, "../.config/agent/style.md": false,
	} {
		if got := rule(filepath.Join(work, filepath.FromSlash(name))); (got != "") != withheld {
			t.Errorf("%s: got %q, want it withheld: %v", name, got, withheld)
		}
	}
	if err := os.Symlink(".env", filepath.Join(work, "link.md")); err == nil && rule(filepath.Join(work, "link.md")) == "" {
		t.Error("a link to .env is not withheld")
	}
}
