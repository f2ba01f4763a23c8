package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agent/cmd/agent/redact"
)

// stores reports whether a file below the state directory of h contains text.
func (h home) stores(t *testing.T, text string) bool {
	t.Helper()
	found := false
	err := filepath.WalkDir(filepath.Join(h.dir, ".local", "state"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		found = found || bytes.Contains(b, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A script that runs without approval reads .env. The model and the session get
// placeholders for the secrets in it, and its other values.
func TestSecretsOfEnvironmentFiles(t *testing.T) {
	t.Parallel()
	watched(t)
	const secret = "q7Vx2mLr9TzB4wKc"
	env := "API_SECRET_TOKEN=" + secret + "\nPORT=8080\n"
	placeholder := regexp.MustCompile(`\[secret:api-secret-token-[a-z2-7]{12}\]`)
	for _, c := range []struct {
		name, file, script string
		hidden             bool
	}{
		{"at the start", ".env", "cat .env", true},
		{"another name", "prod.env", "cat prod.env", true},
		{"a copy", ".env", "cp .env x; cat x", true},
		{"an added directory", "../added/.env.local", "cat ../added/.env.local", true},
		{"a file that the script makes", "text", "sed s/x/x/ text > .env.test; cat .env.test", true},
		{"a subdirectory", "sub/.env", "cat sub/.env", false},
		{"an example", ".env.example", "cat .env.example", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, call("shell", `{"command":"sh show.sh"}`), say("Done."))
			h := newHome(t, map[string]string{"show.sh": c.script + "\n", "../added/x": "", c.file: env}, at(s)...)
			if out, code := h.agent(t, "run", "--mode", "auto", "--add-dir", "../added", "show it"); code != 0 || len(s.seen()) != 2 {
				t.Fatalf("exit code %d: %s", code, out)
			}
			got := s.seen()[1].body
			if !strings.Contains(got, "PORT=8080") {
				t.Errorf("the model did not get the other value: %s", got)
			}
			if placeholder.MatchString(got) != c.hidden || strings.Contains(got, secret) == c.hidden {
				t.Errorf("the model got the secret, want hidden %v: %s", c.hidden, got)
			}
			if h.stores(t, secret) == c.hidden {
				t.Errorf("the session has the secret, want hidden %v", c.hidden)
			}
		})
	}
}

// Ordinary words and other common text in the values of secrets are not replaced elsewhere.
func TestOrdinaryTextOfEnvironmentFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := `# Token: "disabled", see https://example.com/tokens
DB_PASSWORD="postgres"; export DB_PASSWORD # default
ADMIN_PASSWORD=changeme, # 12345678
API_TOKEN=${OTHER_TOKEN}
DATABASE_DSN=postgres://app:${DB_PASSWORD}@db/app
AUTH_HEADER=Authorization: Bearer ${API_TOKEN}
SSH_KEY=${HOME}/.ssh/id_rsa
AUTH_URL=https://login.$DOMAIN/authorize
DEPLOY_KEY="-----BEGIN RSA PRIVATE KEY-----
MIIEowIBAAKCAQEAq7Vx2mLr9TzB4wKc
-----END RSA PRIVATE KEY-----"
OPEN_SECRET='q7Vx2mLr9TzB4wKc
NODE_ENV=production
# it's open
`
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(env), 0o600); err != nil {
		t.Fatal(err)
	}
	m := redact.Open(redact.Session{Dirs: []string{dir}})
	const text = `x = "postgres"; y = "disabled", changeme, 12345678 ${OTHER_TOKEN} https://example.com/tokens
postgres://app:${DB_PASSWORD}@db/app
Authorization: Bearer
/root/.ssh/id_rsa https://login.example.com/authorize
if line == "-----BEGIN RSA PRIVATE KEY-----" || line == "-----END RSA PRIVATE KEY-----" {}
NODE_ENV=production
`
	if got := m.Text(text); got != text {
		t.Errorf("got %s", got)
	}
	for _, secret := range []string{"MIIEowIBAAKCAQEAq7Vx2mLr9TzB4wKc", "q7Vx2mLr9TzB4wKc"} {
		if got := m.Text("x " + secret + "\r\n"); strings.Contains(got, secret) {
			t.Errorf("got %s", got)
		}
	}
}

// With {"redact": false} the model gets the values of environment files.
func TestSecretsOfEnvironmentFilesAreNotReplaced(t *testing.T) {
	t.Parallel()
	watched(t)
	s := serve(t, call("shell", `{"command":"sh show.sh"}`), say("Done."))
	h := newHome(t, map[string]string{"show.sh": "cat .env\n", ".env": "API_SECRET_TOKEN=q7Vx2mLr9TzB4wKc\n"}, at(s)...)
	h.configure(t, `{"redact": false}`)
	if out, code := h.agent(t, "run", "--mode", "auto", "show it"); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if got := s.seen()[1].body; !strings.Contains(got, "q7Vx2mLr9TzB4wKc") {
		t.Errorf("the model did not get the value: %s", got)
	}
}

// A file that the user creates during a session counts before the next prompt.
func TestSecretsOfEnvironmentFilesInPrompts(t *testing.T) {
	t.Parallel()
	s := serve(t, say("One."), say("Two."))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 100, 30)
	a.wait("? help")
	a.send("hello" + enter)
	a.wait("One.", "? help")
	h.put(t, ".env", "export DB_PASSWORD='q7Vx2mLr9TzB4wKc'\n")
	a.send("try q7Vx2mLr9TzB4wKc" + enter)
	a.wait("Two.", "? help")
	if got := s.seen()[1].body; strings.Contains(got, "q7Vx2mLr9TzB4wKc") || !strings.Contains(got, "try [secret:db-password-") {
		t.Errorf("the model got the secret: %s", got)
	}
	a.send("\x03\x03")
	a.exit()
	if h.stores(t, "q7Vx2mLr9TzB4wKc") {
		t.Error("the session has the secret")
	}
}
