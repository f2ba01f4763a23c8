package mcp_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"agent/internal/tools"
	"agent/internal/tools/mcp"
)

// box returns a toolbox whose servers are connected.
func box(t *testing.T, servers ...mcp.Server) *mcp.Toolbox {
	t.Helper()
	return &mcp.Toolbox{Connections: connect(t, mcp.Options{Servers: servers})}
}

// offered returns the names of the tools that a model is offered.
func offered(b *mcp.Toolbox, window int) string {
	var names []string
	for _, tool := range b.Offer(context.Background(), window) {
		names = append(names, tool.Spec().Name)
	}
	return strings.Join(names, " ")
}

// run prepares and runs a call of the tool of b with that name.
func run(t *testing.T, b *mcp.Toolbox, name, args string) (tools.Call, tools.Result, error) {
	t.Helper()
	for _, tool := range append(b.Offer(t.Context(), 0), b.Callable()...) {
		if tool.Spec().Name != name {
			continue
		}
		c, err := tool.Prepare(t.Context(), json.RawMessage(args))
		if err != nil {
			return c, tools.Result{}, err
		}
		r, err := c.Run(t.Context(), tools.Approved{})
		return c, r, err
	}
	t.Fatalf("there is no tool %s", name)
	return tools.Call{}, tools.Result{}, nil
}

func TestDefinitionsAreListedOnlyIfTheyAreFew(t *testing.T) {
	few := program(t, "few", "basic")
	few.Allow = []string{"e*"}
	for _, c := range []struct {
		name    string
		servers []mcp.Server
		window  int
		want    string
	}{
		{"few", []mcp.Server{few}, 100_000, "mcp__few__echo mcp__few__env mcp__few__exit tool_search mcp_call"},
		{"small window", []mcp.Server{few}, 500, "tool_search mcp_call"},
		{"many", []mcp.Server{program(t, "many", "many")}, 1_000_000, "tool_search mcp_call"},
		{"one is not ready", []mcp.Server{few, program(t, "broken", "broken")}, 100_000, "tool_search mcp_call mcp_resource"},
		{"none is used", []mcp.Server{{Name: "off", Off: "it is disabled"}}, 100_000, ""},
	} {
		b := box(t, c.servers...)
		if got := offered(b, c.window); got != c.want {
			t.Errorf("%s: the model is offered %q, want %q", c.name, got, c.want)
		}
		if got := offered(b, 1); got != c.want {
			t.Errorf("%s: then the model is offered %q", c.name, got)
		}
		b.Close()
	}
}

func TestFirstRequestDoesNotWaitUnlessAsked(t *testing.T) {
	silent := program(t, "silent", "silent")
	c := mcp.New(mcp.Options{Servers: []mcp.Server{silent}, StartTime: time.Minute})
	t.Cleanup(c.Close)
	b := &mcp.Toolbox{Connections: c}
	if got := offered(b, 0); got != "tool_search mcp_call mcp_resource" {
		t.Errorf("the model is offered %q", got)
	}
	waiting := &mcp.Toolbox{Connections: c, Wait: time.Hour}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if got := waiting.Offer(ctx, 0); got != nil {
		t.Errorf("after an interrupt the model is offered %v", got)
	}
}

// A search that matches tools does not wait for a server that hangs.
func TestSearchDoesNotWait(t *testing.T) {
	c := mcp.New(mcp.Options{Servers: []mcp.Server{program(t, "few", "basic"), program(t, "silent", "silent")}, StartTime: time.Minute})
	t.Cleanup(c.Close)
	c.Start()
	b := &mcp.Toolbox{Connections: c}
	for len(b.Callable()) == 0 {
		<-c.Changed()
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	search, err := b.Offer(ctx, 0)[0].Prepare(ctx, json.RawMessage(`{"query":"echo"}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Run(ctx, tools.Approved{})
	if err != nil || !strings.HasPrefix(r.Text, "mcp__few__echo\n") || !strings.Contains(r.Text, "silent (starting)") {
		t.Errorf("got %.300q, %v", r.Text, err)
	}
}

// A run that waits tells the user which servers it waits for, and which it does not get.
func TestWaitingIsReported(t *testing.T) {
	c := mcp.New(mcp.Options{Servers: []mcp.Server{program(t, "silent", "silent")}, StartTime: time.Minute})
	t.Cleanup(c.Close)
	b := &mcp.Toolbox{Connections: c, Wait: 50 * time.Millisecond}
	b.Offer(t.Context(), 0)
	select {
	case got := <-c.Problems():
		if want := "These MCP servers have not started yet: silent. Continuing without waiting for them."; got != want {
			t.Errorf("the user is told %q, want %q", got, want)
		}
	default:
		t.Error("the user is told nothing")
	}
}

func TestSearchFindsTools(t *testing.T) {
	b := box(t, program(t, "few", "basic"), program(t, "many", "many"))
	_, r, err := run(t, b, mcp.SearchTool, `{"query":"warehouse table 217"}`)
	if err != nil || !strings.HasPrefix(r.Text, "mcp__many__tool_217\nreads table 217 of the warehouse\nArguments: {\"type\":\"object\"}\n") || !strings.HasSuffix(r.Text, "\nAbout the server many, in its own words: Ask for one row.\n") || len(r.Text) > 20<<10 || r.Source == "" {
		t.Errorf("got %.300q, %v", r.Text, err)
	}
	_, r, err = run(t, b, mcp.SearchTool, `{"query":"mcp__few__echo"}`)
	if err != nil || !strings.HasPrefix(r.Text, "mcp__few__echo\n") || strings.Contains(r.Text, "many") {
		t.Errorf("got %.300q, %v", r.Text, err)
	}
	_, r, err = run(t, b, mcp.SearchTool, `{"query":"submarine"}`)
	if err != nil || !strings.HasPrefix(r.Text, "No tool matches. These are all tools:\nfew, 12 tools whose names begin with mcp__few__: ") || !strings.Contains(r.Text, ", tool_099 and 200 more\n") {
		t.Errorf("got %.300q, %v", r.Text, err)
	}
	for query, want := range map[string]string{
		`{}`:                               "few, 12 tools ",
		`{"query":"few"}`:                  "mcp__few__",
		`{"query":"many"}`:                 "many, 300 tools whose names begin with mcp__many__: tool_000, ",
		`{"query":"select:exit,echo"}`:     "mcp__few__exit\n",
		`{"query":["echo","exit"]}`:        "mcp__few__echo\n",
		`{"query":"read a TABLES of 217"}`: "mcp__many__tool_217\n",
	} {
		_, r, err = run(t, b, mcp.SearchTool, query)
		if err != nil || !strings.HasPrefix(r.Text, want) || strings.Contains(r.Text, "Other matches") && strings.Contains(query, "echo") || len(r.Text) > 8<<10 {
			t.Errorf("%s: got %.300q, %v", query, r.Text, err)
		}
	}
}

func TestCallsAreUnderstood(t *testing.T) {
	b := box(t, program(t, "few", "basic"), program(t, "many", "many"))
	for _, c := range []struct{ tool, args, want string }{
		{mcp.CallTool, `{"tool":"mcp__few__echo","arguments":{"text":"a"}}`, `{"text":"a"}`},
		{mcp.CallTool, `{"name":"few/echo","args":"{\"count\": \"3\", \"text\": \"a\", \"z\": 12345678901234567890}"}`, `{"count":3,"text":"a","z":12345678901234567890}`},
		{mcp.CallTool, `{"tool":"echo"}`, `{}`},
		{mcp.CallTool, `{"tool":"few.Echo","arguments":[]}`, `{}`},
		{mcp.CallTool, `{"tool":"few__echo","text":"a"}`, `{"text":"a"}`},
		{mcp.CallTool, `{"tool":"mcp__few__echo","name":"n","server":"s"}`, `{"name":"n","server":"s"}`},
		{mcp.CallTool, `{"server":"few","tool":"echo","arguments":{"text":"a"}}`, `{"text":"a"}`},
		{mcp.CallTool, `{"server_name":"few","tool_name":"mcp__few__echo","arguments":"{\"text\":\"a\"}"}`, `{"text":"a"}`},
		{mcp.CallTool, `{"server":"echo","tool":"few","arguments":{"text":"a"}}`, `{"text":"a"}`},
		{mcp.CallTool, `{"tool":"few","name":"echo","arguments":{"text":"a"}}`, `{"text":"a"}`},
		{mcp.CallTool, `{"server":"few","tool":"echo","arguments":[]}`, `{}`},
		{mcp.CallTool, `{"arguments":{"tool":"mcp__few__echo","arguments":{"text":"a","count":1}}}`, `{"count":1,"text":"a"}`},
		{"mcp__few__echo", `{"Text":"a","count":2.0,"further":{"x":[1]}}`, `{"text":"a","count":2,"further":{"x":[1]}}`},
		{"mcp__few__echo", `"{\"text\":\"a\"}"`, `{"text":"a"}`},
	} {
		call, r, err := run(t, b, c.tool, c.args)
		if err != nil || r.Text != c.want+"\n" {
			t.Errorf("%s %s: got %q, %v", c.tool, c.args, r.Text, err)
			continue
		}
		if len(call.Targets) != 1 || call.Targets[0].Kind != tools.MCP || call.Targets[0].Value != "few/echo" || call.Effect != tools.Execute || call.Instead != insteadOfCall {
			t.Errorf("%s %s: the call is %+v", c.tool, c.args, call)
		}
	}
	for args, want := range map[string]string{
		`{"tool":"mcp__few__nothing"}`:                 "no MCP server has the tool",
		`{"tool":"mcp__few__ekho"}`:                    "Did you mean mcp__few__echo?",
		`{"tool":"browser_open"}`:                      "tool_search finds the names",
		`{"server":"few"}`:                             `mcp_call needs "tool" (you sent "server")`,
		`{"tool":"echo","arguments":7}`:                "must be an object",
		`{"tool":"echo","arguments":{"count":"many"}}`: `whole number (you sent "many"). tool_search {"query": "mcp__few__echo"} returns its schema`,
	} {
		if _, _, err := run(t, b, mcp.CallTool, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", args, err)
		}
	}
}

func TestAnAmbiguousNameIsAnError(t *testing.T) {
	b := box(t, program(t, "one", "basic"), program(t, "two", "basic"), program(t, "broken", "broken"))
	for name, want := range map[string]string{
		"echo":            `2 tools of MCP servers match "echo". Send one of these names: mcp__one__echo, mcp__two__echo`,
		"mcp__broken__go": `no MCP server has the tool "mcp__broken__go". The server broken is not ready (failed). Continue without it, or tell the user`,
	} {
		if _, _, err := run(t, b, mcp.CallTool, `{"tool":"`+name+`"}`); err == nil || err.Error() != want {
			t.Errorf("%s: the error is %v, want %s", name, err, want)
		}
	}
}

// TestNPM drives servers from npm: run it with AGENT_MCP_NPM=1.
func TestNPM(t *testing.T) {
	if os.Getenv("AGENT_MCP_NPM") == "" {
		t.Skip("set AGENT_MCP_NPM to run npm")
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/note.txt", []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	npx := func(name string, args ...string) mcp.Server {
		return mcp.Server{Name: name, Command: append([]string{"npx", "-y"}, args...), Dir: dir, Env: env}
	}
	servers := []mcp.Server{npx("everything", "@modelcontextprotocol/server-everything"), npx("files", "@modelcontextprotocol/server-filesystem", dir)}
	if url := os.Getenv("AGENT_MCP_NPM_URL"); url != "" {
		servers = append(servers, mcp.Server{Name: "web", URL: url})
	}
	c := connect(t, mcp.Options{Servers: servers, StartTime: time.Minute})
	for _, s := range c.Servers() {
		t.Logf("%s: %s %s, protocol %s, %d tools, rejected %q", s.Name, s.State, s.Why, s.Protocol, len(s.Tools), s.Rejected)
		if s.State != mcp.Ready {
			t.Errorf("%s is %s: %s\n%s", s.Name, s.State, s.Why, c.Log(s.Name))
		}
	}
	if got := call(t, c, "files", "read_text_file", `{"path":"`+dir+`/note.txt"}`); !strings.Contains(got, "from a file") {
		t.Errorf("got %q", got)
	}
	for _, name := range []string{"everything", "web"} {
		if name == "web" && len(servers) < 3 {
			continue
		}
		if got := call(t, c, name, "echo", `{"message":"hi"}`); !strings.Contains(got, "hi") {
			t.Errorf("%s: got %q", name, got)
		}
		var lines []string
		r, err := c.Call(t.Context(), name, "trigger-long-running-operation", json.RawMessage(`{"duration":1,"steps":4}`), tools.Approved{Progress: func(s string) { lines = append(lines, s) }})
		if err != nil || len(lines) == 0 {
			t.Errorf("%s: got %q, %v after %q", name, r.Text, err, lines)
		}
		all := c.Attach(t.Context(), []string{name + ":demo://resource/dynamic/text/7", name + ":demo://resource/dynamic/blob/7", name + ":demo://none"})
		if all[0].Err != nil || !strings.Contains(all[0].Text, "Resource 7: This is a plaintext resource") || !strings.Contains(all[1].Text, "not shown") || all[2].Err == nil {
			t.Errorf("%s: the resources are %+v", name, all)
		}
		_, list, err := run(t, &mcp.Toolbox{Connections: c}, mcp.ResourceTool, `{"server":"`+name+`","query":"template"}`)
		if err != nil || !strings.Contains(list.Text, "demo://resource/dynamic/text/{resourceId} (template)") {
			t.Errorf("%s: the templates are %s, %v", name, list.Text, err)
		}
		prompted, err := c.Prompt(t.Context(), "mcp__"+name+"__args-prompt", []string{"New York", "state=NY"})
		if err != nil || prompted.Text != "What's weather in New York, NY?\n" {
			t.Errorf("%s: the prompt is %q, %v", name, prompted.Text, err)
		}
		r, err = c.Call(t.Context(), name, "get-tiny-image", nil, tools.Approved{})
		if err != nil || !strings.Contains(r.Text, "[image, image/png, ") { // its checksum is wrong, so it may not be shown
			t.Errorf("%s: got %q, %v", name, r.Text, err)
		}
	}
}
