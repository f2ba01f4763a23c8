package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A session keeps its base URL unless the flag, the environment or the
// configuration sets another one.
func TestRecordedBaseURL(t *testing.T) {
	const own, other = "http://127.0.0.1:7001/v1", "http://127.0.0.1:7002/v1"
	at := func(in Input) Input {
		in.Last, in.LastURL = "openai/qwen", own
		return in
	}
	continued := func(in Input) Input {
		in.Continued = true
		return at(in)
	}
	for name, row := range map[string]struct {
		in   Input
		env  string
		want []string // model, base URL, fallbacks
	}{
		"continued":                               {in: continued(Input{}), want: []string{"openai/qwen", own}},
		"continued, with a key":                   {in: continued(Input{}), env: "OPENAI_API_KEY=k", want: []string{"openai/qwen", own}},
		"last used in the directory":              {in: at(Input{}), env: "OPENAI_API_KEY=k", want: []string{"openai/qwen", own}},
		"the flag":                                {in: continued(Input{BaseURL: other}), want: []string{"openai/qwen", other}},
		"the environment":                         {in: continued(Input{}), env: "OPENAI_BASE_URL=" + other, want: []string{"openai/qwen", other}},
		"the configuration":                       {in: continued(Input{ConfigURL: other}), want: []string{"openai/qwen", other}},
		"another model of the same provider":      {in: continued(Input{Flag: "openai/gpt-5.1"}), want: []string{"openai/gpt-5.1", own}},
		"another provider":                        {in: continued(Input{Flag: "groq/x"}), env: "GROQ_API_KEY=k", want: []string{"groq/x", groqURL}},
		"another provider from the environment":   {in: continued(Input{}), env: "AGENT_MODEL=groq/x GROQ_API_KEY=k", want: []string{"groq/x", groqURL}},
		"another provider from the configuration": {in: continued(Input{Config: []string{"groq/x"}}), env: "GROQ_API_KEY=k", want: []string{"openai/qwen", own}},
		"a new session with a named model":        {in: at(Input{Flag: "openai/gpt-5.1"}), env: "OPENAI_API_KEY=k", want: []string{"openai/gpt-5.1", openaiURL}},
		"a new session with a configured model":   {in: at(Input{Config: []string{"groq/x"}}), env: "GROQ_API_KEY=k", want: []string{"groq/x", groqURL}},
		"--base-url for another provider":         {in: continued(Input{BaseURL: other, BaseFor: "groq"}), want: []string{"openai/qwen", own}},
		"a list of models with --base-url": {in: Input{Config: []string{"openai/a", "groq/x", "openai/b"}, BaseURL: own}, env: "GROQ_API_KEY=k",
			want: []string{"openai/a", own, "openai/b " + own}},
		"--base-url for a provider, another one chosen": {in: Input{Flag: "groq/x", BaseURL: own, BaseFor: "openai"}, env: "GROQ_API_KEY=k", want: []string{"groq/x", groqURL}},
		"--base-url for the chosen provider":            {in: Input{Flag: "openai/x", BaseURL: own, BaseFor: "openai"}, want: []string{"openai/x", own}},
	} {
		t.Run(name, func(t *testing.T) {
			row.in.Getenv = env(row.env)
			c, err := Resolve(row.in)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{c.ID(), c.BaseURL}
			for _, n := range c.Next {
				got = append(got, n.ID()+" "+n.BaseURL)
			}
			if diff := cmp.Diff(got, row.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
			if c.Confirm != nil {
				t.Errorf("it asks: %+v", c.Confirm)
			}
		})
	}
}

// If a session cannot keep its base URL, the error names the missing part, and
// no other server is used.
func TestIncompleteRecordedBaseURL(t *testing.T) {
	for name, row := range map[string]struct {
		in   Input
		env  string
		want string
	}{
		"a password": {in: Input{Last: "openai/qwen", LastURL: "https://***@gw.example/v1", Continued: true}, env: "OPENAI_API_KEY=k GROQ_API_KEY=k",
			want: "openai/qwen: the base URL https://***@gw.example/v1 was saved without its secrets: start with --base-url and the full URL, or set OPENAI_BASE_URL, or select a model of another provider with --model"},
		"a query in a new session": {in: Input{Last: "groq/x", LastURL: "https://gw.example/v1?key=***"}, env: "OPENAI_API_KEY=k GROQ_API_KEY=k",
			want: "groq/x: the base URL https://gw.example/v1?key=*** was saved without its secrets: start with --base-url and the full URL, or select a model of another provider with --model"},
		"the placeholder as a flag": {in: Input{Flag: "openai/x", BaseURL: "https://***@gw.example/v1"},
			want: "--model: the base URL https://***@gw.example/v1 was saved without its secrets: start with --base-url and the full URL, or set OPENAI_BASE_URL"},
		"a key over HTTP": {in: Input{Last: "groq/x", LastURL: "http://gw.example/v1", Continued: true}, env: "GROQ_API_KEY=k OPENAI_API_KEY=k",
			want: `groq/x: the API key of groq is not sent to gw.example over plain HTTP: use https, or set "allow_http": ["gw.example"] in the configuration, or select a model of another provider with --model`},
		"the full URL":   {in: Input{Last: "openai/qwen", LastURL: "https://***@gw.example/v1", Continued: true, BaseURL: "https://me:pass@gw.example/v1"}},
		"the variable":   {in: Input{Last: "openai/qwen", LastURL: "https://***@gw.example/v1", Continued: true}, env: "OPENAI_BASE_URL=https://me:pass@gw.example/v1"},
		"missing scheme": {in: Input{BaseURL: "me:CANARY@gw.example"}, want: `--base-url: "***@gw.example" is not a base URL: write it like http://127.0.0.1:8080/v1`},
	} {
		row.in.Getenv = env(row.env)
		c, err := Resolve(row.in)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(got, row.want); diff != "" {
			t.Errorf("%s: got, want:\n%s", name, diff)
		}
		if err == nil && (c.At() != "https://***@gw.example/v1" || c.Host() != "gw.example" || !strings.Contains(c.BaseURL, "me:pass@")) {
			t.Errorf("%s: got %s at %s", name, c.At(), c.Host())
		}
	}
}

// A new session on a screen then starts without a model, even if others are
// available.
func TestIncompleteRecordedBaseURLOnScreen(t *testing.T) {
	for name, in := range map[string]Input{
		"missing secrets":   {Last: "openai/qwen", LastURL: "https://***@gw.example/v1"},
		"key over HTTP":     {Last: "groq/x", LastURL: "http://gw.example/v1"},
		"with local models": {Last: "openai/qwen", LastURL: "https://***@gw.example/v1", Local: func() []Server { panic("servers are looked for") }},
	} {
		in.Attended, in.Getenv = true, env("OPENAI_API_KEY=k GROQ_API_KEY=k")
		c, err := Resolve(in)
		if err != nil || !c.Offline() || !c.Held || len(c.Notices) != 1 {
			t.Fatalf("%s: got %v, %v, %q", name, c.ID(), err, c.Notices)
		}
		for _, want := range []string{in.Last + ", last used in this directory, is not available: ", "gw.example", ", or select a model of another provider with /model."} {
			if !strings.Contains(c.Notices[0], want) {
				t.Errorf("%s: %q does not say %q", name, c.Notices[0], want)
			}
		}
		in.Continued = true // a continued session uses no other server
		if c, err := Resolve(in); err == nil {
			t.Errorf("%s, continued: got %s", name, c.ID())
		}
	}
}

// If the log has no base URL, it is used without a question only if the
// provider is known to have the model.
func TestOldLogs(t *testing.T) {
	keys := "OPENAI_API_KEY=k GROQ_API_KEY=k OPENROUTER_API_KEY=k ANTHROPIC_API_KEY=k"
	for name, row := range map[string]struct {
		in  Input
		env string
		ask string
	}{
		"a known model":                       {in: Input{Last: "openai/gpt-5.1", Continued: true}},
		"a known model with a date":           {in: Input{Last: "openai/gpt-4.1-2025-04-14", Continued: true}},
		"the default of its vendor":           {in: Input{Last: "anthropic/claude-sonnet-5", Continued: true}},
		"through a router":                    {in: Input{Last: "openrouter/openai/gpt-5.1", Continued: true}},
		"the default of a provider":           {in: Input{Last: "groq/openai/gpt-oss-120b", Continued: true}},
		"a model of the configuration":        {in: Input{Last: "openai/qwen", Continued: true, Changes: Changes{Models: map[string]Info{"openai/qwen": {}}}}},
		"an unknown model":                    {in: Input{Last: "openai/qwen", Continued: true}, ask: "Send the conversation to api.openai.com?"},
		"a longer name than a known model":    {in: Input{Last: "openai/gpt-5.1-mine", Continued: true}, ask: "Send the conversation to api.openai.com?"},
		"an open model":                       {in: Input{Last: "openai/gpt-oss-20b", Continued: true}, ask: "Send the conversation to api.openai.com?"},
		"a path that ends like a known model": {in: Input{Last: "openai/mine/gpt-5.1", Continued: true}, ask: "Send the conversation to api.openai.com?"},
		"a model of another vendor":           {in: Input{Last: "openai/claude-sonnet-5", Continued: true}, ask: "Send the conversation to api.openai.com?"},
		"in a new session":                    {in: Input{Last: "openai/qwen"}, ask: "Send the conversation to api.openai.com?"},
		"named in the configuration":          {in: Input{Last: "openai/qwen", Config: []string{"openai/qwen"}, Continued: true}, ask: "Send the conversation to api.openai.com?"},
		"named by the flag":                   {in: Input{Last: "openai/qwen", Flag: "openai/qwen", Continued: true}},
		"another named by the flag":           {in: Input{Last: "openai/qwen", Flag: "groq/any", Continued: true}},
		"with --base-url":                     {in: Input{Last: "openai/qwen", BaseURL: local, Continued: true}},
		"with a variable":                     {in: Input{Last: "openai/qwen", Continued: true}, env: " OPENAI_BASE_URL=" + local},
		"with a configured address":           {in: Input{Last: "openai/qwen", ConfigURL: local, Continued: true}},
		"at the provider's own address":       {in: Input{Last: "openai/qwen", LastOwn: true, Continued: true}},
		"of a server on this machine":         {in: Input{Last: "ollama/qwen", Continued: true}},
	} {
		row.in.Getenv = env(keys + row.env)
		c, err := Resolve(row.in)
		got := ""
		if c.Confirm != nil {
			got = c.Confirm.Question
		}
		if err != nil || got != row.ask {
			t.Errorf("%s: got %q, want %q, %v", name, got, row.ask, err)
		}
	}
}

// A key is sent over plain HTTP only if the configuration allows it. Requests
// without a key are sent anywhere.
func TestAllowHTTP(t *testing.T) {
	const refused = `--model: the API key of openai is not sent to gpu.lan:8000 over plain HTTP: use https, or set "allow_http": ["gpu.lan"] in the configuration`
	headers := Changes{Rows: []Row{{Name: "openai", Dialect: OpenAI, BaseURL: openaiURL, URLName: "OPENAI_BASE_URL", Headers: map[string]string{"X-Api-Key": "k"}}}}
	for name, row := range map[string]struct {
		in   Input
		env  string
		want string
	}{
		"a key":                         {env: "OPENAI_API_KEY=k OPENAI_BASE_URL=http://gpu.lan:8000/v1", want: refused},
		"a key with --base-url":         {in: Input{BaseURL: "http://gpu.lan:8000/v1"}, env: "OPENAI_API_KEY=k", want: refused},
		"a key in a header":             {in: Input{BaseURL: "http://gpu.lan:8000/v1", Changes: headers}, want: refused},
		"a password":                    {in: Input{BaseURL: "http://me:CANARY@gpu.lan:8000/v1"}, want: refused},
		"a key in the query":            {in: Input{BaseURL: "http://gpu.lan:8000/v1?api-key=CANARY"}, want: refused},
		"a version in the query":        {in: Input{BaseURL: "http://gpu.lan:8000/v1?version=1"}},
		"no key":                        {in: Input{BaseURL: "http://gpu.lan:8000/v1"}},
		"https":                         {in: Input{BaseURL: "https://gpu.lan:8000/v1"}, env: "OPENAI_API_KEY=k"},
		"a loopback address":            {in: Input{BaseURL: "http://localhost:8000/v1"}, env: "OPENAI_API_KEY=k"},
		"allowed":                       {in: Input{BaseURL: "http://gpu.lan:8000/v1", AllowHTTP: []string{"x", "GPU.lan"}}, env: "OPENAI_API_KEY=k"},
		"allowed with its port":         {in: Input{BaseURL: "http://gpu.lan:8000/v1", AllowHTTP: []string{"gpu.lan:8000"}}, env: "OPENAI_API_KEY=k"},
		"allowed with a different port": {in: Input{BaseURL: "http://gpu.lan:8000/v1", AllowHTTP: []string{"gpu.lan:1", "lan", "evil.gpu.lan"}}, env: "OPENAI_API_KEY=k", want: refused},
	} {
		row.in.Getenv, row.in.Flag = env(row.env), "openai/any"
		_, err := Resolve(row.in)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(got, row.want); diff != "" {
			t.Errorf("%s: got, want:\n%s", name, diff)
		}
	}
	row, _ := Find("databricks")
	in := Input{Getenv: env("DATABRICKS_HOST=http://db.lan DATABRICKS_CLIENT_ID=i DATABRICKS_CLIENT_SECRET=s")}
	if _, err := in.choice(row, "x"); err == nil || !strings.Contains(err.Error(), "allow_http") {
		t.Errorf("the secret of a client: got %v", err)
	}
}
