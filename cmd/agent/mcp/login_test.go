package mcp_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/cmd/agent/command"
	servers "agent/cmd/agent/mcp"
	"agent/cmd/agent/settings"
	"agent/internal/tools"
	"agent/internal/tools/mcp"
)

// refreshOf is the variable that makes the test binary renew a token and print it: the URL
// of the server, and the directory of the store.
const refreshOf = "MCP_TEST_REFRESH"

func TestMain(m *testing.M) {
	if at, dir, ok := strings.Cut(os.Getenv(refreshOf), " "); ok {
		token, err := (&servers.Logins{Store: store(dir), Dir: dir}).Handler("desk", at).Token()
		fmt.Println(token.AccessToken, err)
		return
	}
	os.Exit(m.Run())
}

// store keeps tokens in files of a directory, as the keyring does in its entries.
type store string

func (s store) file(name string) string { return filepath.Join(string(s), url.QueryEscape(name)) }

func (s store) Has(name string) (string, bool) {
	_, err := os.Stat(s.file(name))
	return "the keyring", err == nil
}

// has reports whether there are tokens of the server desk.
func (s store) has() bool {
	_, ok := s.Has("mcp:desk")
	return ok
}

func (s store) Load(name string) (string, error) {
	b, err := os.ReadFile(s.file(name))
	if os.IsNotExist(err) {
		err = nil
	}
	return string(b), err
}

func (s store) Save(name, text string) error { return os.WriteFile(s.file(name), []byte(text), 0o600) }

func (s store) Delete(name string) (bool, error) {
	err := os.Remove(s.file(name))
	return err == nil, nil
}

// desk is an MCP server that needs a token, and the authorization server that issues it. An
// authorization server may accept every refresh token only once: this one ends the login if
// one is used again.
type desk struct {
	*httptest.Server
	issuer string // in the answer to the browser

	mu        sync.Mutex
	challenge string // of the login
	access    int    // number of the valid access token
	renewed   int
	ended     bool
	clients   int
	revoked   []string // tokens, in order
	refuses   bool     // it does not revoke
	scope     string   // that a login has to ask for
	host      string   // in the address to which the browser returns
	leaks     string   // where the MCP server wants tokens to be revoked; empty for its own answer
}

func newDesk(t *testing.T) *desk {
	d := &desk{scope: "ask", host: "127.0.0.1"}
	s := sdk.NewServer(&sdk.Implementation{Name: "desk", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "answered"}}}, nil
	})
	protected := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		ok := d.access > 0 && r.Header.Get("Authorization") == fmt.Sprintf("Bearer access-%d", d.access)
		d.mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+d.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		protected.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", d.json(func(*http.Request) (int, any) {
		about := map[string]any{"resource": d.URL + "/mcp", "authorization_servers": []string{d.URL}, "scopes_supported": []string{"ask"}}
		if d.leaks != "" {
			about["token_endpoint"], about["revocation_endpoint"] = d.URL+"/token", d.leaks
		}
		return 200, about
	}))
	mux.HandleFunc("/.well-known/oauth-authorization-server", d.json(func(*http.Request) (int, any) {
		about := map[string]any{"issuer": d.URL, "authorization_endpoint": d.URL + "/authorize", "token_endpoint": d.URL + "/token", "registration_endpoint": d.URL + "/register", "revocation_endpoint": d.URL + "/revoke",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "authorization_response_iss_parameter_supported": true}
		if d.leaks != "" {
			delete(about, "revocation_endpoint")
		}
		return 200, about
	}))
	mux.HandleFunc("/register", d.json(func(r *http.Request) (int, any) {
		var c map[string]any
		_ = json.NewDecoder(r.Body).Decode(&c)
		d.clients++
		c["client_id"] = fmt.Sprintf("client-%d", d.clients)
		return 201, c
	}))
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		d.mu.Lock()
		d.challenge = q.Get("code_challenge")
		d.mu.Unlock()
		answer := url.Values{"code": {"code-1"}, "state": {q.Get("state")}, "iss": {d.issuer}}
		if q.Get("resource") != d.URL+"/mcp" || !sameScopes(q.Get("scope"), d.scope) || !strings.HasPrefix(q.Get("redirect_uri"), "http://"+d.host+":") || q.Get("code_challenge_method") != "S256" {
			answer = url.Values{"error": {"invalid_request"}, "state": {q.Get("state")}}
		}
		// A page of another site cannot end the login.
		if res, err := http.Get(q.Get("redirect_uri") + "?code=forged&state=guessed"); err != nil || res.StatusCode != http.StatusBadRequest {
			t.Errorf("a forged answer got %v, %v", res, err)
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", d.json(d.token))
	mux.HandleFunc("/revoke", d.json(func(r *http.Request) (int, any) {
		d.revoked = append(d.revoked, r.FormValue("client_id")+" "+r.FormValue("token_type_hint")+" "+r.FormValue("token"))
		if d.refuses {
			return 503, nil
		}
		return 200, nil
	}))
	d.Server = httptest.NewServer(mux)
	d.issuer = d.URL
	t.Cleanup(d.Close)
	return d
}

// json returns a handler that answers with JSON. It holds the lock.
func (d *desk) json(answer func(*http.Request) (int, any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		status, v := answer(r)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
}

// token issues an access token and a new refresh token.
func (d *desk) token(r *http.Request) (int, any) {
	_ = r.ParseForm()
	valid := r.Form.Get("client_id") == fmt.Sprintf("client-%d", d.clients)
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		valid = valid && r.Form.Get("code") == "code-1" && base64.RawURLEncoding.EncodeToString(sum[:]) == d.challenge
		d.ended = false
	case "refresh_token":
		if valid = valid && r.Form.Get("refresh_token") == fmt.Sprintf("refresh-%d", d.access); !valid {
			d.ended = true
		}
		d.renewed++
	}
	if !valid || d.ended {
		return 400, map[string]any{"error": "invalid_grant"}
	}
	d.access++
	return 200, map[string]any{"access_token": fmt.Sprintf("access-%d", d.access), "refresh_token": fmt.Sprintf("refresh-%d", d.access), "token_type": "Bearer", "expires_in": 3600}
}

// expire makes the access token of a stored login expire.
func (d *desk) expire(t *testing.T, s store) {
	t.Helper()
	text, _ := s.Load("mcp:desk")
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	all["expires"] = time.Now().Add(-time.Minute)
	b, _ := json.Marshal(all)
	_ = s.Save("mcp:desk", string(b))
}

// page matches the page of the login in the output.
var page = regexp.MustCompile(`http://\S+/authorize\S+`)

// browser opens the page of the login that is printed to it.
type browser struct {
	bytes.Buffer
	opened sync.WaitGroup
	away   chan string // of a browser on another computer: gets the page, which is not opened
}

func (b *browser) Write(p []byte) (int, error) {
	if at := page.Find(p); at != nil && b.away != nil {
		b.away <- string(at)
	} else if at != nil {
		b.opened.Go(func() {
			if res, err := http.Get(string(at)); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		})
	}
	return b.Buffer.Write(p)
}

// run runs `agent mcp` with arguments and returns what it printed.
func (d *desk) run(t *testing.T, s store, args ...string) (string, error) {
	t.Helper()
	return d.runWith(t, s, &browser{}, nil, settings.MCPAuth{}, args...)
}

// runWith is like run, with a browser, lines of standard input and settings of the login.
func (d *desk) runWith(t *testing.T, s store, b *browser, lines func(context.Context) (string, bool), client settings.MCPAuth, args ...string) (string, error) {
	t.Helper()
	logins := &servers.Logins{Store: s, Dir: string(s)}
	var out bytes.Buffer
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	set := settings.MCP{Servers: map[string]settings.MCPServer{"desk": {URL: d.URL + "/mcp", OAuth: client}}}
	cmd := servers.NewCmd(servers.Options{
		IO: command.IO{In: null, Out: command.Console{Writer: &out}, Err: command.Console{Writer: b}}, Logins: logins, ReadLine: lines,
		Cleanup: func(func()) func() { return func() {} },
		Open: func() (servers.Setup, error) {
			all, err := servers.All(set, "config.json", servers.Source{Getenv: os.Getenv, Logins: logins})
			return servers.Setup{File: settings.File{Settings: settings.Settings{MCP: set}}, Servers: all, Problem: err}, nil
		},
		Run: func(ctx context.Context, tool tools.Tool, args string) error {
			call, err := tool.Prepare(ctx, json.RawMessage(args))
			if err != nil {
				return err
			}
			r, err := call.Run(ctx, tools.Approved{})
			fmt.Fprint(&out, r.Text)
			return err
		},
	}, nil)
	cmd.SetArgs(args)
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	err = cmd.ExecuteContext(t.Context())
	b.opened.Wait()
	return out.String() + b.String(), err
}

func TestLogin(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t), store(t.TempDir())
	if out, err := d.run(t, s, "list", "--check"); err == nil || !strings.Contains(out, "desk: the server answers 401. To log in: agent mcp login desk") || d.clients > 0 {
		t.Fatalf("before the login: %v\n%s", err, out)
	}
	if out, err := d.run(t, s, "login", "desk"); err != nil || !strings.Contains(out, "Logged in to desk.") || strings.Contains(out, "access-") {
		t.Fatalf("login: %v\n%s", err, out)
	}
	if out, err := d.run(t, s, "call", "desk", "ask", "{}"); err != nil || out != "answered\n" {
		t.Fatalf("call: %v\n%s", err, out)
	}
	d.expire(t, s)
	if out, err := d.run(t, s, "call", "desk", "ask", "{}"); err != nil || d.renewed != 1 {
		t.Fatalf("call with an expired token: %v, %d renewals\n%s", err, d.renewed, out)
	}
	d.mu.Lock()
	d.access++ // the server no longer accepts the token, and no refresh token
	d.mu.Unlock()
	if out, err := d.run(t, s, "list", "--check"); err == nil || !strings.Contains(out, "needs login") || d.renewed == 1 {
		t.Fatalf("with a rejected login: %v, %d renewals\n%s", err, d.renewed, out)
	}
	if out, err := d.run(t, s, "logout", "desk"); err != nil || s.has() {
		t.Fatalf("logout: %v\n%s", err, out)
	}
	if out, err := d.run(t, s, "logout", "desk"); err == nil {
		t.Fatalf("the second logout said\n%s", out)
	}
}

// sameScopes reports whether a and b have the same scopes, in any order.
func sameScopes(a, b string) bool {
	return slices.Equal(slices.Sorted(slices.Values(strings.Fields(a))), slices.Sorted(slices.Values(strings.Fields(b))))
}

// A login asks for the scopes in the settings, and the browser returns to the host in them.
func TestLoginSettings(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t), store(t.TempDir())
	d.scope, d.host = "read write", "localhost"
	client := settings.MCPAuth{Scopes: []string{"read", "write"}, Host: "localhost"}
	if out, err := d.runWith(t, s, &browser{}, nil, client, "login", "desk"); err != nil || !s.has() {
		t.Errorf("%v\n%s", err, out)
	}
}

// A logout revokes the tokens, also those of a renewal. A server that does not do so keeps no
// tokens in the keyring.
func TestLogoutRevokesTheTokens(t *testing.T) {
	t.Parallel()
	for _, refuses := range []bool{false, true} {
		d, s := newDesk(t), store(t.TempDir())
		d.refuses = refuses
		if out, err := d.run(t, s, "login", "desk"); err != nil {
			t.Fatalf("login: %v\n%s", err, out)
		}
		d.expire(t, s)
		if out, err := d.run(t, s, "call", "desk", "ask", "{}"); err != nil || d.renewed != 1 {
			t.Fatalf("call: %v, %d renewals\n%s", err, d.renewed, out)
		}
		out, err := d.run(t, s, "logout", "desk")
		want := "The server has revoked them."
		if refuses {
			want = "the tokens could not be revoked, so they are valid until they expire: " + strings.TrimPrefix(d.URL, "http://") + " answers 503"
		}
		if err != nil || s.has() || !strings.Contains(out, want) {
			t.Errorf("logout: %v\n%s", err, out)
		}
		if got := fmt.Sprint(d.revoked); got != "[client-1 refresh_token refresh-2 client-1 access_token access-2]" {
			t.Errorf("revoked %s", got)
		}
	}
}

// An MCP server cannot make a logout send the tokens of its authorization server to another
// host.
func TestLogoutSendsTokensNowhereElse(t *testing.T) {
	t.Parallel()
	var leaked atomic.Int32
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Add(1) }))
	t.Cleanup(thief.Close)
	d, s := newDesk(t), store(t.TempDir())
	d.leaks = thief.URL + "/revoke"
	if out, err := d.run(t, s, "login", "desk"); err != nil {
		t.Fatalf("login: %v\n%s", err, out)
	}
	if out, err := d.run(t, s, "logout", "desk"); err != nil || s.has() || strings.Contains(out, "revoked") {
		t.Errorf("logout: %v\n%s", err, out)
	}
	if n := leaked.Load(); n > 0 {
		t.Errorf("the other host got %d requests", n)
	}
}

// A session that is open while the user logs in elsewhere uses the login after a reconnect.
func TestReconnectAfterALogin(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t), store(t.TempDir())
	logins := &servers.Logins{Store: s, Dir: string(s)}
	c := mcp.New(mcp.Options{Servers: []mcp.Server{{Name: "desk", URL: d.URL + "/mcp", OAuth: logins.Handler("desk", d.URL+"/mcp")}}})
	t.Cleanup(c.Close)
	if err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := c.Servers()[0].State; got != mcp.NeedsLogin {
		t.Fatalf("the server is %s", got)
	}
	if out, err := d.run(t, s, "login", "desk"); err != nil {
		t.Fatalf("login: %v\n%s", err, out)
	}
	if err := c.Reconnect(t.Context(), "desk"); err != nil {
		t.Fatal(err)
	}
	if r, err := c.Call(t.Context(), "desk", "ask", nil, tools.Approved{}); err != nil || r.Text != "answered\n" {
		t.Errorf("got %q, %v", r.Text, err)
	}
}

// A token that the server rejects before its time is renewed, and the call is repeated.
func TestRejectedTokenIsRenewed(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t), store(t.TempDir())
	if out, err := d.run(t, s, "login", "desk"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	logins := &servers.Logins{Store: s, Dir: string(s)}
	c := mcp.New(mcp.Options{Servers: []mcp.Server{{Name: "desk", URL: d.URL + "/mcp", OAuth: logins.Handler("desk", d.URL+"/mcp")}}})
	defer c.Close()
	if err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Another process renews the token: the one that this connection uses is not valid.
	d.expire(t, s)
	if _, err := (&servers.Logins{Store: s, Dir: string(s)}).Handler("desk", d.URL+"/mcp").Token(); err != nil {
		t.Fatal(err)
	}
	if r, err := c.Call(t.Context(), "desk", "ask", json.RawMessage("{}"), tools.Approved{}); err != nil || r.Text != "answered\n" || d.renewed != 1 {
		t.Errorf("got %q, %v after %d renewals", r.Text, err, d.renewed)
	}
}

// An answer of another authorization server does not count.
func TestLoginChecksTheIssuer(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t), store(t.TempDir())
	for _, issuer := range []string{"https://other.example", ""} {
		d.issuer = issuer
		if out, err := d.run(t, s, "login", "desk"); err == nil || !strings.Contains(err.Error(), "iss") || s.has() {
			t.Errorf("issuer %q: %v\n%s", issuer, err, out)
		}
	}
}

// Two processes that find the same expired token renew it once.
func TestTwoProcessesRenewOnce(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t), store(t.TempDir())
	if out, err := d.run(t, s, "login", "desk"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	d.expire(t, s)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), refreshOf+"="+d.URL+"/mcp "+string(s))
			if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "access-2 <nil>") {
				t.Errorf("a process got %s%v", out, err)
			}
		})
	}
	all.Wait()
	if d.renewed != 1 {
		t.Errorf("the token was renewed %d times", d.renewed)
	}
}

// The tokens of a server are not sent to another URL.
func TestTokensBelongToOneURL(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t), store(t.TempDir())
	if out, err := d.run(t, s, "login", "desk"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if token, err := (&servers.Logins{Store: s, Dir: string(s)}).Handler("desk", "https://other.example/mcp").Token(); token != nil || err != nil {
		t.Errorf("another URL got %v, %v", token, err)
	}
}
