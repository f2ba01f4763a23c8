package credentials

import (
	"os"
	"path/filepath"
	"testing"

	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
)

// TestDatabricksProfile checks which profile of the Databricks program is used, and that
// its credentials are sent to no other host.
func TestDatabricksProfile(t *testing.T) {
	home := t.TempDir()
	write := func(path, text string) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write(filepath.Join(home, ".databrickscfg"), `; written by databricks configure
[DEFAULT]
host  = https://one.cloud.databricks.com/
token = dapi-one

[login]
Host = https://two.cloud.databricks.com
client_id = id
client_secret = s3cret
# token = old
[empty]
`)
	other := write(filepath.Join(home, "other.cfg"), "[DEFAULT]\r\nhost=https://three.cloud.databricks.com\r\ntoken=dapi-three\r\n")
	configured := settings.Settings{Providers: map[string]settings.Provider{"databricks": {BaseURL: "https://configured.example.org"}}}
	for name, row := range map[string]struct {
		env    map[string]string
		set    settings.Settings
		host   string
		key    catalog.Key
		where  string
		client string
	}{
		"the default":           {host: "https://one.cloud.databricks.com/", key: "dapi-one", where: ".databrickscfg (profile DEFAULT)"},
		"another profile":       {env: map[string]string{"DATABRICKS_CONFIG_PROFILE": "login"}, host: "https://two.cloud.databricks.com", client: "id s3cret"},
		"another file":          {env: map[string]string{"DATABRICKS_CONFIG_FILE": other}, host: "https://three.cloud.databricks.com", key: "dapi-three", where: "other.cfg (profile DEFAULT)"},
		"an empty profile":      {env: map[string]string{"DATABRICKS_CONFIG_PROFILE": "empty"}},
		"no such profile":       {env: map[string]string{"DATABRICKS_CONFIG_PROFILE": "none"}},
		"no such file":          {env: map[string]string{"DATABRICKS_CONFIG_FILE": filepath.Join(home, "none")}},
		"the same host":         {env: map[string]string{"DATABRICKS_HOST": "ONE.cloud.databricks.com"}, host: "ONE.cloud.databricks.com", key: "dapi-one", where: ".databrickscfg (profile DEFAULT)"},
		"another host":          {env: map[string]string{"DATABRICKS_HOST": "https://evil.example.org"}, host: "https://evil.example.org"},
		"a configured base URL": {set: configured},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"DATABRICKS_HOST", "DATABRICKS_TOKEN", "DATABRICKS_CLIENT_ID", "DATABRICKS_CLIENT_SECRET", "DATABRICKS_CONFIG_PROFILE", "DATABRICKS_CONFIG_FILE"} {
				t.Setenv(variable, row.env[variable])
			}
			t.Setenv("HOME", home)
			t.Setenv("USERPROFILE", home)
			v := newVault(row.set, &fakeKeyring{keys: map[string]string{}}, func() []string { return nil })
			client := v.Variable("DATABRICKS_CLIENT_ID") + " " + v.Variable("DATABRICKS_CLIENT_SECRET")
			if client == " " {
				client = ""
			}
			key, where, err := v.Key("databricks")
			if v.Variable("DATABRICKS_HOST") != row.host || key != row.key || where != row.where || client != row.client || err != nil {
				t.Errorf("got host %q, key of %d bytes from %q, client %q, %v", v.Variable("DATABRICKS_HOST"), len(key), where, client, err)
			}
			if _, ok := v.Has("databricks"); ok != (row.key != "") {
				t.Errorf("Has: got %t", ok)
			}
			if _, ok := v.Has("groq"); ok {
				t.Error("another provider has the key")
			}
			without := v.WithoutProfiles()
			if key, _, _ := without.Key("databricks"); key != "" || without.Variable("DATABRICKS_CLIENT_SECRET") != "" || without.Variable("DATABRICKS_HOST") != row.env["DATABRICKS_HOST"] {
				t.Error("without profiles, the profile is used")
			}
		})
	}
}

// A session at another base URL stays there when the user adds a profile.
func TestDatabricksProfileAndRecordedBaseURL(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".databrickscfg"), []byte("[DEFAULT]\nhost = https://one.example\ntoken = dapi-one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"DATABRICKS_HOST", "DATABRICKS_TOKEN", "DATABRICKS_CONFIG_PROFILE", "DATABRICKS_CONFIG_FILE"} {
		t.Setenv(variable, "")
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	v := newVault(settings.Settings{}, &fakeKeyring{keys: map[string]string{}}, func() []string { return nil })
	for _, c := range []struct {
		model, url string
		used       bool
	}{
		{"databricks/x", "", true},
		{"databricks/x", "https://ONE.example/serving-endpoints", true},
		{"openai/x", "http://127.0.0.1:8080/v1", true},
		{"databricks/x", "http://127.0.0.1:8080/v1", false},
		{"databricks/x", "https://one.example@evil.example/v1", false},
	} {
		got := v.ForHost(c.model, c.url)
		key, _, _ := got.Key("databricks")
		if (got.Variable("DATABRICKS_HOST") != "") != c.used || (key != "") != c.used {
			t.Errorf("%s at %q: host %q, a key of %d bytes", c.model, c.url, got.Variable("DATABRICKS_HOST"), len(key))
		}
	}
}
