package settings_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"agent/cmd/agent/settings"
)

func TestLoad(t *testing.T) {
	yes := true
	for name, c := range map[string]struct {
		file string
		want settings.Settings
		err  string // a part of the error, behind the path
	}{
		"plain": {file: "{\n\"model\": \"openai/gpt-5\", \"mode\": \"edits\", \"max_steps\": 9, \"base_url\": \"http://127.0.0.1:1\"}\n",
			want: settings.Settings{Model: "openai/gpt-5", Mode: "edits", Limits: settings.Limits{MaxSteps: 9}, BaseURL: "http://127.0.0.1:1"}},
		"nested": {file: `{"$schema": "s", "models": ["a/b", "c/d"], "effort": "high", "local": false,
			"providers": {
				"acme": {"base_url": "https://a/v1", "dialect": "anthropic", "default": "m", "key": {"env": "ACME"}, "headers": {"X": "y"},
					"models": {"m": {"context": 5, "output": 2, "price": {"input": 1.5, "cached": 0.1, "cache_write": 2, "output": 3}, "tools": false, "vision": true, "effort": ["low"], "dialect": "responses", "form": "react"}}},
				"groq": {"key": {"command": ["pass", "groq"]}},
				"xai": {"key": {"command": "pass xai | head -1"}}
			},
			"catalog": {"gpt-5": {"context": 7}}}`,
			want: settings.Settings{Schema: "s", Models: []string{"a/b", "c/d"}, Effort: "high", Local: new(bool),
				Providers: map[string]settings.Provider{
					"acme": {BaseURL: "https://a/v1", Dialect: "anthropic", Default: "m", Key: &settings.Key{Env: "ACME"}, Headers: map[string]string{"X": "y"},
						Models: map[string]settings.Model{"m": {Context: 5, Output: 2, Price: &settings.Price{Input: 1.5, Cached: .1, CacheWrite: 2, Output: 3},
							Tools: new(bool), Vision: &yes, Effort: []string{"low"}, Dialect: "responses", Form: "react"}}},
					"groq": {Key: &settings.Key{Command: settings.Command{Words: []string{"pass", "groq"}}}},
					"xai":  {Key: &settings.Key{Command: settings.Command{Line: "pass xai | head -1"}}},
				},
				Catalog: map[string]settings.Model{"gpt-5": {Context: 7}}}},
		"checks": {file: `{"checks": [{"files": "*.go", "command": "go vet ./..."}, {"files": "web/**/*.{ts,tsx}", "command": "npx eslint {file}", "timeout_seconds": 60}]}`,
			want: settings.Settings{Checks: []settings.Check{{Files: "*.go", Command: "go vet ./..."}, {Files: "web/**/*.{ts,tsx}", Command: "npx eslint {file}", Timeout: 60}}}},
		"hosts": {file: `{"allow_http": ["gpu.lan", "10.0.0.5:8000", "::1", "[fe80::1]:80"]}`, want: settings.Settings{AllowHTTP: []string{"gpu.lan", "10.0.0.5:8000", "::1", "[fe80::1]:80"}}},
		"permissions": {file: "{\"permissions\": {\n\"allow\": [\"command: go test\",\n{\"rule\": \"edit: docs/**\", \"match\": [\"docs/a/b.md\"], \"not_match\": [\"main.go\"]}],\n\"deny\": [\"command: git push\"]}}",
			want: settings.Settings{Permissions: settings.Permissions{
				Allow: []settings.Rule{{Text: "command: go test"}, {Text: "edit: docs/**", Match: []string{"docs/a/b.md"}, NotMatch: []string{"main.go"}}},
				Deny:  []settings.Rule{{Text: "command: git push"}}}}},
		"empty": {file: "{}"},
		"null":  {file: `{"model": null, "providers": null}`},

		"no file at all":             {file: "", err: ":1: invalid JSON: unexpected end of JSON input"},
		"broken":                     {file: "{\n\"model\" \"x\"}", err: ":2: invalid JSON: invalid character '\"' after object key"},
		"trailing":                   {file: "{}\n{}", err: ":2: invalid JSON: invalid character '{' after top-level value"},
		"not an object":              {file: "[]", err: ":1: the configuration must be an object"},
		"a slip":                     {file: "{\n\n  \"modle\": \"x\"}", err: `:3: unknown setting "modle" (did you mean "model"?)`},
		"dots in a server":           {file: `{"mcp": {"servers": {"a.b": {"command": "x"}}}}`, err: `:1: mcp.servers: invalid name "a.b": use lower-case letters, digits, dashes and underscores`},
		"dashes in a tool":           {file: `{"tools": {"a-b": {"command": "x", "description": "y"}}}`, err: `:1: tools: invalid name "a-b": use lower-case letters, digits and underscores, and begin with a letter`},
		"settings of other programs": {file: `{"mcpServers": {}}`, err: `:1: unknown setting "mcpServers": MCP servers are in mcp.servers, see agent help mcp. To add one: agent mcp add`},
		"the name of an MCP tool":    {file: "{\"tools\": {\n\"mcp__a__b\": {\"command\": \"x\", \"description\": \"y\"}}}", err: `:2: tools.mcp__a__b: names that begin with mcp__ are those of MCP tools. Choose another one`},
		"no such thing":              {file: "{\"telemetry\": true}", err: `:1: unknown setting "telemetry". Settings: $schema, `},
		"a slip in a provider":       {file: "{\"providers\": {\n\"groq\": {\n\"baseurl\": \"x\"}}}", err: `:3: unknown setting "baseurl" in providers.groq (did you mean "base_url"?)`},
		"a slip in a key":            {file: "{\"providers\": {\"groq\": {\"key\": {\n\"comand\": \"x\"}}}}", err: `:2: unknown setting "comand" in providers.groq.key (did you mean "command"?)`},
		"a key in the file":          {file: "{\"providers\": {\"groq\": {\"key\": \"sk-1\"}}}", err: ":1: providers.groq.key must be an object with env, command"},
		"a slip in a model":          {file: "{\"catalog\": {\"m\": {\"price\": {\n\"in\": 1}}}}", err: `:2: unknown setting "in" in catalog.m.price. Settings: cache_write, cached, input, output`},
		"twice":                      {file: "{\"model\": \"a\",\n\"model\": \"b\"}", err: ":2: model is set twice"},
		"a word for a number":        {file: "{\n\"max_steps\": \"many\"}", err: ":2: max_steps must be a whole number"},
		"a time without a unit":      {file: "{\"max_time\": \"10\"}", err: ":1: max_time must be a duration like 90s, 10m or 1h30m"},
		"a limit of a session":       {file: "{\"session_budget\": {\"token\": 1}}", err: `:1: unknown setting "token" in session_budget (did you mean "tokens"?)`},
		"a part of a number":         {file: "{\"max_steps\": 1.5}", err: ":1: max_steps must be a whole number"},
		"less than nothing":          {file: "{\"max_steps\": -1}", err: ":1: max_steps cannot be -1"},
		"more than a reply may have": {file: "{\"max_reply_bytes\": 8388609}", err: ":1: max_reply_bytes cannot be 8388609: at most 8388608"},
		"less than a reply needs":    {file: "{\"max_reply_bytes\": 1023}", err: ":1: max_reply_bytes cannot be 1023"},
		"no such mode":               {file: "{\"mode\": \"yolo\"}", err: `:1: mode must be one of ask, auto, plan, all, not "yolo"`},
		"no address":                 {file: "{\"base_url\": \"localhost:80\"}", err: ":1: base_url must be a URL like http://127.0.0.1:8080/v1"},
		"no list":                    {file: "{\"models\": \"a/b\"}", err: ":1: models must be a list"},
		"no words":                   {file: "{\"models\": [\"a/b\",\n1]}", err: ":2: models[1] must be text"},
		"no truth":                   {file: "{\"local\": 1}", err: ":1: local must be true or false"},
		"no command":                 {file: "{\"providers\": {\"groq\": {\"key\": {\"command\": {}}}}}", err: ":1: providers.groq.key.command must be text or a list of texts"},
		"no price":                   {file: "{\"catalog\": {\"m\": {\"price\": {\"input\": -1}}}}", err: ":1: catalog.m.price.input cannot be -1"},
		"a slip in a check":          {file: "{\"checks\": [{\"files\": \"*.go\",\n\"comand\": \"x\"}]}", err: `:2: unknown setting "comand" in checks[0] (did you mean "command"?)`},
		"a check for nothing":        {file: "{\"checks\": [\n{\"command\": \"x\"}]}", err: `:2: checks[0]: missing "files": files to check`},
		"a check that is none":       {file: "{\"checks\": [{\"files\": \"*.go\",\n\"command\": \" \"}]}", err: ":2: checks[0].command must be a command like make check"},
		"a pattern that is none":     {file: "{\"checks\": [{\"files\": \"{a\",\n\"command\": \"x\"}]}", err: ":1: checks[0].files must be a file pattern"},
		"no time at all":             {file: "{\"checks\": [{\"files\": \"*\", \"command\": \"x\", \"timeout_seconds\": 0}]}", err: ":1: checks[0].timeout_seconds cannot be 0"},
		"a check of nothing":         {file: "{\"checks\": [{\"files\": null,\n\"command\": \"x\"}]}", err: `:2: checks[0]: missing "files"`},
		"one check, no list":         {file: "{\"checks\": {\"files\": \"*\"}}", err: ":1: checks must be a list"},
		"a URL for a host":           {file: "{\"allow_http\": [\"http://gpu.lan\"]}", err: ":1: allow_http[0] must be a host like gpu.lan or gpu.lan:8000"},
		"a path for a host":          {file: "{\"allow_http\": [\"a\",\n\"gpu.lan/v1\"]}", err: ":2: allow_http[1] must be a host like gpu.lan"},
		"a password for a host":      {file: "{\"allow_http\": [\"me@gpu.lan\"]}", err: ":1: allow_http[0] must be a host like gpu.lan"},
		"a rule without a kind":      {file: "{\"permissions\": {\"allow\": [\n\"go test\"]}}", err: `:2: permissions.allow[0]: the rule "go test" has no kind (did you mean "command: go test"?)`},
		"a slip in a kind":           {file: "{\"permissions\": {\"deny\": [\"host: x.org\",\n\n\"comand: git push\"]}}", err: `:3: permissions.deny[1]: the rule "comand: git push" has an unknown kind (did you mean "command: git push"?)`},
		"a slip in a rule":           {file: "{\"permissions\": {\"deny\": [{\n\"rul\": \"host: x.org\"}]}}", err: `:2: unknown setting "rul" in permissions.deny[0] (did you mean "rule"?)`},
		"a rule without a pattern":   {file: "{\"permissions\": {\"ask\": [{\"rule\":\n\"edit: \"}]}}", err: `:2: permissions.ask[0].rule: the rule "edit: " has no pattern`},
		"examples without a rule":    {file: "{\"permissions\": {\"ask\": [\n{\"match\": [\"x\"]}]}}", err: `:2: permissions.ask[0]: missing "rule"`},
		"a rule that is a number":    {file: "{\"permissions\": {\"ask\": [\n7]}}", err: `:2: permissions.ask[0] must be a rule such as "command: go test", or an object with rule, match, not_match`},
		"a rule that is null":        {file: "{\"permissions\": {\"ask\": [\nnull]}}", err: `:2: permissions.ask[0] must be a rule`},
		"an example that fails":      {file: "{\"permissions\": {\"deny\": [\"host: x.org\",\n{\"rule\": \"command: git push\", \"match\": [\"git pull\"]}]}}", err: `:2: the rule "deny command: git push" does not match its example "git pull"`},
		"an example that matches":    {file: "{\"permissions\": {\"deny\": [\n{\"rule\": \"command: git push\", \"not_match\": [\"cd x && git push -f\"]}]}}", err: `:2: the rule "deny command: git push" matches "cd x && git push -f", which it must not match`},
		"no host":                    {file: "{\"allow_http\": [\"\"]}", err: ":1: allow_http[0] must be a host like gpu.lan"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.json")
			if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := settings.Read(path)
			if c.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), path+c.err) {
					t.Fatalf("got error %v, want one that begins with the path and %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got.Settings, c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestReadWithoutFile(t *testing.T) {
	got, err := settings.Read(filepath.Join(t.TempDir(), "none.json"))
	if d := cmp.Diff(got.Settings, settings.Settings{}); d != "" || err != nil {
		t.Errorf("got %v, %v, want no settings and no error", got, err)
	}
}

func TestPath(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string // empty for none
	}{
		{map[string]string{"XDG_CONFIG_HOME": "/c", "HOME": "/h"}, "/c/agent/config.json"},
		{map[string]string{"XDG_CONFIG_HOME": "relative", "HOME": "/h"}, "/h/.config/agent/config.json"},
		{map[string]string{"HOME": "/h"}, "/h/.config/agent/config.json"},
		{map[string]string{"HOME": "relative"}, ""},
		{map[string]string{}, ""},
	} {
		root := filepath.VolumeName(t.TempDir())
		got, err := settings.Path(func(k string) string {
			if v := c.env[k]; strings.HasPrefix(v, "/") {
				return root + filepath.FromSlash(v)
			}
			return c.env[k]
		})
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), "Set HOME") {
				t.Errorf("%v: got %s, %v, want an error that says what to set", c.env, got, err)
			}
			continue
		}
		if want := root + filepath.FromSlash(c.want); err != nil || got != want {
			t.Errorf("%v: got %s, %v, want %s", c.env, got, err, want)
		}
	}
}

// TestSchema compares the schema with the one in the repository. UPDATE=1 writes
// it.
func TestSchema(t *testing.T) {
	const kept = "../../../testdata/config.schema.json"
	got, err := settings.JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(kept, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got), string(want)); d != "" {
		t.Errorf("got, want (UPDATE=1 writes it):\n%s", d)
	}
}

// TestSchemaAgrees checks that the schema and the program accept the same files.
func TestSchemaAgrees(t *testing.T) {
	b, err := settings.JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(b, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for file, good := range map[string]bool{
		`{}`: true,
		`{"model":"a/b","models":["a/b"],"max_steps":3,"mode":"all","local":false,"effort":"high"}`:           true,
		`{"providers":{"x":{"base_url":"http://h","key":{"command":["a","b"]}},"y":{"key":{"command":"a"}}}}`: true,
		`{"catalog":{"m":{"context":3,"price":{"input":0.5}}}}`:                                               true,
		`{"checks":[{"files":"*.go","command":"go vet ./...","timeout_seconds":5}]}`:                          true,
		`{"checks":[{"files":"*.go"}]}`:              false,
		`{"checks":[{"files":"","command":"x"}]}`:    false,
		`{"checks":[{"files":"*","command":""}]}`:    false,
		`{"checks":[{"files":"*","command":["x"]}]}`: false,
		`{"modle":"x"}`:                             false,
		`{"mode":"yolo"}`:                           false,
		`{"max_steps":0}`:                           false,
		`{"providers":{"x":{"key":"sk"}}}`:          false,
		`{"providers":{"x":{"key":{"command":3}}}}`: false,
		`{"providers":{"A/b":{}}}`:                  false,
		`{"catalog":{"m":{"price":{"in":1}}}}`:      false,
	} {
		var v any
		if err := json.Unmarshal([]byte(file), &v); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "config.json")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		_, read := settings.Read(path)
		if valid := resolved.Validate(v); (valid == nil) != good || (read == nil) != good {
			t.Errorf("%s: the schema says %v, the program %v, want good = %t", file, valid, read, good)
		}
	}
}

// TestSettingsAreDescribed checks that every setting has a description.
func TestSettingsAreDescribed(t *testing.T) {
	for _, s := range settings.All() {
		if s.What == "" || s.Name == "" {
			t.Errorf("%+v is not described", s)
		}
	}
}
