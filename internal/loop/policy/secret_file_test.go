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
