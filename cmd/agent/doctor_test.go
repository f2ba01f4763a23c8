package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"agent/internal/history"
)

// agent doctor asks the servers that the user configured and those on this machine. It
// never prints a key, even if a server repeats it, and nothing of a server's answer
// reaches the terminal raw.
func TestDoctorAsksServers(t *testing.T) {
	t.Parallel()
	var requests, local atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if key := r.Header.Get("Authorization"); key != "Bearer sk-good" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error": {"message": "bad key %s \u001b]52;c;x\u0007"}}`, key)
			return
		}
		fmt.Fprint(w, `{"data": [{"id": "a"}, {"id": "b"}]}`)
	}))
	defer s.Close()
	ollama := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		local.Add(1)
		if answer, ok := localServers()["OLLAMA_HOST"][r.Method+" "+r.URL.Path]; ok {
			fmt.Fprint(w, answer)
			return
		}
		http.NotFound(w, r)
	}))
	defer ollama.Close()
	home := t.TempDir()
	run := func(key, flag string) (out string, code int) {
		cmd := exec.Command("agent", strings.Fields("doctor "+flag)...)
		cmd.Dir = home
		cmd.Env = []string{"HOME=" + home, "LocalAppData=" + home, "PATH=" + os.Getenv("PATH"), "OLLAMA_HOST=" + ollama.URL, "CUSTOM_BASE_URL=" + s.URL + "/v1", "CUSTOM_API_KEY=" + key}
		b, _ := cmd.CombinedOutput() // the exit code is compared
		return string(b), cmd.ProcessState.ExitCode()
	}
	for _, c := range []struct {
		key, flag, want string
		code            int
		asked           bool
	}{
		{"sk-good", "", `ok +server custom +\S+/v1, .*, answers with 2 models\n`, 0, true},
		{"sk-canary", "", `error +server custom +\S+/v1, .*: list the models of custom: .*Check the base URL`, 1, true},
		{"sk-canary", "--json", `"name": "server custom",\n +"status": "error",`, 1, true},
		{"sk-canary", "--offline", `ok +server custom +\S+/v1, .*, not tested\n`, 0, false},
	} {
		requests.Store(0)
		local.Store(0)
		out, code := run(c.key, c.flag)
		if code != c.code || !regexp.MustCompile(c.want).MatchString(out) {
			t.Errorf("%+v: exit code %d, got\n%s", c, code, out)
		}
		if strings.Contains(out, c.key) || strings.ContainsAny(out, "\x1b\x07") {
			t.Errorf("%+v: a key or a control character is in %q", c, out)
		}
		if asked := requests.Load() > 0; asked != c.asked || !c.asked && local.Load() > 0 {
			t.Errorf("%+v: %d requests, and %d to the local server", c, requests.Load(), local.Load())
		}
	}
	// A machine that is busy with other things may need another try.
	waitFor(t, "the local server to answer", func() bool {
		out, _ := run("sk-good", "")
		return regexp.MustCompile(`ok +server ollama +running at \S+, answers with 1 model\n`).MatchString(out)
	})
}

func TestDoctorShowsSizeOfOldContents(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	env := []string{"HOME=" + home, "LocalAppData=" + home, "PATH=" + os.Getenv("PATH")}
	dir, err := history.Dir(func(name string) string {
		return map[string]string{"HOME": home, "LocalAppData": home}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	pack := history.Open(dir).UndoPath("x")
	if err := os.MkdirAll(filepath.Dir(pack), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pack, make([]byte, 34_500), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("agent", "doctor", "--offline")
	cmd.Dir, cmd.Env = home, env
	out, _ := cmd.CombinedOutput() // other checks may fail
	if !regexp.MustCompile(`ok +undo +34\.5 KB of old file contents in sessions\n`).Match(out) {
		t.Errorf("got\n%s", out)
	}
}
