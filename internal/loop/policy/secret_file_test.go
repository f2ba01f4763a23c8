package policy_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

func TestSecretFile(t *testing.T) {
	for path, want := range map[string]bool{
		".env": true, "web/.env.local": true, ".ENV": true, ".env-prod": true, "prod.env": true, ".envrc": true,
		"certs/server.pem": true, "tls.key": true, "/home/ann/.ssh/id_rsa": true, "id_ed25519": true,
		"credentials.json": true, ".aws/credentials": true, ".netrc": true, ".npmrc": true, ".pypirc": true, "store.p12": true,
		".env.example": false, ".env.sample": false, "id_rsa.pub": false, "main.go": false, "environment.go": false,
		"env": false, "credentials.go": false, "keys.go": false, ".envoy.yaml": false, "README.md": false,
	} {
		if got := policy.SecretFile(path); got != want {
			t.Errorf("%s: got %v", path, got)
		}
	}
}

// Commands that read whole directories run without approval only if the sandbox hides the
// files that may hold secrets.
func TestSecretsBelowDirectories(t *testing.T) {
	dir := project(t, "main.go", "web/.env", "web/.env.example", "web/deep/tls.key", "src/a.go", ".git/x.pem")
	secrets := []string{filepath.Join(dir, "web/.env"), filepath.Join(dir, "web/deep/tls.key")}
	for line, hidden := range map[string]bool{
		"grep -rn x .": true, "rg --hidden x": true, "rg -uuu x web": true, "timeout 9 grep -r x web": true, "cd web && grep -r x": true,
		"find . -type f -print0 | xargs -0 cat": true, "find web -name .env -type f -print0 | xargs -0 grep": true,
		"grep -rn x src": false, "rg x src main.go": false, "grep x main.go": false, "ls -R": false, "find . -name .env": false, "cat main.go | grep x": false,
	} {
		for _, mode := range []event.Mode{event.ModeAsk, event.ModePlan, event.ModeAll} {
			p := policy.Policy{Mode: mode}
			v := asks(&p, policy.Paths{Workspace: dir, Home: "/home/user", Sandbox: policy.SandboxFull}, run(dir, line))
			if v.Ask || v.Refuse || !v.Access.Private || (len(v.Access.Hide) > 0) != hidden || hidden && slices.ContainsFunc(v.Access.Hide, func(path string) bool { return !slices.Contains(secrets, path) }) {
				t.Errorf("%s in mode %s: %+v", line, mode, v)
			}
			v = asks(&p, policy.Paths{Workspace: dir, Home: "/home/user", Sandbox: policy.SandboxPartial}, run(dir, line))
			if (v.Ask || v.Refuse) != hidden || hidden && v.Ask && !strings.Contains(v.Why, "secrets") {
				t.Errorf("%s in mode %s with a partial sandbox: %+v", line, mode, v)
			}
		}
	}
}

// A search skips files that may hold secrets, and files that a rule does not let it read.
func TestWithheld(t *testing.T) {
	dir := project(t)
	guarded := policy.Paths{Workspace: dir, Home: "/home/user"}.Withheld(rules(t, "deny read: private/**; ask read: drafts; allow read: .env; deny edit: src/**; deny read: ~/notes/**"))
	for path, want := range map[string]bool{
		".env": true, "private/a": true, "PRIVATE/a": true, "private": true, "drafts/x/y": true, "src/main.go": false, "privates/a": false, "main.go": false,
		dir + "/private/a": true, "/home/user/notes/x": true, "/home/user/other/x": false,
	} {
		if guarded(path) != want {
			t.Errorf("%s: got %v, want %v", path, !want, want)
		}
	}
}

// A command needs approval if a word of it ends in the name of a file that may hold secrets,
// after a part whose value is not known.
func TestWordsThatEndInSecretFiles(t *testing.T) {
	dir := project(t, ".env", "sub/x")
	at := policy.Paths{Workspace: dir, Home: filepath.Dir(dir) + "-home", Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	for line, want := range map[string]string{
		`cat "$PWD/.env"`:            `"$PWD/.env"`,
		`cat $PWD/.env`:              `$PWD/.env`,
		`cat "$PWD"/".env"`:          `"$PWD"/".env"`,
		`cat $PWD/\.env`:             `$PWD/\.env`,
		`cat $PWD/$'.env'`:           `$PWD/$'.env'`,
		`cat ~+/.env`:                `~+/.env`,
		`cd sub && cat $OLDPWD/.env`: `$OLDPWD/.env`,
		`cat ${D}/id_rsa`:            `${D}/id_rsa`,
		`cat ${D}id_rsa`:             `${D}id_rsa`,
		`cat ${D:-${E}}/.env`:        `${D:-${E}}/.env`,
		`cat "$(git rev-parse --show-toplevel)/.env"`: `"$(git rev-parse --show-toplevel)/.env"`,
		"cat `pwd`/.env":                  "`pwd`/.env",
		`sort < $PWD/.env`:                `$PWD/.env`,
		`f=$PWD/.env; cat $f`:             `f=$PWD/.env`,
		`set -a; . "$PWD/.env"; make`:     `"$PWD/.env"`,
		`bash -c 'cat "$PWD/.env"'`:       `"$PWD/.env"`,
		`tool --file=$PWD/sub/server.pem`: `--file=$PWD/sub/server.pem`,
		`cat "$PWD/.env.example"`:         "",
		`cat "$PWD/sub/x"`:                "",
		`jq ".a.$k.key" x.json`:           "",
		`test -f "$PWD/.env" && make`:     "",
		`echo "$PWD/.env"`:                "",
		`cat "$file"`:                     "",
		`cat "$dir/$file"`:                "",
		`cat "$PWD/.env/"$x`:              "",
	} {
		for _, mode := range []event.Mode{event.ModeAuto, event.ModeAll} {
			v := asks(&policy.Policy{Mode: mode}, at, run(dir, line))
			if asked := v.Ask && v.Rule != ""; asked != (want != "") || want != "" && !strings.Contains(v.Warning, want+" may hold secrets") {
				t.Errorf("%s in %s: ask %v, warning %q (%s), want %q", line, mode, v.Ask, v.Warning, v.Why, want)
			}
		}
	}
}
