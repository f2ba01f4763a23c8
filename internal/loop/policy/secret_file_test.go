package policy_test

import (
	"testing"

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

// A search skips files that may hold secrets, and files that a rule does not let it read.
func TestGuarded(t *testing.T) {
	dir := project(t)
	guarded := policy.Paths{Workspace: dir, Home: "/home/user"}.Guarded(rules(t, "deny read: private/**; ask read: drafts; allow read: .env; deny edit: src/**; deny read: ~/notes/**"))
	for path, want := range map[string]bool{
		".env": true, "private/a": true, "PRIVATE/a": true, "private": true, "drafts/x/y": true, "src/main.go": false, "privates/a": false, "main.go": false,
		dir + "/private/a": true, "/home/user/notes/x": true, "/home/user/other/x": false,
	} {
		if guarded(path) != want {
			t.Errorf("%s: got %v, want %v", path, !want, want)
		}
	}
}
