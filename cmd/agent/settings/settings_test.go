package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/settings"
)

func TestLoad(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want settings.Settings
		err  string // a part of the error, behind the path
	}{
		"whole":      {file: "{\n\"model\": \"openai/gpt-5\", \"mode\": \"edits\", \"max_steps\": 9, \"base_url\": \"http://127.0.0.1:1\"}\n", want: settings.Settings{Model: "openai/gpt-5", Mode: "edits", MaxSteps: 9, BaseURL: "http://127.0.0.1:1"}},
		"empty":      {file: "{}"},
		"unknown":    {file: "{\n\n  \"modle\": \"x\"}", err: `:3: there is no setting "modle". The settings are: model, base_url, mode, max_steps`},
		"wrong type": {file: "{\n\"max_steps\": \"many\"}", err: ":2: json: cannot unmarshal string"},
		"broken":     {file: "{\n\"model\" \"x\"}", err: ":2: invalid character"},
		"trailing":   {file: "{}\n{}", err: ":2: something follows"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.json")
			if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := settings.Load(path)
			if c.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), path+c.err) {
					t.Fatalf("got error %v, want one that begins with the path and %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestLoadWithoutFile(t *testing.T) {
	got, err := settings.Load(filepath.Join(t.TempDir(), "none.json"))
	if err != nil || got != (settings.Settings{}) {
		t.Errorf("got %v, %v, want no settings and no error", got, err)
	}
}

func TestPath(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"XDG_CONFIG_HOME": "/c", "HOME": "/h"}, "/c/agent/config.json"},
		{map[string]string{"XDG_CONFIG_HOME": "relative", "HOME": "/h"}, "/h/.config/agent/config.json"},
		{map[string]string{"HOME": "/h"}, "/h/.config/agent/config.json"},
	} {
		got, err := settings.Path(func(k string) string { return c.env[k] })
		if err != nil || got != filepath.FromSlash(c.want) {
			t.Errorf("%v: got %s, %v, want %s", c.env, got, err, c.want)
		}
	}
}
