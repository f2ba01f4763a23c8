package models

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"agent/cmd/agent/settings"
)

// A connected key is used at once in place of the one in the environment, by all pickers that
// share the Connected, and only for its provider.
func TestConnectedKeyWins(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GROQ_API_KEY", "sk-old")
	t.Setenv("OPENAI_API_KEY", "sk-other")
	shared := NewConnected()
	picker := func() *Picker {
		p := New(Flags{}, settings.Settings{}, "", false, nil)
		p.Connected = shared
		return p
	}
	key := func(model string) string {
		c, err := picker().Choose(model)
		if err != nil {
			t.Fatal(err)
		}
		return c.Key.Reveal() + " from " + c.KeyName
	}
	if got := key("groq/any"); got != "sk-old from GROQ_API_KEY" {
		t.Errorf("got %s before the connection", got)
	}
	picker().Connect(Trial{Provider: "groq", Key: "sk-new", Where: "the system keyring"})
	if got := key("groq/any"); got != "sk-new from the system keyring" {
		t.Errorf("got %s", got)
	}
	if got := key("openai/any"); got != "sk-other from OPENAI_API_KEY" {
		t.Errorf("got %s for another provider", got)
	}
}

// A trial changes nothing until it is connected. A connected server has the name and the base
// URL that the user gave it.
func TestConnectedServer(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sk-new" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"large"}]}`))
	}))
	defer s.Close()
	p := New(Flags{}, settings.Settings{}, "", false, nil)
	p.Connected = NewConnected()
	var secrets []string
	p.Secrets(func(_, value string) { secrets = append(secrets, value) })
	trial := Trial{Provider: p.FreeName(), URL: s.URL + "/v1", Key: "sk-new", Where: "typed"}
	v, all := p.Verify(t.Context(), trial)
	if v.Err != nil || !v.Verified || len(all) != 1 || all[0].Model != "custom/large" {
		t.Fatalf("got %+v, %v", v, all)
	}
	if len(secrets) == 0 || secrets[len(secrets)-1] != "sk-new" {
		t.Errorf("the key that is tested is not a secret: %q", secrets)
	}
	if _, err := p.Choose("custom/large"); err == nil {
		t.Error("the trial is connected already")
	}
	p.Connect(trial)
	c, err := p.Choose("custom/large")
	if err != nil || c.BaseURL != s.URL+"/v1" || c.Key.Reveal() != "sk-new" {
		t.Errorf("got %s, %v, %v", c.BaseURL, c.Key, err)
	}
	if got := p.FreeName(); got != "custom-2" {
		t.Errorf("got the name %s for another server", got)
	}
}
